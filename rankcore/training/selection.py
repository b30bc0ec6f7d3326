"""The choice of a run's model: the best, the last, or that of a given iteration.

The parameter ``at`` selects it in links, commands and Python, and a text states how it
was chosen.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from rankcore.base.numbers import counted, listed, quoted

By = Literal["validation", "objective", "last", "hand", ""]
BEST, LAST = "best", "last"
# How a model was chosen, in words; model files of earlier versions do not say.
HOW: Mapping[str, str] = {
    "validation": "best on validation",
    "objective": "best by the training objective",
    "last": "last",
    "hand": "as asked",
    "": "",
}
# No iteration number has more digits.
_MOST_DIGITS = 9


class Selection(NamedTuple):
    """A model of a run, and how it was chosen.

    Attributes
    ----------
    record : rankcore.training.Record
    by : {"validation", "objective", "last", "hand"}
    """

    record: Any
    by: By

    @property
    def text(self) -> str:
        """Its iteration and how it was chosen."""
        return chosen_text(self.record.iteration, self.by)


def chosen_text(iteration: int | str, by: str) -> str:
    """Return one or several iterations, and how they were chosen, in words.

    Examples
    --------
    >>> chosen_text(79, "validation"), chosen_text(80, "hand"), chosen_text(7, "")
    ('iteration 79, best on validation', 'iteration 80, as asked', 'iteration 7')
    """
    return ", ".join(filter(None, (f"iteration {iteration}", HOW[by])))


def iterations_text(iterations: Iterable[int]) -> str:
    """Return the iteration of one model, or the first and the last of several.

    Examples
    --------
    >>> iterations_text([80]), iterations_text([80, 75, 95])
    ('80', '75 to 95')
    """
    first, *_, last = sorted([*iterations] * 2)
    return f"{first}" if first == last else f"{first} to {last}"


def checked(at: str) -> str:
    """Return ``"best"``, ``"last"`` or the number of an iteration, as text.

    Raises
    ------
    ValueError
        For any other text.

    Examples
    --------
    >>> checked("best"), checked("080")
    ('best', '80')
    """
    if at in (BEST, LAST):
        return at
    if at.isascii() and at.isdecimal() and len(at) <= _MOST_DIGITS:
        return str(int(at))
    raise ValueError(
        f"{quoted(at)} is not a model of a run: write best, last, or the number of an "
        "iteration."
    )


def chooses(algorithm: Any, measured: bool) -> By:
    """Return the criterion for the best model of a run, ``measured`` on validation data
    or not."""
    return "validation" if measured and algorithm.anytime else "objective"


def select(run: Any, at: Any = BEST, nearest: bool = False) -> Selection:
    """Return the model of a run that ``at`` names.

    Parameters
    ----------
    run : Run
        A run with at least one record.
    at : str, int or Record
        ``"best"``, ``"last"``, the number of an iteration, or a record of the run.
    nearest : bool
        Whether to replace an iteration without a model by the nearest earlier one with
        a model, or by the first.

    Raises
    ------
    ValueError
        If the run has no such model; the message names the available ones.
    """
    if not isinstance(at, str | int):
        return Selection(at, _how(run, at))
    name = checked(str(at))
    if name == BEST:
        return Selection(run.best, run.chosen_by)
    records = run.history.records
    wanted = records[-1].iteration if name == LAST else int(name)
    before = bisect_right(records, wanted, key=lambda record: record.iteration)
    order = [*reversed(records[:before]), *records[before:]]
    record = next((record for record in order if run.has(record)), None)
    if record is None or (record.iteration != wanted and not nearest):
        raise ValueError(_missing(run, wanted))
    ends = name == LAST and record is records[-1]
    return Selection(record, "last" if ends else _how(run, record))


def model_text(selection: Selection, measure: str) -> str:
    """Return the choice of a model and its values, in words."""
    record = selection.record
    return f"{selection.text}: {_figures(record.to_row(), measure)}"


def offered(run: Any, measure: str) -> dict[str, str]:
    """Return the values of ``at`` for the best and the last model of a run with their
    descriptions; one entry if they are the same."""
    chosen = {at: select(run, at, nearest=True) for at in (BEST, LAST)}
    if chosen[BEST].record is chosen[LAST].record:
        del chosen[LAST]
    return {at: model_text(choice, measure) for at, choice in chosen.items()}


def best_and_last(run: Any, measure: str) -> str:
    """Describe the best and the last model of a run; see `side_by_side`."""
    return side_by_side(run.best.to_row(), run.history.records[-1].to_row(), measure)


def best_so_far(run: Any, measure: str) -> str:
    """Describe the best model of a run, as `side_by_side` does."""
    best = run.best
    return f"best ({best.iteration}): {_figures(best.to_row(), measure)}"


def side_by_side(best: Mapping[str, Any], last: Mapping[str, Any], measure: str) -> str:
    """Describe the best and the last model of a run by these values.

    Parameters
    ----------
    best, last : dict
        Their values by column name, as in `rankcore.training.Record.to_row`.
    measure : str
        Shown for validation data if available, else for training data.

    Examples
    --------
    >>> best = {"iteration": 79, "nonzeros": 56, "valid nDCG@10": 0.3981}
    >>> side_by_side(best, {"iteration": 100, "nonzeros": 16}, "nDCG@10")
    'best (79): 56 features, 0.398; last (100): 16'
    >>> side_by_side(best, best, "nDCG@10")
    'best and last (79): 56 features, 0.398'
    """
    first = _figures(best, measure)
    if best["iteration"] == last["iteration"]:
        return f"best and last ({best['iteration']:.0f}): {first}"
    second = _figures(last, measure).replace(" features", "").replace(" feature", "")
    return (
        f"best ({best['iteration']:.0f}): {first}; "
        f"last ({last['iteration']:.0f}): {second}"
    )


def _figures(fields: Mapping[str, Any], measure: str) -> str:
    count = fields["nonzeros"]
    features = counted(int(count), "features")
    value = fields.get(f"valid {measure}", fields.get(f"train {measure}"))
    if value is None:
        return features
    return f"{features}, {listed(f'{value:.3f}', bool(fields.get('ranks', True)))}"


def _how(run: Any, record: Any) -> By:
    """Return how a record was chosen that the caller passed directly."""
    if record is run.best:
        by: By = run.chosen_by
        return by
    return "last" if record is run.history.records[-1] else "hand"


def _missing(run: Any, wanted: int) -> str:
    """Return why an iteration has no model, and which do."""
    records = run.history.records
    last = records[-1].iteration
    if wanted > last:
        return (
            f"There is no iteration {wanted}: the run has those up to {last}. Choose "
            "one of these, best or last."
        )
    able = [record.iteration for record in records if run.has(record)]
    before = [n for n in able if n < wanted][-1:]
    after = [n for n in able if n > wanted][:1]
    beside = " and ".join(map(str, before + after))
    return (
        f"The model of iteration {wanted} is not kept; the nearest that are: {beside}. "
        "Choose one of these, best or last."
    )
