"""Algorithms with settings as short texts, such as ``RSRank`` or ``RSRank:g=30``."""

from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from rankcore.algorithms import Ranker, get_algorithm, list_algorithms
from rankcore.base.hyperparameters import hyperparameters
from rankcore.base.numbers import quoted, rounded, shortlist
from rankcore.data.dataset import RankingDataset

# These settings belong to a whole comparison.
_COMMON = ("random_state", "max_iter")


class Entry(NamedTuple):
    """An algorithm and the hyperparameters that are not at their defaults.

    Attributes
    ----------
    algorithm : type of Ranker
    settings : dict of str to value
    """

    algorithm: type[Ranker]
    settings: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The text that `read_entry` reads back."""
        declared = hyperparameters(self.algorithm)
        parts = [
            f"{name}={declared[name].short(value)}"
            for name, value in self.settings.items()
        ]
        return ":".join([self.algorithm.__name__, *parts])

    @property
    def title(self) -> str:
        """The algorithm's title with the settings, for display."""
        parts = [
            f"{name.replace('_', ' ')} = {rounded(value)}"
            for name, value in self.settings.items()
        ]
        return ", ".join([self.algorithm.title, *parts])

    def ranker(self, **common: Any) -> Ranker:
        """Return the algorithm, not fitted; ``common`` are further hyperparameters."""
        return self.algorithm(**{**common, **self.settings})


def read_entry(text: str) -> Entry:
    """Read an algorithm with settings.

    Parameters
    ----------
    text : str
        The algorithm's name, then any number of ``:name=value``.

    Returns
    -------
    Entry
        Without settings that have their defaults.

    Raises
    ------
    ValueError
        For an unknown algorithm or hyperparameter, or a value that is not permitted.

    Examples
    --------
    >>> read_entry("rsrank:g=30").title
    'RSRank, g = 30'
    """
    name, *parts = text.split(":")
    algorithm = get_algorithm(name.strip())
    declared = hyperparameters(algorithm)
    settings = {}
    for part in parts:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or key not in declared or key in _COMMON:
            names = ", ".join(name for name in declared if name not in _COMMON)
            raise ValueError(
                f"{quoted(part)} is not a setting of {algorithm.__name__}: use one of "
                f"{names}, such as {algorithm.__name__}:{_example(algorithm)}."
            )
        settings[key] = declared[key].parse(value)
    return entry_of(algorithm, settings)


def entry_of(algorithm: type[Ranker], settings: Mapping[str, Any]) -> Entry:
    """Return the entry of an algorithm with settings, without defaults, the seed and
    the number of iterations."""
    declared = hyperparameters(algorithm)
    changed = {
        name: value
        for name, value in settings.items()
        if name not in _COMMON and value != declared[name].default
    }
    return Entry(algorithm, changed)


@cache
def offered_entries() -> Mapping[str, str]:
    """Return the texts on offer, with titles: every algorithm, each followed by the
    other values of its main hyperparameter's sweep."""
    offered: dict[str, str] = {}
    for name in list_algorithms():
        algorithm = get_algorithm(name)
        entries = [Entry(algorithm, {})]
        main = main_hyperparameter(algorithm)
        if main is not None:
            declared = hyperparameters(algorithm)[main]
            entries += [
                Entry(algorithm, {main: declared.check(value)})
                for value in declared.sweep
                if value != declared.default
            ]
        offered |= {entry.text: entry.title for entry in entries}
    return MappingProxyType(offered)


def main_hyperparameter(algorithm: type[Ranker]) -> str | None:
    """Return the main hyperparameter: that of sparsity, else the first that is tuned,
    else the first with a sweep; None if there is none."""
    declared = hyperparameters(algorithm)
    swept = [n for n, row in declared.items() if row.sweep and n not in _COMMON]
    wanted = [algorithm.sparsity, *algorithm.tuning_params, *swept]
    return next((name for name in wanted if name and name not in _COMMON), None)


def _example(algorithm: type[Ranker]) -> str:
    main = main_hyperparameter(algorithm)
    if main is None:
        return "name=value"
    declared = hyperparameters(algorithm)[main]
    return f"{main}={declared.short((*declared.sweep, declared.default)[0])}"


def untrainable(texts: Iterable[str], dataset: RankingDataset) -> str | None:
    """Return why the first unsuitable algorithm cannot train on a data set, and which
    ones to leave out, as sentences; None if all can train."""
    chosen = [read_entry(text) for text in texts]
    reasons = {one.title: one.ranker().unsupported_reason(dataset) for one in chosen}
    others = {title: reason for title, reason in reasons.items() if reason}
    if not others:
        return None
    return f"{next(iter(others.values()))} Leave out {shortlist([*others], 9)}."
