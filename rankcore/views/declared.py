"""Hyperparameters of algorithms as settings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankcore.algorithms import Derived, get_algorithm
from rankcore.base.hyperparameters import AUTO, Hyperparameter, hyperparameters
from rankcore.base.numbers import labelled, quoted, three_digits
from rankcore.training import changes
from rankcore.views.blocks import Changes
from rankcore.views.settings import MORE, Setting, Values

CHANGES = "changes"


@dataclass(frozen=True)
class Declared(Setting):
    """A hyperparameter of an algorithm, from its own declaration.

    Attributes
    ----------
    features : callable, optional
        Names allowed in place of a value, such as those of the data's features.
    derived : callable, optional
        Values derived from the data: that of ``"auto"``, and the stability limit.
    """

    declared: Hyperparameter = None  # type: ignore[assignment]
    features: Callable[[Values], Sequence[str]] | None = None
    derived: Callable[[Values], Derived | None] | None = None

    def check(self, value: Any) -> Any:
        return self.declared.check(value)

    def parse(self, text: str) -> Any:
        return self.declared.parse(text)

    def format(self, value: Any) -> str:
        return self.declared.format(value)

    def labels(self, values: Values) -> dict[Any, str]:
        """Labels of all values on offer, given the other settings' values."""
        derived_value = self.derived(values) if self.derived is not None else None
        automatic = None if derived_value is None else derived_value.placed
        stops = self.declared.stops(self.shows(values), automatic=automatic)
        texts = labelled(stops)
        if automatic is not None and AUTO in texts:
            texts[AUTO] = f"{AUTO} ({three_digits(automatic)})"
        return texts

    def stop_labels(self, values: Values) -> Mapping[Any, str]:
        boxed = self.declared.words or self.declared.kind == "choice"
        return {} if boxed else self.labels(values)

    def marks(self, values: Values) -> dict[str, float]:
        """Return marks on its slider, from 0 to 1: the value of ``"auto"``, and the
        largest stable value."""
        derived_value = self.derived(values) if self.derived is not None else None
        if derived_value is None:
            return {}
        stops = [*self.labels(values)]
        places = {AUTO: derived_value.placed, "unstable": derived_value.stable}
        return {
            name: self.declared.place(number, stops, derived_value.placed)
            for name, number in places.items()
            if number is not None
        }

    def shows(self, values: Values) -> Any:
        return present(values).get(self.key, values[self.key])

    def examples(self, values: Values) -> Sequence[Any]:
        ends = (self.declared.low, self.declared.high)
        whole = self.declared.kind == "integer"
        numbers = [int(n) if whole else float(n) for n in ends if n is not None]
        candidates = [self.default, *self.declared.choices, *numbers]
        return tuple(dict.fromkeys(candidates))


def declared(
    algorithm: type,
    *names: str,
    features: Callable[[Values], Sequence[str]] | None = None,
    **details: Any,
) -> list[Declared]:
    """Return the hyperparameters of an algorithm as settings, such as
    ``ConeRank.alpha``.

    Parameters
    ----------
    *names : str
        Names of hyperparameters; all but the seed by default.
    features : callable, optional
        As in `Declared`.
    **details
        Replace parts of the declaration, such as ``group``.
    """
    rows = hyperparameters(algorithm)
    wanted = names or [name for name in rows if name != "random_state"]
    return [_declared(algorithm, rows[name], features, details) for name in wanted]


def _declared(
    algorithm: type,
    row: Hyperparameter,
    features: Callable[[Values], Sequence[str]] | None,
    details: Mapping[str, Any],
) -> Declared:
    scale = ", log scale" if row.scale == "log" else ""
    low, high = (labelled([end])[end] for end in (row.low, row.high))
    ends = "" if row.low is None else f"{low} to {high}{scale}"
    options: dict[str, Any] = {
        "label": row.title,
        "symbol": row.symbol,
        "meaning": f"{row.meaning} It is {row.range_text}.",
        "group": MORE if row.advanced else "",
        "shown_when": _applies(algorithm, row) if row.shown_when else None,
        "note": None if row.kind == "choice" or not ends else lambda values: ends,
    }
    return Declared(
        f"{algorithm.__name__}.{row.name}",
        row.default,
        declared=row,
        features=features if row.words and row.special else None,
        **(options | dict(details)),
    )


def _applies(algorithm: type, row: Hyperparameter) -> Callable[[Values], bool]:
    return lambda values: row.applies(values.of(algorithm))


@dataclass(frozen=True)
class Changing(Setting):
    """Hyperparameters that change while the selected algorithm runs, as text that
    `rankcore.training.changes` reads; the settings themselves are the initial values.

    It comes after the settings of the algorithm.
    """

    def fitted(self, value: Any, values: Values) -> Any:
        try:
            return self._rewritten(value, values)
        except ValueError:
            return self.default

    def refusal(self, value: Any, values: Values) -> str | None:
        try:
            self._rewritten(value, values)
        except ValueError as error:
            return f"{self.key} cannot be {quoted(value)}: {error}"
        return None

    def _rewritten(self, value: str, values: Values) -> str:
        algorithm = get_algorithm(values.algorithm)
        planned = changes.parse(algorithm, value)
        changes.checked(algorithm(**values.of(algorithm)), planned)
        return ";".join(changes.texts(algorithm, planned))


def planned(values: Values) -> changes.Planned:
    """Return the changes of hyperparameters in the settings."""
    text = values.get(CHANGES, "")
    return changes.parse(get_algorithm(values.algorithm), text) if text else {}


def present(values: Values) -> Changes:
    """Return the settings with which a run without changes starts in the state after
    all changes."""
    latest = changes.last(planned(values))
    return {f"{values.algorithm}.{name}": v for name, v in latest.items()}


def steered(
    values: Values, new_values: Changes, change: Callable[..., changes.Planned] | None
) -> Changes:
    """Return the settings that change with the control of a hyperparameter.

    If it can change while the run goes on, it does so at the next iteration, and its
    setting remains the initial value. Without a run, the control sets the initial
    value, and earlier changes are dropped.

    Parameters
    ----------
    new_values : dict
        The control's values.
    change : callable or None
        Changes hyperparameters of the run under way, started with these settings, and
        returns all changes so far.
    """
    if "algorithm" in new_values:
        return {**new_values, CHANGES: ""}
    algorithm = get_algorithm(values.algorithm)
    able = changes.changeable(algorithm)
    parameters = {key.partition(".")[2]: value for key, value in new_values.items()}
    if not (parameters and parameters.keys() <= able.keys()):
        return new_values
    if change is not None:
        try:
            so_far = change(**parameters)
        except ValueError:
            return new_values
        return {CHANGES: ";".join(changes.texts(algorithm, so_far))}
    changes_left = {
        iteration: {name: v for name, v in new.items() if name not in parameters}
        for iteration, new in planned(values).items()
    }
    return {**new_values, CHANGES: ";".join(changes.texts(algorithm, changes_left))}
