"""Which runs may be compared: those with equal data, rules and measure."""

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Sequence
from typing import Any, NamedTuple, Protocol

from rankcore.algorithms import get_algorithm
from rankcore.measures import Rules
from rankcore.topics.compare.trained import Trained

MOST_NAMED = 3
ANOTHER = "its data has the same name, but other queries, labels or features"


class Measured(Protocol):
    """A result with the terms it was measured on, such as a `Trained`, as there.

    ``content`` begins with None where it is not known; ``queries`` contains the names
    of the measures.
    """

    @property
    def data(self) -> str: ...
    @property
    def normalisation(self) -> str | None: ...
    @property
    def division(self) -> str: ...
    @property
    def content(self) -> tuple[Any, ...]: ...
    @property
    def split(self) -> str: ...
    @property
    def rules(self) -> Rules: ...
    @property
    def queries(self) -> Container[str]: ...


class LeftOut(NamedTuple):
    """Runs that are not compared with the others, for one reason.

    Attributes
    ----------
    runs : tuple of Trained
    reason : str
        How they differ from the others.
    """

    runs: tuple[Trained, ...]
    reason: str

    @property
    def sentence(self) -> str:
        """Which runs they are, and why."""
        titles = list(dict.fromkeys(_title(run) for run in self.runs))
        named = ", ".join(titles[:MOST_NAMED])
        more = len(titles) - MOST_NAMED
        named += f" and {more} more" if more > 0 else ""
        verb = "is" if len(self.runs) == 1 else "are"
        count = f" ({len(self.runs)} runs)" if len(titles) < len(self.runs) else ""
        return f"{named}{count} {verb} left out: {self.reason}."


class Comparable(NamedTuple):
    """Runs that may be compared.

    Attributes
    ----------
    runs : tuple of Trained
    measure : str
        By which they are.
    left_out : tuple of LeftOut
        The others.
    """

    runs: tuple[Trained, ...]
    measure: str
    left_out: tuple[LeftOut, ...]


class _Aspect(NamedTuple):
    """Something that runs must share: the sentence of a difference, and the words of a
    run that fill it."""

    sentence: str
    of: Callable[[Measured], str]


_DATA = (
    _Aspect("trained on {}, not {}", lambda run: run.data or "unnamed data"),
    _Aspect(
        "features {}, not {}",
        lambda run: (
            f"scaled by {run.normalisation}" if run.normalisation else "as given"
        ),
    ),
    _Aspect("data divided {}, not {}", lambda run: run.division or "as it is given"),
)
_SPLIT = _Aspect(
    "measured on {} queries, not {}",
    lambda run: {"valid": "validation", "train": "training"}.get(run.split, run.split),
)
_RULES = (
    _Aspect("measured by convention {}, not {}", lambda run: run.rules.convention),
    _Aspect(
        "queries without relevant documents measured by rule {}, not {}",
        lambda run: run.rules.empty,
    ),
)


def comparable(runs: Sequence[Trained], measure: str) -> Comparable:
    """Return the runs that may be compared with each other.

    They have the same training and validation data, or folds of one division of it,
    and the same evaluation rules, and were measured by one measure. Of several such
    groups it is the one with the most stored runs, or, where no run is stored, with the
    most runs; of equal ones the first.

    Parameters
    ----------
    runs : sequence of Trained
        At least one.
    measure : str
        The one to compare by, if a run of the group has it; else its first one.
    """
    stored = [run for run in runs if run.key] or runs
    terms = _most_common([_terms(run) for run in stored])
    group = [run for run in runs if _terms(run) == terms]
    contents = _contents(group)
    alike = [run for run in group if run.content == contents[run.fold]]
    measured = any(measure in run.queries for run in alike)
    chosen = measure if measured else next(iter(alike[0].queries))
    chosen_runs = [run for run in alike if chosen in run.queries]
    others: dict[str, list[Trained]] = defaultdict(list)
    for run in runs:
        if run not in chosen_runs:
            others[difference(run, chosen_runs[0], chosen)].append(run)
    left_out = tuple(LeftOut(tuple(these), why) for why, these in others.items())
    return Comparable(tuple(chosen_runs), chosen, left_out)


def same_data(runs: Sequence[Trained]) -> dict[str, list[Trained]]:
    """Return runs by the name of their data set; equal content is one set, whatever its
    names."""
    names: dict[Any, str] = {}
    by_name: dict[str, list[Trained]] = defaultdict(list)
    for run in runs:
        key = run.data if run.content[0] is None else run.content
        by_name[names.setdefault(key, run.data)].append(run)
    return dict(by_name)


def _terms(run: Trained) -> tuple[Any, ...]:
    """Return data, split and rules: runs that have them in common may be compared, but
    for folds of other content."""
    by_content = run.content[0] is not None and not run.fold
    named = run.data, run.division, run.normalisation
    return run.content if by_content else named, run.split, run.rules


def _contents(group: Sequence[Trained]) -> dict[str, Any]:
    """Return the content that most runs of each fold have."""
    each: dict[str, list[Any]] = defaultdict(list)
    for run in group:
        each[run.fold].append(run.content)
    return {fold: _most_common(contents) for fold, contents in each.items()}


def _most_common(values: Sequence[Any]) -> Any:
    return Counter(values).most_common(1)[0][0]


def difference(run: Measured, other: Measured, measure: str) -> str:
    """How a run differs from those that are compared; empty: it may be, too."""
    reasons = _differences(run, other, (*_RULES, _SPLIT))
    if run.content != other.content or run.content[0] is None:
        reasons = _differences(run, other, _DATA) + reasons
    if not reasons and run.content != other.content:
        reasons = [ANOTHER] if measure in run.queries else []
    if measure not in run.queries:
        reasons.append(f"not measured by {measure}")
    return "; ".join(reasons)


def _differences(
    run: Measured, other: Measured, aspects: Sequence[_Aspect]
) -> list[str]:
    pairs = [(one.sentence, one.of(run), one.of(other)) for one in aspects]
    return [
        sentence.format(first, second)
        for sentence, first, second in pairs
        if first != second
    ]


def _title(run: Trained) -> str:
    title = get_algorithm(run.algorithm).title
    return f"{title} (run {run.key[:8]})" if run.key else title
