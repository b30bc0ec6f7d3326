"""Settings: each declared once, and read by controls, links, lessons and tests.

A setting is a row of a view::

    NOISE = Number("cone_noise", 0.0, label="Noise", low=0.0, high=2.0, step=0.05,
                   meaning="Added to every feature, in standard deviations.")

Its control, its place in the link, the check of a lesson's value and the cases of the
contract test all follow from the row. Nothing here draws anything.
"""

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rankcore.charts.palette import Palette, algorithm_style, palette
from rankcore.hyperparameters import Hyperparameter, hyperparameters
from rankcore.numbers import quoted, read_number

MORE = "More settings"

Names = Mapping[str, str] | Sequence[str]


def _no_work(place: str) -> None:
    """The background work that a visitor without any looks at."""


class Values(Mapping[str, Any]):
    """The values of a view's settings, by key and as attributes.

    Parameters
    ----------
    values : dict
        Key → value.
    theme : {"light", "dark"}
        Of the visitor's screen.
    work : callable, optional
        ``work(place)`` is the background work that the visitor looked at last in
        another view, such as ``"margins/Rounds"``; None if there is none.
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        theme: str = "light",
        work: Callable[[str], Any] = _no_work,
    ) -> None:
        self._values = dict(values)
        self.theme = theme
        self.work = work

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, key: str) -> Any:
        try:
            return self.__dict__["_values"][key]
        except KeyError:
            raise AttributeError(f"There is no setting {key!r} here") from None

    @property
    def palette(self) -> Palette:
        """The colours of the visitor's theme."""
        return palette(self.theme)

    def style(self, algorithm: str) -> tuple[str, str]:
        """The colour and the marker of an algorithm, the same on every page."""
        return algorithm_style(algorithm, self.palette)

    def of(self, algorithm: type) -> dict[str, Any]:
        """The hyperparameters of an algorithm that are settings here, by name."""
        prefix = f"{algorithm.__name__}."
        return {
            key.removeprefix(prefix): value
            for key, value in self._values.items()
            if key.startswith(prefix)
        }

    def only(self, *keys: str) -> tuple[tuple[str, Any], ...]:
        """Some of the values, in a form that can be looked up in a cache."""
        return tuple((key, self._values[key]) for key in keys)

    def __or__(self, changes: Mapping[str, Any]) -> "Values":
        return Values(self._values | dict(changes), self.theme, self.work)


