"""Learners as they take part in the protocol."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Entry(NamedTuple):
    """A learner as it takes part in the protocol.

    Attributes
    ----------
    name : str
        Unique among the entries.
    algorithm : str
    settings : dict
        Hyperparameters that are fixed; those of ``tuning_params`` are tuned.
    """

    name: str
    algorithm: str
    settings: Mapping[str, Any] = {}

    def candidates(self) -> list[dict[str, Any]]:
        """The settings to choose from on validation data."""
        from rankcore.experiments import grid

        rows = [{**row, **self.settings} for row in grid(self.algorithm)]
        return [row for i, row in enumerate(rows) if row not in rows[:i]]
