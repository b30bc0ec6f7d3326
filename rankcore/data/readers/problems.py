"""All problems of a file at once, and the lines that can be skipped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple

from rankcore.base.errors import DataError
from rankcore.data import judgements
from rankcore.data.dataset import Gain
from rankcore.data.formats import in_utf8, of_source
from rankcore.data.formats.parts.faults import MOST_FAULTS, Fault
from rankcore.data.formats.parts.query_weights import (
    DocumentWeights,
    Weights,
    with_columns,
)
from rankcore.data.formats.parts.source import (
    RAISE,
    Interrupted,
    Limits,
    Source,
    opened,
    source_name,
)
from rankcore.data.judgements import Judgements, read_judgements
from rankcore.data.readers.folds import read

# If more lines have problems than this share, the file as a whole is wrong.
SAFE_SHARE = 0.1
MOST_LINES = 100_000


class Problems(NamedTuple):
    """The problems of a file.

    Attributes
    ----------
    errors : list of DataError
        One per row or document, by line; the first 1000.
    lines : tuple of int
        Lines of rows with problems, from 1; without them the file can be read. Empty if
        skipping them is not safe.
    complete : bool
        Whether these are all detectable problems.
    """

    errors: list[DataError]
    lines: tuple[int, ...]
    complete: bool

    def __bool__(self) -> bool:
        return bool(self.errors)

    def rows(self, with_file: bool) -> list[dict[str, Any]]:
        """Return the problems as rows of a table, optionally with file names."""
        return [
            {
                **({"file": error.file or ""} if with_file else {}),
                "line": error.line,
                "column": str(error.column or ""),
                "problem": error.problem,
                "remedy": error.remedy,
            }
            for error in self.errors
        ]


def find_problems(
    source: Source,
    *,
    name: str | None = None,
    gain: Gain = "exponential",
    limits: Limits | None = None,
    skip_lines: Iterable[int] = (),
    encoding: str | None = None,
    weights: Weights | None = None,
    document_weights: DocumentWeights | None = None,
    **columns: Any,
) -> Problems:
    r"""Return the problems of all rows of a file.

    Skipping lines is safe if each problem is confined to its row, such as a non-numeric
    cell or a copy of a row above, and at most a tenth of the lines have problems.

    Parameters
    ----------
    source : path or bytes
    name, gain, limits, skip_lines, encoding, weights, document_weights, **columns
        As for `read`.

    Returns
    -------
    Problems
        No errors if `read` reads the file; only those of the judgements if these cannot
        be read. A feature log can have several errors per line; in Parquet, lines are
        rows, which cannot be skipped.

    Examples
    --------
    >>> table = b"label,qid,price\n" + b"1,a,3\n" * 30 + b"0,a,?\n1,b,4\nbad,b,5\n"
    >>> problems = find_problems(table, name="shop.csv")
    >>> for error in problems.errors:
    ...     print(error.place)
    shop.csv, line 32, column price
    shop.csv, line 34, column label
    >>> problems.lines
    (32, 34)
    """
    file = source_name(source, name)
    kind = of_source(source, file, columns)
    if encoding is not None and isinstance(source, bytes) and not kind.is_judged:
        try:
            source = in_utf8(source, file, encoding)
        except DataError as error:
            return Problems([error], (), complete=True)
    skipped, labels = tuple(skip_lines), columns.get("judgements")
    if kind.is_judged and labels and not isinstance(labels, dict):
        how: dict[str, Any] = {"gain": gain, "limits": limits}
        how |= {"header": columns.pop("header", None), "labels": columns.get("labels")}
        try:
            columns["judgements"] = read_judgements(labels, **how)
        except DataError:
            return find_judgement_problems(labels, **how)
    options: dict[str, Any] = {"gain": gain, "limits": limits, "skip_lines": skipped}
    both: dict[str, Any] = {"weights": weights, "document_weights": document_weights}
    try:
        read(source, name=name, **both, **options, **columns)
    except DataError as error:
        first = error.alone()
    else:
        return Problems([], (), complete=True)
    n_lines = _count_lines(source, file, limits)
    with opened(source, file, limits, skipped) as opened_source:
        if first.remedy.endswith(RAISE) or n_lines > opened_source.limits.rows:
            # Checking every row of an oversized file would take too much memory.
            return Problems([first], (), complete=False)
        faults = kind.faults(source, opened_source, gain, with_columns(columns, **both))
        first_faults = list(islice(_until_error(faults), MOST_FAULTS + 1))
    problems = _problems(first, first_faults, n_lines)
    if kind.is_judged and problems.lines:
        without = {*skipped, *problems.lines}
        try:
            read(source, name=name, **options | columns | {"skip_lines": without})
        except DataError:
            # No judged document remains, or responses get other numbers.
            return problems._replace(lines=())
    return problems


def find_judgement_problems(
    source: Source,
    *,
    name: str | None = None,
    limits: Limits | None = None,
    **options: Any,
) -> Problems:
    r"""Return the problems of all rows of a file of judgements.

    Parameters
    ----------
    source, name, limits, **options
        As for `read_judgements`.

    Returns
    -------
    Problems
        No errors if `read_judgements` reads the file. Lines of judgements cannot be
        skipped.

    Examples
    --------
    >>> qrels = b"a 0 d1 4\na 0 d2 x\na 0 d3\n"
    >>> problems = find_judgement_problems(qrels, name="q.txt")
    >>> for error in problems.errors:
    ...     print(error.place)
    q.txt, line 2, column 4
    q.txt, line 3, column 4
    """
    with opened(source, name, limits) as opened_source:
        each = judgements.faults(opened_source, Judgements(), **options)
        rows = (Fault(error, ()) for error in each)
        faults = list(islice(_until_error(rows), MOST_FAULTS + 1))
    errors = [fault.error for fault in faults[:MOST_FAULTS]]
    return Problems(errors, (), len(faults) <= MOST_FAULTS)


def _problems(first: DataError, faults: list[Fault], n_lines: int) -> Problems:
    """Return the problems; ``first`` is the most informative, for whole columns."""
    complete = len(faults) <= MOST_FAULTS
    faults = sorted(faults[:MOST_FAULTS], key=lambda fault: fault.error.line or 0)
    lines = sorted({line for fault in faults for line in fault.lines})
    safe = (
        bool(faults)
        and complete
        and all(fault.lines for fault in faults)
        and len(lines) <= SAFE_SHARE * n_lines
    )
    errors = [fault.error for fault in faults]
    at = _place_of(first, errors)
    if at is None:
        return Problems([first, *errors], (), complete and bool(faults))
    errors[at] = first
    return Problems(errors, tuple(lines) if safe else (), complete)


def _place_of(first: DataError, errors: Sequence[DataError]) -> int | None:
    """Return the index of an error among others, or of one in the same line."""
    same = [at for at, error in enumerate(errors) if str(error) == str(first)]
    line = [at for at, error in enumerate(errors) if error.line == first.line]
    return next(iter([*same, *line]), None)


def _until_error(faults: Iterator[Fault]) -> Iterator[Fault]:
    try:
        yield from faults
    except DataError as error:
        yield Fault(error, ())


def _count_lines(source: Source, file: str, limits: Limits | None) -> int:
    """Return the number of lines of a source, or of those before damage."""
    lines = 1
    with opened(source, file, limits) as opened_source, suppress(Interrupted):
        for block in opened_source.blocks():
            lines += block.count(b"\n")
    return lines


def parse_lines(text: str) -> tuple[int, ...]:
    """Return line numbers from their text, as `format_lines` writes it.

    Raises
    ------
    ValueError
        If they are not line numbers of at least 1, or too many.

    Examples
    --------
    >>> parse_lines("3,17-19")
    (3, 17, 18, 19)
    """
    lines: set[int] = set()
    for part in text.split(","):
        low, _, high = part.partition("-")
        ends = low.strip(), (high or low).strip()
        if not all(end.isdecimal() and len(end) < 12 for end in ends):
            raise ValueError(
                f"{part!r:.40} is not a line; write lines such as 3,17-19."
            )
        begin, end = map(int, ends)
        if not 1 <= begin <= end or end - begin + len(lines) >= MOST_LINES:
            raise ValueError(
                f"{part!r:.40} cannot be skipped; write at most {MOST_LINES:,} "
                "lines from 1 on, such as 3,17-19."
            )
        lines.update(range(begin, end + 1))
    return tuple(sorted(lines))


def format_lines(lines: Iterable[int]) -> str:
    """Return line numbers as text, consecutive ones as a range.

    Examples
    --------
    >>> format_lines([17, 18, 19, 3])
    '3,17-19'
    """
    spans: list[list[int]] = []
    for line in sorted(set(lines)):
        if spans and spans[-1][1] == line - 1:
            spans[-1][1] = line
        else:
            spans.append([line, line])
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in spans)