@dataclass(frozen=True)
class Setting:
    """One setting of the app.

    Attributes
    ----------
    key : str
        Its name in the link and in the session; the same on all pages that have it.
    default : value
    label, symbol, meaning : str
        What a person reads: a name, the symbol in LaTeX, one sentence on hover.
    group : str
        The title of the folded group it is drawn in; empty: always in sight.
    inline : bool
        Whether the view places its control beside its figures, with `view.Ask`.
    bare : bool
        Whether its label is for screen readers only.
    studied : bool
        Whether a study has to be made again when it changes.
    shown_when : callable, optional
        Whether it matters, from the values of the settings before it.
    note : callable, optional
        A line below its control, from the values up to its own.
    about : callable, optional
        Markdown to unfold below its control, from the values up to its own.
    computed : callable, optional
        Its value from those of the settings before it; such a setting is another way
        to change these, and is not in the link.
    writes : callable, optional
        The settings that change with it, from the values and its new value.
    """

    key: str
    default: Any
    label: str = ""
    symbol: str = ""
    meaning: str = ""
    group: str = dataclasses.field(default="", kw_only=True)
    inline: bool = dataclasses.field(default=False, kw_only=True)
    bare: bool = dataclasses.field(default=False, kw_only=True)
    studied: bool = dataclasses.field(default=True, kw_only=True)
    shown_when: Callable[[Values], bool] | None = dataclasses.field(
        default=None, kw_only=True
    )
    note: Callable[[Values], str] | None = dataclasses.field(default=None, kw_only=True)
    about: Callable[[Values], str] | None = dataclasses.field(
        default=None, kw_only=True
    )
    computed: Callable[[Values], Any] | None = dataclasses.field(
        default=None, kw_only=True
    )
    writes: Callable[[Values, Any], Mapping[str, Any]] | None = dataclasses.field(
        default=None, kw_only=True
    )

    @property
    def title(self) -> str:
        """The label with the symbol, in Markdown."""
        return f"{self.label} &ensp;${self.symbol}$" if self.symbol else self.label

    def beside(self) -> Self:
        """The same setting, its control beside the figures."""
        return dataclasses.replace(self, inline=True, group="")

    def silent(self) -> Self:
        """The same setting, its label for screen readers only."""
        return dataclasses.replace(self, bare=True)

    def plain(self) -> Self:
        """The same setting, its control always in sight."""
        return dataclasses.replace(self, inline=False, group="")

    def check(self, value: Any) -> Any:
        """The value in its own type.

        Raises
        ------
        ValueError
            If it is not permitted; the sentence says what is.
        """
        if isinstance(value, str):
            return value
        raise ValueError(f"{self.key} must be text, not {quoted(str(value))}")

    def parse(self, text: str) -> Any:
        """The value that a text stands for, as links and lessons write it.

        Raises
        ------
        ValueError
            As `check`.
        """
        return self.check(text)

    def format(self, value: Any) -> str:
        """The text that `parse` reads back as ``value``."""
        return str(value)

    def fitted(self, value: Any, values: Values) -> Any:
        """The value as it counts beside those of the settings before it.

        What a view cannot use, as after a change of data, gives way to the default.
        """
        try:
            return self.check(value)
        except ValueError:
            return self.default

    def examples(self, values: Values) -> Sequence[Any]:
        """Values that a test tries: both ends, every choice."""
        return (self.default,)


