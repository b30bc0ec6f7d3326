"""Settings of plain kinds: numbers, choices, texts."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any
from urllib.parse import unquote

import numpy as np

from rankcore.base.numbers import labelled, quoted, read_number
from rankcore.views.settings import Setting, Values

Names = Mapping[str, str] | Sequence[str]

# With more names than this, a message lists only the nearest ones, or the first.
MOST_NAMED, MOST_NEAR = 12, 3


@dataclass(frozen=True)
class Number(Setting):
    """A number: a slider, or a box if it has no upper end or ``box`` is set.

    Attributes
    ----------
    low, high : float or None
        Both ends included; without ``high`` it has no end.
    step : float, optional
    stops : sequence of float
        The allowed values, if they are few.
    limits : callable, optional
        The range (low, high), if it depends on earlier settings, such as the data.
    names : callable, optional
        The names of its integer values from the lowest to the highest; it is then drawn
        as a searchable box.
    """

    low: float | None = None
    high: float | None = None
    step: float | None = None
    whole: bool = False
    stops: Sequence[float] = ()
    box: bool = False
    limits: Callable[[Values], tuple[float, float]] | None = None
    names: Callable[[Values], Sequence[str]] | None = None

    def range(self, values: Values) -> tuple[float | None, float | None]:
        """Return the ends, given these values of other settings."""
        return (self.low, self.high) if self.limits is None else self.limits(values)

    def stop_labels(self, values: Values) -> Mapping[Any, str]:
        return labelled(self.stops)

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
                f"{self.key} must be {_ends(self.low, self.high)}, not "
                f"{quoted(str(value))}"
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

    def refusal(self, value: Any, values: Values) -> str | None:
        if self.fitted(value, values) == value:
            return None
        ends = _ends(*self.range(values))
        return f"{self.key} must be {ends} here, not {self.format(value)}"

    def examples(self, values: Values) -> Sequence[Any]:
        low, high = self.range(values)
        ends = [n for n in (low, high) if n is not None]
        numbers = self.stops or [*ends, self.default]
        return tuple(dict.fromkeys(int(n) if self.whole else float(n) for n in numbers))

    def _least(self) -> float:
        return -math.inf if self.low is None else self.low

    def _most(self) -> float:
        return math.inf if self.high is None else self.high


@dataclass(frozen=True)
class Choice(Setting):
    """One of a few names: buttons in a row.

    Attributes
    ----------
    names : dict, sequence, or function of the values before it
        Label on the page by name in the link; in a sequence both are the same.
    every : sequence of str, or function without parameters
        If ``names`` is a function: the names that it may return; empty: any.
    """

    names: Names | Callable[[Values], Names] = ()
    every: Sequence[str] | Callable[[], Sequence[str]] = ()

    def labels(self, values: Values) -> dict[str, str]:
        """Labels by name of the values on offer, given other settings' values."""
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
            raise ValueError(_none_of(self.key, offered, value))
        return super().check(value)

    def fitted(self, value: Any, values: Values) -> Any:
        offered = self.labels(values)
        if value in offered or not offered:
            return value
        return self.default if self.default in offered else next(iter(offered))

    def refusal(self, value: Any, values: Values) -> str | None:
        if self.fitted(value, values) == value:
            return None
        return _none_of(self.key, self.labels(values), value)

    def examples(self, values: Values) -> Sequence[Any]:
        return tuple(self.labels(values))


@dataclass(frozen=True)
class Radio(Choice):
    """One of a few names that are phrases, shown one below the other."""


@dataclass(frozen=True)
class Stops(Choice):
    """One of a few names in order: a slider."""

    def stop_labels(self, values: Values) -> Mapping[Any, str]:
        return self.labels(values)


