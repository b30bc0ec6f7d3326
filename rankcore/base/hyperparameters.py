"""Hyperparameters: declared once, used everywhere.

An algorithm declares each hyperparameter as a dataclass field::

    g: float = real(0.0, low=0.0, high=250.0, scale="log", symbol="g",
                    meaning="Weight of the l1 penalty; more g, fewer features.")

Controls, command-line options, link parameters, sweep axes, validation errors and the
documentation table are all generated from that declaration.
"""

import dataclasses
import inspect
import math
import numbers
import textwrap
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from rankcore.base.grids import grid
from rankcore.base.numbers import quoted, read_number, rounded, shortest
from rankcore.base.spellings import british
from rankcore.base.symbols import plain

Value = float | int | str | bool | None

# Kernels and tree libraries use 32-bit integers.
LARGEST_WHOLE = 10**9

AUTO = "auto"
_KEY = "hyperparameter"


@dataclass(frozen=True)
class Hyperparameter:
    """One declared hyperparameter.

    Attributes
    ----------
    name : str
        The constructor argument, for example ``"learning_rate"``.
    kind : {"real", "integer", "choice"}
    default : value
    low, high : float or None
        The range that controls offer and sweeps cover.
    minimum, maximum : float or None
        Hard limits, both inclusive; None where there is none.
    scale : {"linear", "log"}
        The scale of a control and a chart axis. A log scale may start at zero, for
        which the control then has a separate stop.
    choices : tuple of str
        The values of a ``"choice"``.
    special : tuple of str
        Named values a number may take instead, for example ``("auto",)``.
    words : bool
        Whether any other text is also a value, such as the name of a feature; for a
        choice, features with signs.
    optional : bool
        Whether None is a value ("none" in links and on the command line).
    symbol : str
        The paper's symbol in LaTeX; empty where the paper has none.
    label : str
        Its name in words, if the argument's name is not clear enough.
    meaning : str
        One sentence for tooltips and help texts.
    sweep : tuple
        Values for a quick sweep.
    shown_when : dict
        Values of other hyperparameters for which this one matters; empty: always.
    advanced : bool
        Whether the default suits almost all users; controls then hide it.
    while_running : bool
        Whether it may change while the algorithm runs; see `rankcore.training.changes`.
    unwritten : bool
        Whether stored settings omit its default, as settings older than its declaration
        do.
    """

    name: str
    kind: Literal["real", "integer", "choice"]
    default: Value
    meaning: str
    low: float | None = None
    high: float | None = None
    minimum: float | None = None
    maximum: float | None = None
    scale: Literal["linear", "log"] = "linear"
    choices: tuple[str, ...] = ()
    special: tuple[str, ...] = ()
    words: bool = False
    optional: bool = False
    symbol: str = ""
    label: str = ""
    sweep: tuple[Value, ...] = ()
    shown_when: Mapping[str, tuple[Value, ...]] = dataclasses.field(
        default_factory=dict
    )
    advanced: bool = False
    while_running: bool = False
    unwritten: bool = False

    @property
    def title(self) -> str:
        """Its label, or else its name in words: ``learning_rate`` → Learning rate,
        ``n_restarts`` → Number of restarts."""
        words = self.label or self.name.replace("_", " ").strip()
        if words.startswith("n "):
            words = f"number of {words[2:]}"
        return words[:1].upper() + words[1:]

    @property
    def brief(self) -> str:
        """Its symbol, or else its title, for the names of runs: ``g``, ``η``."""
        return plain(self.symbol) if self.symbol else self.title.lower()

    @property
    def column_title(self) -> str:
        """Its title and symbol, for a column header: ``learning rate (η)``."""
        title = self.title[:1].lower() + self.title[1:]
        symbol = plain(self.symbol) if self.symbol else title
        return title if symbol == title else f"{title} ({symbol})"

    @property
    def varies(self) -> bool:
        """Whether it has a range, or choices to try; a choice that also takes words,
        such as signs of features, expresses prior knowledge instead."""
        if self.kind == "choice":
            return len(self.choices) > 1 and not self.words
        return self.low is not None and self.high is not None

    @property
    def range_text(self) -> str:
        """The permitted values in words, for messages and tables."""
        if self.kind == "choice":
            return "one of " + ", ".join(self.choices)
        kind = "a whole number" if self.kind == "integer" else "a number"
        if self.minimum is not None and self.maximum is not None:
            text = f"{kind} from {self.minimum:.10g} to {self.maximum:.10g}"
        elif self.minimum is not None:
            text = f"{kind} of at least {self.minimum:.10g}"
        elif self.maximum is not None:
            text = f"{kind} of at most {self.maximum:.10g}"
        else:
            text = kind
        extras = [repr(word) for word in self.special]
        if self.words:
            extras.append("a list" if self.kind == "choice" else "a name")
        return " or ".join([text, *extras, *(["none"] if self.optional else [])])

    def applies(self, settings: Mapping[str, Any]) -> bool:
        """Whether this hyperparameter matters for the values of the others."""
        return all(
            settings.get(name) in values for name, values in self.shown_when.items()
        )

    def check(self, value: Any) -> Any:
        """Return ``value`` in the hyperparameter's type.

        Raises
        ------
        ValueError
            If the value is not permitted; the message names the permitted values.
        """
        if value is None and self.optional:
            return None
        if isinstance(value, str):
            if value in self.choices or value in self.special:
                return value
            if self.words and value.strip():
                return value
        elif self.kind != "choice" and self._in_range(value):
            return int(value) if self.kind == "integer" else float(value)
        raise ValueError(f"{self.name} must be {self.range_text}, not {quoted(value)}.")

    def _in_range(self, value: Any) -> bool:
        expected: Any = numbers.Integral if self.kind == "integer" else numbers.Real
        if not isinstance(value, expected) or isinstance(value, bool):
            return False
        try:
            finite = math.isfinite(value)
        except OverflowError:
            return False
        return (
            finite
            and (self.minimum is None or value >= self.minimum)
            and (self.maximum is None or value <= self.maximum)
        )

    def parse(self, text: str) -> Any:
        """Read a value from a link or the command line; the inverse of `format`.

        Raises
        ------
        ValueError
            As in `check`.
        """
        text = text.strip()
        if self.optional and text.lower() == "none":
            return None
        if text in self.choices or text in self.special:
            return text
        try:
            number = read_number(text, whole=self.kind == "integer")
        except ValueError:
            return self.check(text)
        return self.check(number)

    def format(self, value: Any) -> str:
        """Return a text from which `parse` reads the same value."""
        if value is None:
            return "none"
        return f"{value!r}" if isinstance(value, float) else str(value)

    def short(self, value: Any) -> str:
        """Return the shortest text from which `parse` reads ``value``."""
        return shortest(value)

    def with_value(self, value: Any) -> str:
        """Return its symbol or title with a rounded value, such as ``λ = 0.1``."""
        return f"{self.brief} = {rounded(value)}"

    def stops(self, *wanted: Value, automatic: float | None = None) -> list[Value]:
        """Return the values that a control offers.

        Parameters
        ----------
        *wanted : value
            Further values to include, such as one from a link.
        automatic : float, optional
            The value of ``"auto"``, which is then sorted among the numbers, so that the
            next stop is the next value.

        Returns
        -------
        list of value
            A ``"choice"`` has only its choices. Otherwise ``special`` values, None if
            it is a value, and names come first; then numbers in ascending order: those
            of `rankcore.base.grids.grid`, the default, the quick sweep and ``wanted``.
        """
        if self.kind == "choice":
            return list(self.choices)
        words: list[Value] = [*self.special, *([None] if self.optional else [])]
        words += [v for v in wanted if isinstance(v, str) and v not in words]
        extra = [self.default, *self.sweep, *wanted]
        numbers = {v for v in extra if isinstance(v, int | float)}
        whole = self.kind == "integer"
        if self.low is not None and self.high is not None:
            numbers |= set(grid(self.low, self.high, self.scale, whole=whole))
        rising = sorted({round(n) for n in numbers} if whole else numbers)
        if automatic is None or AUTO not in words:
            return [*words, *rising]
        words.remove(AUTO)
        at = bisect_left(rising, automatic)
        return [*words, *rising[:at], AUTO, *rising[at:]]

    def place(
        self, number: float, stops: Sequence[Value], automatic: float | None = None
    ) -> float:
        """Return the position, from 0 to 1, of a number on a track with equally spaced
        stops; numbers beyond the stops are at its ends.

        Parameters
        ----------
        stops : sequence of value
            At least two, as returned by `stops`.
        automatic : float, optional
            As in `stops`.
        """
        values = [automatic if stop == AUTO else stop for stop in stops]
        numbers = [(v, at) for at, v in enumerate(values) if isinstance(v, int | float)]
        low = next((one for one in reversed(numbers) if one[0] <= number), numbers[0])
        high = next((one for one in numbers if one[0] >= number), numbers[-1])
        share = (number - low[0]) / (high[0] - low[0]) if high[0] > low[0] else 0.0
        place = low[1] + min(max(share, 0.0), 1.0) * (high[1] - low[1])
        return place / (len(stops) - 1)


