"""CSV, read in blocks: only numbers, identifiers and texts stay in memory."""

from __future__ import annotations

import csv
import io
import re
from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankcore.base.arrays import aligned
from rankcore.base.errors import DataError, warn_of_data
from rankcore.base.spreadsheets import original
from rankcore.data.dataset import Gain, RankingDataset
from rankcore.data.formats.parts.cells import (
    DECIMAL_COMMA,
    number,
    shown,
)
from rankcore.data.formats.parts.chunks import Chunk, chunk_of
from rankcore.data.formats.parts.columns import (
    NO_HEADER,
    SAMPLED_CELLS,
    Columns,
    numbered,
)
from rankcore.data.formats.parts.faults import MOST_FAULTS, Fault
from rankcore.data.formats.parts.good_rows import GoodRows
from rankcore.data.formats.parts.refusals import CARRIAGE_RETURN
from rankcore.data.formats.parts.rows import Rows
from rankcore.data.formats.parts.source import Opened, json_problem
from rankcore.data.formats.parts.table import Tabular
from rankcore.data.formats.parts.text import decoded_lines

if TYPE_CHECKING:
    from _csv import Reader

SEPARATORS = ",;\t|"
# A line above the header that some programs write and Excel obeys.
SEPARATOR_LINE = re.compile(r'"?sep=([,;\t|]|\\t)"?\s*', re.IGNORECASE)


class Csv(Tabular):
    """CSV in UTF-8, separated by commas, semicolons, tabs or bars.

    With other separators than commas, numbers may have decimal commas.
    """

    name = "CSV"
    suffixes = (".csv", ".tsv")
    order = 9

    def recognises(self, begin: bytes, options: Mapping[str, Any]) -> bool:
        """Return True: files that no other format recognises may be tables."""
        return True

    def reader(self, source: Opened, columns: Columns) -> CsvReader:
        return CsvReader(source, columns)


class _Layout(NamedTuple):
    """Positions of columns: features, label and scores, query, and all identifiers."""

    features: list[int]
    figures: list[int]
    query: int
    identifiers: list[int | None]


class _TextBlock(NamedTuple):
    """Lines in memory, and the number of lines before them."""

    n_before: int
    text: str