@dataclass(frozen=True)
class Number(Setting):
    """A number: a slider, or a box where it has no end or ``box`` is set.

    Attributes
    ----------
    low, high : float or None
        Both ends included; without ``high`` it has no end.
    step : float, optional
    whole : bool
    stops : sequence of float
        The values there are, where they are few.
    box : bool
    limits : callable, optional
        The range (low, high) that depends on the settings before it, as on the data.
    """

    low: float | None = None
    high: float | None = None
    step: float | None = None
    whole: bool = False
    stops: Sequence[float] = ()
    box: bool = False
    limits: Callable[[Values], tuple[float, float]] | None = None

    def range(self, values: Values) -> tuple[float | None, float | None]:
        """The ends beside these values."""
        return (self.low, self.high) if self.limits is None else self.limits(values)

    def check(self, value: Any) -> Any:
        kind = "a whole number" if self.whole else "a number"
        number = isinstance(value, int | float | np.number)
        if not number or isinstance(value, bool) or (self.whole and value % 1):
            raise ValueError(f"{self.key} must be {kind}, not {quoted(str(value))}")
        if self.stops:
            if value not in self.stops:
                offered = ", ".join(f"{stop:g}" for stop in self.stops)
                raise ValueError(
                    f"{self.key} must be one of {offered}, not {quoted(str(value))}"
                )
        elif not self._least() <= value <= self._most():
            raise ValueError(
                f"{self.key} must be {self._range_text()}, not {quoted(str(value))}"
            )
        return int(value) if self.whole else float(value)

    def parse(self, text: str) -> Any:
        try:
            number = read_number(text, whole=self.whole)
        except ValueError:
            return self.check(text)
        return self.check(number)

    def format(self, value: Any) -> str:
        if self.whole:
            return str(int(value))
        return f"{value:g}" if float(f"{value:g}") == value else repr(float(value))

    def fitted(self, value: Any, values: Values) -> Any:
        value = super().fitted(value, values)
        low, high = self.range(values)
        if low is not None and value < low:
            value = low
        if high is not None and value > high:
            value = low if self.limits is not None else high
        return int(value) if self.whole else float(value)

    def examples(self, values: Values) -> Sequence[Any]:
        low, high = self.range(values)
        ends = [n for n in (low, high) if n is not None]
        found = self.stops or [*ends, self.default]
        return tuple(dict.fromkeys(int(n) if self.whole else float(n) for n in found))

    def _least(self) -> float:
        return -math.inf if self.low is None else self.low

    def _most(self) -> float:
        return math.inf if self.high is None else self.high

    def _range_text(self) -> str:
        if self.low is None:
            return "a number"
        if self.high is None:
            return f"at least {self.low:g}"
        return f"from {self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class Choice(Setting):
    """One of a few names: buttons in a row.

    Attributes
    ----------
    names : dict, sequence, or function of the values before it
        Name in the link → label on the page; of a sequence both are the same.
    every : sequence of str, or function without parameters
        Where ``names`` is a function: the names that it may give; empty: any.
    """

    names: Names | Callable[[Values], Names] = ()
    every: Sequence[str] | Callable[[], Sequence[str]] = ()

    def labels(self, values: Values) -> dict[str, str]:
        """Name → label, of what is offered beside these values."""
        names = self.names(values) if callable(self.names) else self.names
        return (
            dict(names)
            if isinstance(names, Mapping)
            else {name: name for name in names}
        )

    def check(self, value: Any) -> Any:
        every = self.every() if callable(self.every) else self.every
        offered = every if callable(self.names) else self.labels(Values({}))
        if offered and value not in offered:
            raise ValueError(
                f"{self.key} must be one of {', '.join(offered)}, "
                f"not {quoted(str(value))}"
            )
        return super().check(value)

    def fitted(self, value: Any, values: Values) -> Any:
        offered = self.labels(values)
        if value in offered or not offered:
            return value
        return self.default if self.default in offered else next(iter(offered))

    def examples(self, values: Values) -> Sequence[Any]:
        return tuple(self.labels(values))


@dataclass(frozen=True)
class Radio(Choice):
    """One of a few names that are phrases: one below the other."""


@dataclass(frozen=True)
class Stops(Choice):
    """One of a few names in order: a slider."""


@dataclass(frozen=True)
class Listed(Choice):
    """One of many names: a box that one can search.

    Attributes
    ----------
    reads : callable, optional
        Any other text may be typed that this accepts; it returns the value, or raises
        ``ValueError`` with a sentence.
    """

    reads: Callable[[str], str] | None = None

    def check(self, value: Any) -> Any:
        return super().check(value) if self.reads is None else self.reads(str(value))

    def fitted(self, value: Any, values: Values) -> Any:
        if self.reads is None:
            return super().fitted(value, values)
        try:
            return self.reads(str(value))
        except ValueError:
            return self.default


@dataclass(frozen=True)
class Several(Choice):
    """Any of a few names, as a tuple.

    Attributes
    ----------
    least, most : int
        How many there are to be.
    boxed : bool
        Whether it is drawn as a box that one can search, rather than as buttons.
    """

    least: int = 0
    most: int | None = None
    boxed: bool = False

    def check(self, value: Any) -> Any:
        chosen = tuple(value)
        for name in chosen:
            super().check(name)
        return chosen

    def parse(self, text: str) -> Any:
        return self.check(tuple(filter(None, (t.strip() for t in text.split(",")))))

    def format(self, value: Any) -> str:
        return ",".join(value)

    def fitted(self, value: Any, values: Values) -> Any:
        offered = self.labels(values)
        chosen = [name for name in dict.fromkeys(value) if name in offered][: self.most]
        return tuple(chosen) if len(chosen) >= self.least else self.preset(values)

    def preset(self, values: Values) -> tuple[str, ...]:
        """What is chosen where nothing usable is."""
        offered = self.labels(values)
        own = tuple(name for name in self.default if name in offered)
        return own if len(own) >= self.least else tuple(offered)[: self.least]

    def examples(self, values: Values) -> Sequence[Any]:
        return (self.preset(values), tuple(self.labels(values))[: self.most])