def real(
    default: float | str | None,
    *,
    low: float,
    high: float,
    meaning: str,
    minimum: float | None = None,
    maximum: float | None = None,
    **details: Any,
) -> Any:
    """Declare a real hyperparameter; see `Hyperparameter` for the details.

    By default the hard minimum is ``low``, and there is no hard maximum.
    """
    minimum = low if minimum is None else minimum
    return _field(
        "real", default, meaning, low, high, minimum=minimum, maximum=maximum, **details
    )


def integer(
    default: int | str | None,
    *,
    low: int,
    high: int,
    meaning: str,
    minimum: int | None = None,
    maximum: int | None = None,
    **details: Any,
) -> Any:
    """Declare an integer hyperparameter; limits as in `real`, but the hard maximum is
    by default `LARGEST_WHOLE`."""
    minimum = low if minimum is None else minimum
    maximum = LARGEST_WHOLE if maximum is None else maximum
    return _field(
        "integer",
        default,
        meaning,
        low,
        high,
        minimum=minimum,
        maximum=maximum,
        **details,
    )


def logarithmic(default: Value, span: tuple[float, float], **details: Any) -> Any:
    """Declare a hyperparameter on a logarithmic scale by the lowest and the highest
    value in controls; it is an integer if these are, and otherwise has a hard minimum,
    by default 0."""
    low, high = span
    whole = isinstance(low, int)
    declare: Callable[..., Any] = integer if whole else real
    usual = {} if whole else {"minimum": 0.0}
    return declare(default, low=low, high=high, scale="log", **usual | details)


