"""The learners that take part in the protocol."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class LeaderboardEntry(NamedTuple):
    """A learner in the protocol.

    Attributes
    ----------
    name : str
        Unique among the entries.
    settings : dict
        Fixed hyperparameters; those of ``tuning_params`` are tuned.
    binary : bool
        Whether labels above 0 count as 1, in training, choice and test.
    """

    name: str
    algorithm: str
    settings: Mapping[str, Any] = {}
    binary: bool = False

    def of_binary_labels(self) -> "LeaderboardEntry":
        """Return the same learner for labels 0 and 1."""
        return self._replace(name=f"{self.name}, binary labels", binary=True)

    def candidates(self) -> list[dict[str, Any]]:
        """Return the settings to choose from on validation data."""
        from rankcore.studies.experiments import grid

        rows = [{**row, **self.settings} for row in grid(self.algorithm)]
        return [row for i, row in enumerate(rows) if row not in rows[:i]]


_CONE = {"n_basis": 10, "max_iter": 10}
# Learners other than an algorithm with its defaults.
_SPECIAL: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "AdaRank.NDCG": ("AdaRank", {"criterion": "ndcg"}),
    "AdaRank.MAP": ("AdaRank", {"criterion": "average_precision"}),
    "RSRank, g = 0": ("RSRank", {"g": 0.0}),
    "ConeRank EG, K = 10": ("ConeRank", {**_CONE, "folding": "eg"}),
    "ConeRank SG, K = 10": (
        "ConeRank",
        _CONE | {"folding": "sg", "basis_update": "stochastic", "learning_rate": 0.001},
    ),
    "SVMMRR, φₘᵣᵣ": ("SVMMRR", {"feature_map": "first"}),
    "SVMNDCG@10": ("SVMNDCG", {"cutoff": 10}),
}


def learner(name: str) -> LeaderboardEntry:
    """Return the entry with that name, by default an algorithm with its defaults."""
    return LeaderboardEntry(name, *_SPECIAL.get(name, (name, {})))
