"""Conditions for comparing runs: equal data, rules and measure."""

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Sequence
from typing import Any, NamedTuple

from rankcore.algorithms import get_algorithm
from rankcore.data.dataset import scaling_words
from rankcore.studies.results import Result, SharedTerms

MOST_NAMED = 3
ANOTHER = "its data has the same name, but other queries, labels, features or weights"


class LeftOut(NamedTuple):
    """Runs that are not compared with the others, for one reason.

    Attributes
    ----------
    reason : str
        The difference from the others.
    """

    runs: tuple[Result, ...]
    reason: str

    @property
    def sentence(self) -> str:
        """A sentence that names these runs and the reason."""
        titles = list(dict.fromkeys(_title(run) for run in self.runs))
        names = ", ".join(titles[:MOST_NAMED])
        more = len(titles) - MOST_NAMED
        names += f" and {more} more" if more > 0 else ""
        verb = "is" if len(self.runs) == 1 else "are"
        count = f" ({len(self.runs)} runs)" if len(titles) < len(self.runs) else ""
        return f"{names}{count} {verb} left out: {self.reason}."


class Comparable(NamedTuple):
    """Runs that may be compared.

    Attributes
    ----------
    measure : str
        The measure of the comparison.
    left_out : tuple of LeftOut
        The excluded runs.
    """

    runs: tuple[Result, ...]
    measure: str
    left_out: tuple[LeftOut, ...]


class _Aspect(NamedTuple):
    """A property that compared runs share: the sentence about a difference, and the
    function that returns a run's words for it."""

    sentence: str
    of: Callable[[SharedTerms], str]


_DATA = (
    _Aspect("trained on {}, not {}", lambda terms: terms.data or "unnamed data"),
    _Aspect(
        "features {}, not {}",
        lambda terms: (
            scaling_words(terms.normalisation) if terms.normalisation else "as given"
        ),
    ),
    _Aspect(
        "data divided {}, not {}", lambda terms: terms.division or "as it is given"
    ),
    _Aspect("queries {}, not {}", lambda terms: terms.weighting or "of equal weight"),
)
_SPLIT = _Aspect(
    "measured on {} queries, not {}",
    lambda terms: {"valid": "validation", "train": "training"}.get(
        terms.split, terms.split
    ),
)
_RULES = (
    _Aspect("measured by convention {}, not {}", lambda terms: terms.rules.convention),
    _Aspect(
        "queries without relevant documents measured by rule {}, not {}",
        lambda terms: terms.rules.empty,
    ),
)


def comparable(runs: Sequence[Result], measure: str) -> Comparable:
    """Return the runs that may be compared with each other.

    They have the same training and validation data, or folds of one division of it,
    and the same evaluation rules, and were measured by one measure. Of several such
    groups, return the one with the most stored runs or, if no run is stored, the most
    runs; of equal groups the first.

    Parameters
    ----------
    measure : str
        The measure to compare by, if a run has it; else the group's first.
    """
    if not runs:
        return Comparable((), measure, ())
    stored = [run for run in runs if run.terms.key] or runs
    terms = _most_common([_terms(run) for run in stored])
    group = [run for run in runs if _terms(run) == terms]
    contents = _contents(group)
    alike = [run for run in group if run.terms.content == contents[run.cell.fold]]
    measured = any(measure in run.queries for run in alike)
    chosen = measure if measured else next(iter(alike[0].queries))
    chosen_runs = [run for run in alike if chosen in run.queries]
    others: dict[str, list[Result]] = defaultdict(list)
    for run in runs:
        if run not in chosen_runs:
            why = difference(run.terms, chosen_runs[0].terms, run.queries, chosen)
            others[why].append(run)
    left_out = tuple(LeftOut(tuple(these), why) for why, these in others.items())
    return Comparable(tuple(chosen_runs), chosen, left_out)


def same_data(runs: Sequence[Result]) -> dict[str, list[Result]]:
    """Return runs by the name of their data set; equal content counts as one set,
    whatever its names."""
    names: dict[Any, str] = {}
    by_name: dict[str, list[Result]] = defaultdict(list)
    for run in runs:
        key = run.terms.data if run.terms.content[0] is None else run.terms.content
        by_name[names.setdefault(key, run.terms.data)].append(run)
    return dict(by_name)


def _terms(run: Result) -> tuple[Any, ...]:
    """Return data, split and rules; runs with equal ones may be compared, unless their
    folds' contents differ."""
    by_content = run.terms.content[0] is not None and not run.cell.fold
    by_name = run.terms.data, run.terms.division, run.terms.normalisation
    data = run.terms.content if by_content else by_name
    return data, run.terms.split, run.terms.rules


def _contents(group: Sequence[Result]) -> dict[str, Any]:
    """Return the content of each fold that most of its runs have."""
    each: dict[str, list[Any]] = defaultdict(list)
    for run in group:
        each[run.cell.fold].append(run.terms.content)
    return {fold: _most_common(contents) for fold, contents in each.items()}


def _most_common(values: Sequence[Any]) -> Any:
    return Counter(values).most_common(1)[0][0]


def difference(
    terms: SharedTerms, others: SharedTerms, measures: Container[str], measure: str
) -> str:
    """Return the difference of a run's terms and measures from those of the compared
    runs; empty if it may be compared."""
    reasons = _differences(terms, others, (*_RULES, _SPLIT))
    if terms.content != others.content or terms.content[0] is None:
        reasons = _differences(terms, others, _DATA) + reasons
    if not reasons and terms.content != others.content:
        reasons = [ANOTHER] if measure in measures else []
    if measure not in measures:
        reasons.append(f"not measured by {measure}")
    return "; ".join(reasons)


def _differences(
    terms: SharedTerms, others: SharedTerms, aspects: Sequence[_Aspect]
) -> list[str]:
    pairs = [(one.sentence, one.of(terms), one.of(others)) for one in aspects]
    return [
        sentence.format(first, second)
        for sentence, first, second in pairs
        if first != second
    ]


def _title(run: Result) -> str:
    title = get_algorithm(run.terms.algorithm).title
    return f"{title} (run {run.terms.key[:8]})" if run.terms.key else title