def first_positions(
    default: int | None,
    meaning: str,
    sweep: tuple[int | None, ...],
    *,
    optional: bool = True,
    **details: Any,
) -> Any:
    """Declare k, the number of top positions that count; where it is optional, None
    means the whole list."""
    return integer(
        default,
        low=1,
        high=100,
        optional=optional,
        symbol="k",
        meaning=meaning,
        sweep=sweep,
        **details,
    )


def choice(
    default: str, choices: tuple[str, ...], *, meaning: str, **details: Any
) -> Any:
    """Declare a hyperparameter with a few named values."""
    return _field("choice", default, meaning, choices=choices, **details)


def _field(
    kind: Literal["real", "integer", "choice"],
    default: Value,
    meaning: str,
    low: float | None = None,
    high: float | None = None,
    **details: Any,
) -> Any:
    declared = Hyperparameter("", kind, default, meaning, low, high, **details)
    return dataclasses.field(default=default, metadata={_KEY: declared})


def hyperparameters(algorithm: Any) -> dict[str, Hyperparameter]:
    """Return the declared hyperparameters of an algorithm or its class.

    Those declared by the class itself come first, then those of its nearest base and so
    on, each in the order of declaration. A redeclared one, for example with another
    default, keeps its place.

    Parameters
    ----------
    algorithm : Ranker or type

    Returns
    -------
    dict of str to Hyperparameter
    """
    return dict(
        _declared(algorithm if isinstance(algorithm, type) else type(algorithm))
    )


@lru_cache(maxsize=128)
def _declared(cls: type) -> dict[str, Hyperparameter]:
    declared = {
        field.name: dataclasses.replace(field.metadata[_KEY], name=field.name)
        for field in dataclasses.fields(cls)
        if _KEY in field.metadata
    }
    lineage = [inspect.get_annotations(base) for base in cls.__mro__]

    def distance(name: str) -> int:
        return max(i for i, names in enumerate(lineage) if name in names)

    return {name: declared[name] for name in sorted(declared, key=distance)}