class CsvReader:
    """The rows of CSV, read in blocks."""

    def __init__(self, source: Opened, columns: Columns) -> None:
        self.source = source
        self.columns = columns
        self.begin = 1
        self.n_header_lines = 0
        self.blocks: deque[_TextBlock] = deque()
        self.n_kept = 0
        self.header: list[str] = []
        # Whether the rows below an invalid cell may be read to explain the error.
        self.samples = True
        # Collects the errors of rows by line; without it, the first one is raised.
        self.bad: dict[int, DataError] | None = None
        # Line of the first decimal comma, 0 before one; whether points have occurred.
        self.comma, self.has_points = 0, False
        self.lines: Iterator[str] = self._decoded_lines()
        # Lines to read again after an unterminated row.
        self.again: deque[str] = deque()
        self.too_long: DataError | None = None
        self.begins = array("q")
        columns.line_of = lambda row: self.begins[row]

    def head(self, n_rows: int) -> tuple[list[str], list[list[str]]]:
        """Read the header line and the first rows, up to an invalid one."""
        # Lines below the header need not be text if not requested.
        self.bad = None if n_rows else {}
        self._read_header()
        if self.columns.feature_names is None:  # else `find` checks those in use
            self.columns.check_distinct(self.header)
        rows: list[list[str]] = []
        with suppress(DataError):
            for cells in islice(self._rows(), n_rows):
                more = [""] * (len(self.header) - len(cells))
                rows.append([*map(original, cells), *more][: len(self.header)])
        return self.header, rows

    def names(self) -> list[str]:
        """Return the names of the columns after reading a row."""
        return self.header

    def cells(
        self, roles: Sequence[str], optional: Sequence[str] = ()
    ) -> Iterator[tuple[int, list[str]] | DataError]:
        """Yield the cells in the columns of some roles, row by row, each with its line;
        an error for a row with too few or too many cells.

        Cells of ``optional`` roles follow those of ``roles``; they are empty without a
        column of that role.

        Raises
        ------
        DataError
            With the line and column of the first problem.
        """
        self._read_header()
        wanted = self.columns.of_roles(self.header, roles, optional)
        places = [self.header.index(column) if column else -1 for column in wanted]
        for row in self._rows():
            if len(row) != len(self.header):
                yield self._uneven(row)
            else:
                yield (
                    self.begins[-1],
                    [original(row[at]) if at >= 0 else "" for at in places],
                )

    def dataset(self, gain: Gain) -> RankingDataset:
        """Read all rows."""
        self._find_columns()
        *_, whole = self._chunks(gain, inf)
        return whole

    def chunks(self, gain: Gain, first_line: int, size: int) -> Iterator[Chunk]:
        """Read rows from a line on, in chunks of whole queries with about ``size``
        cells; the rows of each query must be adjacent."""
        self._find_columns()
        if first_line:
            # No block before that line stays in memory.
            self.begin = first_line + 1
            for _ in range(first_line - self.n_header_lines):
                next(self.lines)
            self.n_header_lines = self.columns.n_above = first_line
        for dataset in self._chunks(gain, size, resumed=first_line > 0):
            lines = np.array(self.begins, dtype=np.int64) - 1
            more = len(lines) > len(self.rows)
            end = int(lines[len(self.rows)]) if more else self.begin - 1
            yield chunk_of(dataset, lines[self.rows.numbers], end, self.source.name)

    def good_rows(self, size: int) -> Iterator[GoodRows]:
        """Read the valid rows, about ``size`` cells at a time."""
        bad = self.bad = dict[int, DataError]()
        self._find_columns()
        self.samples = False
        layout, rows = self._layout(), Rows(self.columns, self.source.limits)
        self.values = values = array("d")

        def part() -> GoodRows:
            self._note_points()
            X = aligned((len(rows), len(layout.features)))
            X.ravel()[:] = np.frombuffer(values)
            lines = np.array(self.begins, dtype=np.int64) - 1
            errors = {line: bad.pop(line) for line in sorted(bad) if line <= self.begin}
            return rows.good_rows(X, lines, errors)

        for row in self._rows():
            try:
                numbers, _, texts = self._row(row, layout)
                rows.add(*texts)
            except DataError as error:
                bad[self.begins.pop()] = error
            else:
                values.extend(numbers)
            if len(values) >= size or len(bad) >= MOST_FAULTS:
                yield part()
                del self.begins[:], values[:]
                self.columns.n_above += len(rows)
                rows = Rows(self.columns, self.source.limits)
        yield part()

    def _find_columns(self) -> None:
        self._read_header()
        self.columns.find(self.header)

    def _chunks(
        self, gain: Gain, size: float, resumed: bool = False
    ) -> Iterator[RankingDataset]:
        """Read rows of whole queries, except at the end; `begins` has the queries of a
        chunk and perhaps the next one."""
        columns, layout = self.columns, self._layout()
        rows = Rows(columns, self.source.limits)
        values, figures, last = array("d"), array("d"), ""
        self.values = values

        def chunk() -> RankingDataset:
            self._note_points()
            X = aligned((len(rows), len(layout.features)))
            X.ravel()[:] = np.frombuffer(values)
            del values[:]
            table = np.frombuffer(figures).reshape(len(rows), len(layout.figures))
            self.rows = rows
            return rows.dataset(X, table, gain)

        for row in self._rows():
            query = row[layout.query] if layout.query < len(row) else ""
            numbers, beside, texts = self._row(row, layout)
            if len(values) >= size and query not in (last, ""):
                yield chunk()
                del self.begins[: len(rows)]
                columns.n_above += len(rows)
                rows, figures = Rows(columns, self.source.limits), array("d")
            last = query
            rows.check_shape(len(self.begins))
            rows.add(*texts)
            values.extend(numbers)
            figures.extend(beside)
        if len(rows) or not resumed:
            yield chunk()

    def faults(self, gain: Gain) -> Iterator[Fault]:
        """Read all rows; yield the first problem of each."""
        self._find_columns()
        self.samples = False
        layout, rows = self._layout(), Rows(self.columns, self.source.limits)
        self.values = array("d")
        first: dict[tuple[int, str], list[str]] = {}
        try:
            for row in self._rows():
                begin, at = self.begins[-1], len(rows)
                end = self.n_header_lines + self.reader.line_num + 1
                lines = range(begin, end if row else self.begin)
                rows.check_shape(len(self.begins))
                try:
                    _, (label, *_), texts = self._row(row, layout)
                    rows.add(*texts)
                except DataError as error:
                    self.begins.pop()
                    yield Fault(error, lines)
                    continue
                try:
                    rows.grades(np.array([label]), gain, at)
                except DataError as error:
                    yield Fault(error, lines)
                document = rows.documents[at] if rows.documents else ""
                same = first.setdefault((rows.codes[at], document), row)
                if document and same is not row and not self._merges(same, row):
                    # Of two identical rows, either may be dropped.
                    twice = rows.repeated(at)
                    yield Fault(twice, lines if same == row else ())
        except DataError as error:
            yield Fault(error, ())

    def _merges(self, one: list[str], other: list[str]) -> bool:
        """Return whether one of two rows of a document is left out."""
        rule, at = (
            self.columns.repairs.duplicates,
            self.header.index(self.columns.label),
        )
        same = number(one[at]) == number(other[at])
        return rule is not None and (rule != "merge" or same)

    def _layout(self) -> _Layout:
        columns = self.columns
        Rows(columns, self.source.limits).check_width(len(self.header))
        place = {column: at for at, column in enumerate(self.header)}
        return _Layout(
            [place[column] for column in columns.features],
            [place[column] for column in columns.figures],
            place[columns.query],
            [
                None if column is None else place[column]
                for column in columns.identifiers
            ],
        )

    def _row(
        self, fields: list[str], layout: _Layout
    ) -> tuple[list[float], list[float], list[str | None]]:
        """Return the features of a row, its label and scores, and the arguments of
        `Rows.add`."""
        if len(fields) > len(self.header):
            raise self._uneven(fields)
        cells = fields + [""] * (len(self.header) - len(fields))
        values = self._numbers(cells, layout.features)
        if self.columns.labels is not None:
            at = layout.figures[0]
            cells[at] = str(self.columns.labels(cells[at]))
        figures = self._numbers(cells, layout.figures)
        if len(fields) < len(cells):
            raise self._uneven(fields)
        texts = [
            None if at is None else original(cells[at]) for at in layout.identifiers
        ]
        return values, figures, texts

    def _read_header(self) -> None:
        """Read the header line, below comments and ``sep=;``."""
        header, declared = self.columns.header, ""
        for number_of_line, line in enumerate(self.lines, 1):
            self.begin = self.n_header_lines = number_of_line
            if self.bad and number_of_line in self.bad:
                raise self.bad[number_of_line]
            self.separator = declared or max(SEPARATORS, key=line.count)
            if mark := SEPARATOR_LINE.fullmatch(line):
                declared = mark[1].replace("\\t", "\t")
            elif line.startswith("#"):
                cells = self._heading(line, strict=False)
                if header is None and self.columns.has_names(cells):
                    break
            elif line.strip():
                if other := json_problem(line.encode()):
                    raise self.columns.error(*other, self.begin, 1)
                cells = self._heading(line)
                break
        else:
            file, remedy = self.source.name, "Give a file with rows"
            raise DataError("There are no rows", remedy, file, 1, 1)
        self.columns.heading = self.begin
        self.header = [original(name.strip()) for name in cells]
        if header is not None:
            is_named = header != NO_HEADER
            self.header = list(header) if is_named else numbered(len(cells))
            self.n_header_lines -= 1
            self.lines = chain([line], self.lines)
        elif all(isfinite(number(name)) for name in self.header):
            raise self.columns.no_heading()
        lines = self.lines if self.bad is None else iter(self._next_line, None)
        self.reader = self._reader(lines)

    def _heading(self, line: str, strict: bool = True) -> list[str]:
        """Return the cells of a line that may be the header."""
        try:
            return next(self._reader([line], strict))
        except csv.Error as error:
            raise self._broken(str(error)) from error

    def _reader(self, lines: Iterable[str], strict: bool = True) -> Reader:
        return csv.reader(
            lines, delimiter=self.separator, skipinitialspace=True, strict=strict
        )

    def _rows(self) -> Iterator[list[str]]:
        """Yield the cells of each row and note its first line.

        Blank lines at the end are ignored.
        """
        blank = 0
        self.begin = self.n_header_lines + 1
        while True:
            try:
                cells = next(self.reader, None)
            except csv.Error as error:
                broken = self.too_long or self._broken(str(error))
                if self.bad is None:
                    raise broken from error
                self.bad[self.begin] = broken
                self._read_again()
                continue
            if cells is None:
                return
            if not cells:
                line = self.begin
                if line not in self.source.skip and line not in (self.bad or ()):
                    blank = blank or self.begin
            else:
                if blank:
                    self.begins.append(blank)
                    yield []
                    blank = 0
                self.begins.append(self.begin)
                yield cells
            self.begin = self.n_header_lines + self.reader.line_num + 1

    def _read_again(self) -> None:
        """Continue with the line after the first one of an unterminated row."""
        count = self.n_header_lines + self.reader.line_num - self.begin
        n_before = self.blocks[0].n_before
        text = "".join(block.text for block in self.blocks)
        rest = text.split("\n", self.begin - n_before)[-1] if count else ""
        lines = islice(io.StringIO(rest, newline="\n"), count)
        self.again.extendleft(reversed(list(lines)))
        self.n_header_lines, self.too_long = self.begin, None
        self.reader = self._reader(iter(self._next_line, None))
        self.begin += 1

    def _next_line(self) -> str | None:
        """Return the next line; None at the end or within an overlong row."""
        if self.again:
            return self.again.popleft()
        line = next(self.lines, None)
        if line is not None and self.too_long is not None:
            self.again.append(line)
            return None
        return line

    def _numbers(self, cells: list[str], places: list[int]) -> list[float]:
        """Return the numbers in some cells; missing ones may become NaN."""
        chosen = [cells[at] for at in places]
        try:
            values = list(map(float, chosen))
            # Only Python reads 1_000 as a number.
            if isfinite(sum(values)) and not self.comma and "_" not in "".join(chosen):
                return values
        except ValueError:
            pass
        if self.separator != ",":
            chosen = self._with_points(chosen, places)
        values = list(map(number, chosen))
        for at, value in zip(places, values, strict=True):
            if not isfinite(value) and not self.columns.fills(
                cells[at], self.header[at]
            ):
                row = len(self.begins) - 1
                below = self._cells_below(at)
                raise self.columns.not_finite(self.header[at], row, [cells[at], *below])
        return values

    def _with_points(self, cells: list[str], places: list[int]) -> list[str]:
        """Return cells with decimal points instead of commas; unchanged if numbers
        above have points, because commas may then separate thousands."""
        if not self.comma:
            if not any(map(DECIMAL_COMMA.fullmatch, cells)):
                return cells
            self._note_points()
            if self.has_points:
                return cells
            self.comma = self.begins[-1]
            warn_of_data(
                f"{self.source.name}: commas are read as decimal points; the first is "
                f"in line {self.comma}."
            )
        for cell, at in zip(cells, places, strict=True):
            if "." in cell:
                raise self.columns.error(
                    f"The value {shown(cell)!r} has a decimal point, but line "
                    f"{self.comma} has a decimal comma",
                    "Write all numbers in one of the two ways, without thousands "
                    "separators",
                    self.begins[-1],
                    self.header[at],
                )
        return [
            cell.replace(",", ".") if DECIMAL_COMMA.fullmatch(cell) else cell
            for cell in cells
        ]

    def _note_points(self) -> None:
        """Note whether numbers before the first decimal comma have decimal points."""
        if self.separator != "," and not (self.comma or self.has_points):
            values = np.frombuffer(self.values)
            self.has_points = bool((values != np.rint(values)).any())

    def _cells_below(self, at: int) -> list[str]:
        """Return the column's next cells, which tell words from a single invalid
        cell."""
        sample: list[str] = []
        if not self.samples:
            return sample
        try:
            for cells in islice(self.reader, SAMPLED_CELLS - 1):
                sample += cells[at : at + 1]
        except (csv.Error, DataError):
            pass
        return sample

    def _uneven(self, cells: list[str]) -> DataError:
        """Return the error of a row with too few or too many cells."""
        n = len(self.header)
        problem = (
            f"The rows do not have the same number of cells: {len(cells)} here, not {n}"
        )
        if len(cells) > n:
            problem += f"; cell {n + 1} holds {shown(cells[n])!r}"
        return self.columns.error(
            problem,
            f"Give each line {n} cells, and close all quotation marks",
            self.begins[-1],
            self._column(min(len(cells), n)),
        )

    def _broken(self, error: str) -> DataError:
        """Return the error of a row that the csv module rejects."""
        problem, remedy = f"The row cannot be read ({error})", "Give CSV or Parquet"
        if "limit" in error:
            problem = f"A cell is longer than {csv.field_size_limit()} characters"
            remedy = "Shorten it, and close all quotation marks"
        elif "unexpected end" in error or "expected after" in error:
            problem = "A quotation mark is not closed, or stands within a cell"
            remedy = "Close it, and double those within a cell in quotation marks"
        elif "new-line" in error:
            problem, remedy = CARRIAGE_RETURN
        column = self._column(self._place_of_fault())
        return self.columns.error(problem, remedy, self.begin, column)

    def _column(self, at: int) -> str | int:
        """Return the name of the column at a position, or its number if unnamed."""
        return self.header[at] if at < len(self.header) else at + 1

    def _place_of_fault(self) -> int:
        """Return the position of the invalid cell of the current row."""
        n_before = self.blocks[0].n_before
        text = "".join(block.text for block in self.blocks)
        row = text.split("\n", self.begin - n_before - 1)[-1]

        def beginning(length: int, strict: bool) -> list[str]:
            lines = io.StringIO(row[:length], newline="\n")
            return next(self._reader(lines, strict), [])

        def is_refused(length: int) -> bool:
            try:
                beginning(length, strict=True)
            except csv.Error as error:
                return "unexpected end" not in str(error)
            return False

        too_long = bisect_left(range(len(row) + 1), True, key=is_refused)
        return max(len(beginning(too_long - 1, strict=False)), 1) - 1

    def _decoded_lines(self) -> Iterator[str]:
        """Yield decoded lines with their line ends."""
        how = self.source, "Give CSV in UTF-8, or Parquet"
        for n_before, text in decoded_lines(*how, self.bad):
            self._keep(_TextBlock(n_before, text))
            yield from io.StringIO(text, newline="\n")

    def _keep(self, block: _TextBlock) -> None:
        """Store a block, and keep earlier ones that contain the current row."""
        self.blocks.append(block)
        self.n_kept += len(block.text)
        while len(self.blocks) > 1 and self.blocks[1].n_before < self.begin:
            self.n_kept -= len(self.blocks.popleft().text)
        first, most = self.blocks[0], self.source.limits.line
        if self.n_kept - len(first.text) - len(block.text) > most:
            problem = f"The row is longer than {most} characters"
            remedy = "Close all quotation marks"
            self.too_long = self.columns.error(problem, remedy, self.begin)
            if self.bad is None:
                raise self.too_long