@dataclass(frozen=True)
class Text(Setting):
    """A value that is written out, such as a list of documents.

    Attributes
    ----------
    read : callable
        Returns what a text stands for, or None.
    rule : str
        How it is written, as a sentence for those who wrote something else.
    long : bool
        Whether it may take several lines.
    """

    read: Callable[[str], Any] = str
    rule: str = ""
    long: bool = False

    def check(self, value: Any) -> Any:
        if value == self.default or self.read(str(value)) is not None:
            return str(value)
        raise ValueError(f"{self.key} cannot be {quoted(str(value))}. {self.rule}")


@dataclass(frozen=True)
class Ranking(Text):
    """A hand-sized ranking that is dragged into order: ``C2-A0-B1``."""


@dataclass(frozen=True)
class Points(Setting):
    """Points that can be dragged, as text: ``1,0;-1,1``; empty: where they begin.

    Attributes
    ----------
    start : (n, d) array, or function of the values before it
        Where they begin.
    names : sequence of str
        What the points are called.
    """

    start: Any = None
    names: Sequence[str] = ()

    LARGEST = 1000.0
    DIGITS = 3

    def begins(self, values: Values) -> np.ndarray:
        """(n, d) the points where they begin."""
        return np.array(self.start(values) if callable(self.start) else self.start)

    def points(self, values: Values) -> np.ndarray:
        """(n, d) the points; where they begin, if the text is not as many."""
        begins = self.begins(values)
        found = self._read(str(values[self.key]))
        return begins if found is None or found.shape != begins.shape else found

    def moved(self, values: Values, place: int, at: Sequence[float]) -> dict[str, str]:
        """The change that puts one of the points elsewhere; none if it is too far."""
        points = self.points(values)
        if not (0 <= place < len(points) and all(abs(n) <= self.LARGEST for n in at)):
            return {}
        points[place] = at
        return {self.key: self.written(points)}

    def written(self, points: np.ndarray) -> str:
        """Points as links hold them, rounded as a hand would write them."""
        rounded = np.round(points, self.DIGITS) + 0.0
        rows = (",".join(f"{n:g}" for n in row) for row in rounded.tolist())
        return ";".join(rows)

    def check(self, value: Any) -> Any:
        if value == "" or self._read(str(value)) is not None:
            return str(value)
        raise ValueError(
            f"{self.key} cannot be {quoted(str(value))}; write points as 1,0;-1,1"
        )

    def _read(self, text: str) -> np.ndarray | None:
        try:
            rows = [
                [float(read_number(n)) for n in point.split(",")]
                for point in text.split(";")
            ]
        except ValueError:
            return None
        if len({len(row) for row in rows}) > 1:
            return None
        if not all(abs(n) <= self.LARGEST for row in rows for n in row):
            return None
        return np.array(rows)


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


def read(
    settings: Sequence[Setting],
    raw: Mapping[str, Any],
    theme: str = "light",
    work: Callable[[str], Any] = _no_work,
) -> Values:
    """The values of settings: what has been chosen, as it counts, else the defaults.

    Each may depend on those before it. One that does not matter has its default.
    ``theme`` and ``work`` are those of `Values`.
    """
    found: dict[str, Any] = {}
    for setting in settings:
        values = Values(found, theme, work)
        if setting.computed is not None:
            found[setting.key] = setting.computed(values)
        elif setting.shown_when is None or setting.shown_when(values):
            found[setting.key] = setting.fitted(
                raw.get(setting.key, setting.default), values
            )
        else:
            found[setting.key] = setting.default
    return Values(found, theme, work)
