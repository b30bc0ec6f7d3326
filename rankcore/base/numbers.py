"""Numbers as text, in links, options, lessons and names of measures, and in JSON."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

# The table entry of a model that ties all documents of every query.
RANKS_NOTHING = "ranks nothing"
SHOWN = 40
DIGITS = 6

Shown = TypeVar("Shown")

# Integers of 15 digits are exact in JSON, in browsers and in arrays.
_WHOLE = re.compile(r"[+-]?[0-9]{1,15}")
_REAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def read_number(text: str, whole: bool = False) -> int | float:
    """Read a number in the decimal notation of ASCII: ``12``, ``-0.5``, ``1e-3``.

    Parameters
    ----------
    text : str
        The number, optionally surrounded by blanks; not ``1_000``, ``0x10``, ``inf``,
        ``nan`` or digits of other scripts.
    whole : bool
        Whether it must be an integer of at most 15 digits.

    Raises
    ------
    ValueError
        If it is not such a number, or not finite.

    Examples
    --------
    >>> read_number(" 1e-3 "), read_number("007", whole=True)
    (0.001, 7)
    """
    kind = "a whole number" if whole else "a number"
    word = text.strip()
    if whole and _WHOLE.fullmatch(word):
        return int(word)
    if not whole and _REAL.fullmatch(word) and math.isfinite(float(word)):
        return float(word)
    raise ValueError(f"{quoted(text)} is not {kind} that can be used here.")


def label_text(label: float) -> str:
    """Write a relevance label, fractions with three digits.

    Examples
    --------
    >>> label_text(2), label_text(7 / 3)
    ('2', '2.33')
    """
    return str(int(label)) if label == int(label) else three_digits(label)


def three_digits(value: float) -> str:
    """Write a number with three significant digits; NaN is "undefined".

    Below 0.001, and from 1000, it has two digits and a power of ten.

    Examples
    --------
    >>> three_digits(2 / 3), three_digits(0.00012345)
    ('0.667', '1.2 · 10⁻⁴')
    """
    if math.isnan(value):
        return "undefined"
    if value == 0.0 or 1e-3 <= abs(value) < 999.5:
        return f"{value:.3g}"
    return _with_power(*f"{value:.1e}".split("e"))


def _with_power(digits: str, power: str) -> str:
    raised = str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{digits} · 10{raised}"


def rounded(value: Any) -> str:
    """Write a value for display: numbers that are not integers have three significant
    digits.

    Examples
    --------
    >>> rounded(34.73738735932842), rounded(1e-05), rounded(1000.0), rounded(20240)
    ('34.7', '1e-05', '1000', '20240')
    """
    if not isinstance(value, float) or value == float(f"{value:.3g}"):
        return shortest(value)
    return f"{value:.0f}" if value.is_integer() else three_digits(value)


def told_apart(values: Sequence[Any]) -> dict[Any, str]:
    """Return display texts of values: three significant digits, or as many more as
    needed to distinguish all of them.

    Examples
    --------
    >>> told_apart([0.1234, 0.12341, 5.4321])
    {0.1234: '0.1234', 0.12341: '0.12341', 5.4321: '5.43'}
    """
    short = {value: rounded(value) for value in values}
    times = Counter(short.values())
    return {
        value: text if times[text] == 1 else shortest(value)
        for value, text in short.items()
    }


def labelled(values: Sequence[Any]) -> dict[Any, str]:
    """Return the labels of values in a control: texts as in `told_apart`, with typeset
    powers of ten.

    Examples
    --------
    >>> labelled([1e-06, 2.5e-05, 0.01, "auto"])
    {1e-06: '10⁻⁶', 2.5e-05: '2.5 · 10⁻⁵', 0.01: '0.01', 'auto': 'auto'}
    """
    labels = told_apart(values)
    for value, text in labels.items():
        if isinstance(value, float) and "e" in text:
            labels[value] = _with_power(*text.split("e")).removeprefix("1 · ")
    return labels


def shortest(value: Any) -> str:
    """Return the shortest text from which the value of a hyperparameter can be read."""
    if isinstance(value, float) and float(f"{value:g}") == value:
        return f"{value:g}"
    return "none" if value is None else str(value)


def duration(seconds: float) -> str:
    """Write a time with three digits, in milliseconds if below a second.

    Examples
    --------
    >>> duration(0.00148), duration(1.984), duration(1234.5)
    ('1.48 ms', '1.98 s', '1234 s')
    """
    if seconds >= 999.5:
        return f"{seconds:.0f} s"
    if 0.0 < seconds < 0.9995:
        return f"{three_digits(1000.0 * seconds)} ms"
    return f"{three_digits(seconds)} s"


def listed(value: Shown, ranks: bool) -> Shown | str:
    """Return the table entry of a model: its value, or the note that it ranks nothing.

    Examples
    --------
    >>> listed(0.5, True), listed(0.5, False)
    (0.5, 'ranks nothing')
    """
    return value if ranks else RANKS_NOTHING


def counted(count: float, things: str) -> str:
    """Write a number of things, with the singular for one.

    Examples
    --------
    >>> counted(1, "queries"), counted(1, "models"), counted(2000, "models")
    ('1 query', '1 model', '2,000 models')
    >>> counted(0.5, "seconds")
    '0.5 seconds'
    """
    one = things[:-3] + "y" if things.endswith("ies") else things.removesuffix("s")
    number = f"{count:,}" if not isinstance(count, float) else f"{count:,g}"
    return f"{number} {one if count == 1 else things}"


def all_of(count: int, things: str, verb: str = "are") -> str:
    """Return the beginning of a sentence on all of some things, with "are" or "have".

    Examples
    --------
    >>> all_of(3, "models"), all_of(1, "models"), all_of(1, "runs", "have")
    ('All 3 models are', 'The model is', 'The run has')
    """
    if count == 1:
        one = counted(1, things).removeprefix("1 ")
        return f"The {one} {'is' if verb == 'are' else 'has'}"
    return f"All {counted(count, things)} {verb}"


def signed(value: float, digits: int) -> str:
    """Write a difference with its sign and this number of decimals.

    Examples
    --------
    >>> signed(0.25, 3), signed(-0.028, 2)
    ('+0.250', '−0.03')
    """
    return f"{value:+.{digits}f}".replace("-", "−")


def percent(share: float, digits: int = 0) -> str:
    """Write a share as a percentage with this number of decimals.

    Examples
    --------
    >>> percent(0.035, 1), percent(-0.25)
    ('3.5%', '−25%')
    """
    rounded = round(100.0 * share, digits) + 0.0
    return f"{rounded:.{digits}f}%".replace("-", "−")


def plain(value: Any, digits: int = DIGITS) -> Any:
    """Return a value that JSON can represent; numbers that are not finite become None.

    Numbers are rounded to this number of significant digits; 17 are exact.
    """
    # A NumPy value; NumPy itself is not imported here, because reading hyperparameters
    # must not load it.
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(name): plain(item, digits) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, digits) for item in value]
    if isinstance(value, float):
        return float(f"{value:.{digits}g}") if math.isfinite(value) else None
    return value


def shortlist(names: Sequence[str], most: int = 3) -> str:
    """List the first few names, and the number of further ones.

    Examples
    --------
    >>> shortlist(["f1", "f2"]), shortlist(["f1", "f2", "f3", "f4", "f5"])
    ('f1, f2', 'f1, f2, f3 and 2 more')
    """
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def phrase(words: Iterable[str], conjunction: str = "and") -> str:
    """Join words with commas and a conjunction.

    Examples
    --------
    >>> phrase("abc"), phrase(["CSV", "Parquet"], "or"), phrase(["CSV"])
    ('a, b and c', 'CSV or Parquet', 'CSV')
    """
    *first, last = words
    return f"{', '.join(first)} {conjunction} {last}" if first else last


def quoted(value: Any) -> str:
    """Quote a value in a message; a long one by its beginning and length."""
    try:
        text = repr(value)
    except ValueError:
        # Python refuses to print numbers of thousands of digits.
        return "a number of thousands of digits"
    if len(text) <= 2 * SHOWN:
        return text
    length = len(value) if isinstance(value, str) else len(text)
    return f"{text[:SHOWN]}… ({length} characters)"