@dataclass(frozen=True)
class Listed(Choice):
    """One of many names: a searchable box.

    Attributes
    ----------
    reads : callable, optional
        Reads other typed texts; returns the value, or raises ``ValueError`` with a
        sentence.
    lines : callable, optional
        A line about each name; a list of names with these lines then unfolds below the
        box.
    """

    reads: Callable[[str], str] | None = None
    lines: Callable[[Values], Mapping[str, str]] | None = None

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
        Limits of the number of names.
    boxed : bool
        Whether it is drawn as a searchable box rather than as buttons.
    reads : callable, optional
        As in `Listed`, for each name.
    """

    least: int = 0
    most: int | None = None
    boxed: bool = False
    reads: Callable[[str], str] | None = None

    def check(self, value: Any) -> Any:
        if self.reads is not None:
            return tuple(dict.fromkeys(self.reads(str(name)) for name in value))
        chosen = tuple(value)
        for name in chosen:
            super().check(name)
        return chosen

    def parse(self, text: str) -> Any:
        return self.check(tuple(filter(None, (t.strip() for t in text.split(",")))))

    def format(self, value: Any) -> str:
        return ",".join(value)

    def fitted(self, value: Any, values: Values) -> Any:
        chosen = [n for n in dict.fromkeys(value) if self._usable(n, values)]
        first = tuple(chosen[: self.most])
        return first if len(first) >= self.least else self.preset(values)

    def refusal(self, value: Any, values: Values) -> str | None:
        if self.fitted(value, values) == tuple(value):
            return None
        for name in value:
            if self.reads is None and not self._usable(name, values):
                return _none_of(self.key, self.labels(values), name)
        if self.most is not None and len(value) > self.most:
            return f"{self.key} takes at most {self.most} names, not {len(value)}"
        return f"{self.key} takes at least {self.least} names, not {len(value)}"

    def _usable(self, name: str, values: Values) -> bool:
        if self.reads is None:
            return name in self.labels(values)
        try:
            return self.reads(name) == name
        except ValueError:
            return False

    def preset(self, values: Values) -> tuple[str, ...]:
        """Return the choice if no usable one was made."""
        offered = self.labels(values)
        chosen = tuple(name for name in self.default if name in offered)
        return chosen if len(chosen) >= self.least else tuple(offered)[: self.least]

    def examples(self, values: Values) -> Sequence[Any]:
        return (self.preset(values), tuple(self.labels(values))[: self.most])


@dataclass(frozen=True)
class AllBut(Several):
    """A choice of names to leave out, at most all but one; names may contain commas."""

    def parse(self, text: str) -> Any:
        return tuple(map(unquote, super().parse(text)))

    def format(self, value: Any) -> str:
        return ",".join(n.replace("%", "%25").replace(",", "%2C") for n in value)

    def fitted(self, value: Any, values: Values) -> Any:
        offered = self.labels(values)
        names = tuple(n for n in dict.fromkeys(value) if n in offered or not offered)
        return names[: len(offered) - 1] if offered else names

    def refusal(self, value: Any, values: Values) -> str | None:
        offered = self.labels(values)
        unknown = next((name for name in value if name not in offered), None)
        if unknown is not None:
            return _none_of(self.key, offered, unknown)
        every = len(set(value)) == len(offered)
        one = f"{self.key} names all {len(offered)}, but at least one must remain"
        return one if every else None

    def examples(self, values: Values) -> Sequence[Any]:
        return ((), tuple(self.labels(values))[:1])


@dataclass(frozen=True)
class Text(Setting):
    """A value written as text, such as a list of documents.

    Attributes
    ----------
    read : callable
        Returns the value of a text, or None.
    rule : str
        The expected form, as a sentence for messages about other texts.
    long : bool
        Whether it may take several lines.
    fault : callable, optional
        Why a link's text does not fit the other settings, as a sentence; None if it
        fits.
    """

    read: Callable[[str], Any] = str
    rule: str = ""
    long: bool = False
    fault: Callable[[str, Values], str | None] | None = None

    def check(self, value: Any) -> Any:
        if value == self.default or self.read(str(value)) is not None:
            return str(value)
        raise ValueError(f"{self.key} cannot be {quoted(str(value))}. {self.rule}")

    def in_link(self, values: Values) -> Any:
        """Return what names nothing any more, as after a change of data, is left
        out."""
        value = super().in_link(values)
        return self.default if self.refusal(value, values) else value

    def refusal(self, value: Any, values: Values) -> str | None:
        if self.fault is None or value == self.default:
            return super().refusal(value, values)
        return self.fault(str(value), values)


@dataclass(frozen=True)
class DraggedRanking(Text):
    """A hand-sized ranking that is dragged into order: ``C2-A0-B1``."""


def distinct(labels: Mapping[str, str]) -> dict[str, str]:
    """Return the labels, with names added to equal ones, because a browser reports
    labels."""
    times = Counter(labels.values())
    return {
        name: f"{label} ({name})" if times[label] > 1 else label
        for name, label in labels.items()
    }


def _ends(low: float | None, high: float | None) -> str:
    """Return a range in words, after "must be"."""
    if low is None:
        return "a number" if high is None else f"at most {high:g}"
    if high is None:
        return f"at least {low:g}"
    return f"{low:g}" if low == high else f"from {low:g} to {high:g}"


def _none_of(key: str, offered: Collection[str], value: Any) -> str:
    """Return the message that a value is not on offer; of many names, it lists the
    nearest."""
    names = [str(name) for name in offered if name != ""]
    if len(names) <= MOST_NAMED:
        return f"{key} must be one of {', '.join(names)}, not {quoted(str(value))}"
    folded = {name.lower(): name for name in names}
    near = get_close_matches(str(value).lower(), folded, n=MOST_NEAR, cutoff=0.5)
    nearest = [folded[name] for name in near] or names
    return (
        f"{key} must be one of {len(names)} names such as "
        f"{', '.join(nearest[:MOST_NEAR])}, not {quoted(str(value))}"
    )
