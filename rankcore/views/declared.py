"""Hyperparameters of algorithms as settings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankcore.hyperparameters import Hyperparameter, hyperparameters
from rankcore.views.settings import MORE, Setting, Values


@dataclass(frozen=True)
class Declared(Setting):
    """A hyperparameter of an algorithm, from its own declaration.

    Attributes
    ----------
    declared : Hyperparameter
    features : callable, optional
        Names that may stand for a value, such as those of the data's features.
    """

    declared: Hyperparameter = None  # type: ignore[assignment]
    features: Callable[[Values], Sequence[str]] | None = None

    def check(self, value: Any) -> Any:
        return self.declared.check(value)

    def parse(self, text: str) -> Any:
        return self.declared.parse(text)

    def format(self, value: Any) -> str:
        return self.declared.format(value)

    def examples(self, values: Values) -> Sequence[Any]:
        ends = (self.declared.low, self.declared.high)
        whole = self.declared.kind == "integer"
        numbers = [int(n) if whole else float(n) for n in ends if n is not None]
        found = [self.default, *self.declared.choices, *numbers]
        return tuple(dict.fromkeys(found))


def declared(
    algorithm: type,
    *names: str,
    features: Callable[[Values], Sequence[str]] | None = None,
    **details: Any,
) -> list[Declared]:
    """The hyperparameters of an algorithm as settings, such as ``ConeRank.alpha``.

    Parameters
    ----------
    algorithm : type
    *names : str
        Which; all but the seed where none is named.
    features : callable, optional
        As in `Declared`.
    **details
        Replace what the declaration says, such as ``group``.
    """
    found = hyperparameters(algorithm)
    wanted = names or [name for name in found if name != "random_state"]
    return [_declared(algorithm, found[name], features, details) for name in wanted]


def _declared(
    algorithm: type,
    row: Hyperparameter,
    features: Callable[[Values], Sequence[str]] | None,
    details: Mapping[str, Any],
) -> Declared:
    scale = ", log scale" if row.scale == "log" else ""
    ends = "" if row.low is None else f"{row.low:g} to {row.high:g}{scale}"
    said: dict[str, Any] = {
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
        features=features if row.words else None,
        **(said | dict(details)),
    )


def _applies(algorithm: type, row: Hyperparameter) -> Callable[[Values], bool]:
    return lambda values: row.applies(values.of(algorithm))