def stored_settings(algorithm: Any) -> dict[str, Any]:
    """Return the values of an algorithm's hyperparameters by name, as stored with runs
    and models."""
    return {
        name: getattr(algorithm, name)
        for name, row in hyperparameters(algorithm).items()
        if not row.unwritten or getattr(algorithm, name) != row.default
    }


# Indentation of the description of a parameter.
_IN = "    "


def parameters_section(cls: type) -> str:
    """Return the section *Parameters* of a class's docstring, by numpydoc's rules."""
    rows = [
        f"{name} : {_type_words(row)}, default {row.default!r}\n"
        + textwrap.fill(row.meaning, 88, initial_indent=_IN, subsequent_indent=_IN)
        for name, row in hyperparameters(cls).items()
    ]
    return "\n".join(["Parameters", "----------", *rows])


def _type_words(row: Hyperparameter) -> str:
    """Return the values of a hyperparameter as numpydoc writes a type."""
    words = {"real": ["float"], "integer": ["int"], "choice": []}[row.kind]
    words = [*words, *map(repr, row.special), *(["str"] if row.words else [])]
    if row.choices:
        words.append(f"{{{', '.join(map(repr, row.choices))}}}")
    return " or ".join([*words, *(["None"] if row.optional else [])])


def in_words(algorithm: Any, settings: Mapping[str, Any]) -> str:
    """Return the settings of a run that differ from the defaults, except the seed.

    Examples
    --------
    >>> from rankcore.algorithms import get_algorithm
    >>> in_words(get_algorithm("RSRank"), {"g": 10.0, "learning_rate": 0.5})
    'g = 10, η = 0.5'
    """
    declared = hyperparameters(algorithm)
    values = {name: row.default for name, row in declared.items()} | dict(settings)
    return ", ".join(
        row.with_value(values[name])
        for name, row in declared.items()
        if name != "random_state"
        and values[name] != row.default
        and row.applies(values)
    )


def column_titles(*algorithms: Any) -> dict[str, str]:
    """Return the column titles of algorithms' hyperparameters in tables, by name.

    Examples
    --------
    >>> from rankcore.algorithms import get_algorithm
    >>> column_titles(get_algorithm("RSRank"))["learning_rate"]
    'learning rate (η)'
    """
    rows = [row for each in algorithms for row in hyperparameters(each).values()]
    return {row.name: row.column_title for row in reversed(rows)}


def hyperparameter(algorithm: Any, text: str) -> Hyperparameter:
    """Return the hyperparameter of an algorithm that a user calls ``text``.

    Parameters
    ----------
    algorithm : Ranker or type
    text : str
        Its name (``learning_rate``, ``learning-rate``), also in American spelling, its
        symbol as a letter or in LaTeX (``η``, ``eta``), or "seed".

    Raises
    ------
    ValueError
        If there is none; the message lists the existing ones.

    Examples
    --------
    >>> from rankcore.algorithms import get_algorithm
    >>> hyperparameter(get_algorithm("RSRank"), "eta").name
    'learning_rate'
    """
    declared, wanted = hyperparameters(algorithm), text.strip()
    name = british(wanted.replace("-", "_"), declared)
    for row in declared.values():
        alias = "seed" if row.name == "random_state" else row.name
        if name.lower() in (row.name.lower(), alias):
            return row
    for row in declared.values():
        if row.symbol and wanted in (row.symbol, row.symbol[1:], plain(row.symbol)):
            return row
    cls = algorithm if isinstance(algorithm, type) else type(algorithm)
    names = ", ".join(
        f"{row.name} ({plain(row.symbol)})" if row.symbol else row.name
        for row in declared.values()
    )
    raise ValueError(
        f"{cls.__name__} has no hyperparameter {quoted(text)}; it has {names}."
    )


def check_all(algorithm: Any) -> None:
    """Check every hyperparameter of an algorithm.

    Raises
    ------
    ValueError
        For the first invalid value.
    """
    for name, declared in hyperparameters(algorithm).items():
        declared.check(getattr(algorithm, name))
