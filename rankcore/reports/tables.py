"""Tables of results for papers, READMEs or spreadsheets.

A `ReportTable` holds the content; `latex`, `markdown`, `html` and `csv` write it. Texts
are escaped, so that a name such as ``max_iter & more`` appears unchanged.
"""

import math
import numbers
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any, Literal, NamedTuple

import numpy as np

from rankcore.base.spreadsheets import csv_text

# Readers compare at most four significant digits.
FORMAT = ".4g"
NONE = "–"


class Column(NamedTuple):
    """A column of a table.

    Attributes
    ----------
    name : str
        Name, with its unit if it has one.
    format : str
        Format of its numbers, as in `format`, such as ``".3f"``; by default whole
        numbers are written in full.
    best : {"", "highest", "lowest"}
        Which numbers are bold: all whose text equals that of the best one.
    """

    name: str
    format: str = ""
    best: Literal["", "highest", "lowest"] = ""


class MarkedValue(NamedTuple):
    """A value followed by a mark, which the table's note explains.

    Attributes
    ----------
    value : number, str, bool or None
        The value; None or NaN if missing.
    mark : str
        Superscript, such as ``"†"`` for a significant difference, or ``"a, b"``.
    """

    value: Any
    mark: str = ""


@dataclass(frozen=True)
class ReportTable:
    """A table of results.

    Attributes
    ----------
    columns : sequence of Column or str
        Columns; a text is short for a column of that name.
    rows : sequence of sequences
        One value or `MarkedValue` per column.
    caption : str
        Description of the numbers: measure, data, split, seeds.
    note : str
        Text below the table: meaning of marks, and caveats such as "chosen on test
        data".

    Raises
    ------
    ValueError
        If a row has more or fewer values than there are columns.

    Examples
    --------
    >>> score = Column("nDCG@10", ".3f", best="highest")
    >>> rows = [["RSRank", MarkedValue(0.5125, "†")], ["ListNet", 0.4]]
    >>> print(ReportTable(["Algorithm", score], rows).markdown())
    | Algorithm |               nDCG@10 |
    | :-------- | --------------------: |
    | RSRank    | **0.512**<sup>†</sup> |
    | ListNet   |                 0.400 |
    <BLANKLINE>
    """

    columns: Sequence[Column | str]
    rows: Sequence[Sequence[Any]]
    caption: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"Row {number} of the table has {len(row)} values for "
                    f"{len(self.columns)} columns; give one per column, None if "
                    "missing."
                )

    @classmethod
    def of(
        cls,
        content: Any,
        caption: str = "",
        note: str = "",
        formats: Mapping[str, str] | None = None,
    ) -> "ReportTable":
        """Return a table from a dict of columns, a frame, or rows as dictionaries.

        Parameters
        ----------
        content : dict, frame or sequence of dict
        formats : dict, optional
            Column → format of its numbers.
        """
        if hasattr(content, "items"):
            by_name = {str(name): list(column) for name, column in content.items()}
        else:
            names = list(dict.fromkeys(name for row in content for name in row))
            by_name = {str(name): [row.get(name) for row in content] for name in names}
        format_of = formats or {}
        columns = [Column(name, format_of.get(name, "")) for name in by_name]
        return cls(columns, list(zip(*by_name.values(), strict=True)), caption, note)

    def latex(self) -> str:
        r"""Return a ``table`` for LaTeX with the package ``booktabs``.

        It compiles with pdfLaTeX in UTF-8: Greek letters, signs and superscript digits
        are written as mathematics.
        """
        columns, cells = self._columns, self._texts()
        ends = "".join("r" if self._numeric(i) else "l" for i in range(len(columns)))
        head = " & ".join(escape_latex(column.name) for column in columns)
        body = [" & ".join(map(_latex_cell, row)) for row in cells]
        lines = [
            r"% Needs \usepackage{booktabs}",
            r"\begin{table}",
            r"  \centering",
            *([f"  \\caption{{{escape_latex(self.caption)}}}"] if self.caption else []),
            f"  \\begin{{tabular}}{{{ends}}}",
            r"    \toprule",
            f"    {head} \\\\",
            r"    \midrule",
            *(f"    {line} \\\\" for line in body),
            r"    \bottomrule",
            r"  \end{tabular}",
            *([f"  \\par\\smallskip {escape_latex(self.note)}"] if self.note else []),
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"

    def markdown(self) -> str:
        """Return a Markdown pipe table, with caption above and note below."""
        columns, cells = self._columns, self._texts()
        lines = [
            [escape_markdown(column.name) for column in columns],
            *([_markdown_cell(cell) for cell in row] for row in cells),
        ]
        widths = [max(3, *map(len, column)) for column in zip(*lines, strict=True)]
        right = [self._numeric(i) for i in range(len(columns))]
        rule = [
            "-" * (width - 1) + ":" if numeric else ":" + "-" * (width - 1)
            for width, numeric in zip(widths, right, strict=True)
        ]
        table = "\n".join(
            f"| {' | '.join(_aligned(line, widths, right))} |"
            for line in (lines[0], rule, *lines[1:])
        )
        parts = [escape_markdown(self.caption), table, escape_markdown(self.note)]
        return "\n\n".join(filter(None, parts)) + "\n"

    def html(self) -> str:
        """Return an HTML ``table``, with its note below."""
        heads = "".join(f'<th scope="col">{escape(c.name)}</th>' for c in self._columns)
        right = [' class="number"' * self._numeric(i) for i in range(self._size)]
        body = "".join(
            f"<tr>{''.join(map(_html_cell, line, right))}</tr>"
            for line in self._texts()
        )
        caption = f"<caption>{escape(self.caption)}</caption>" if self.caption else ""
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return (
            f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody>"
            f"</table>{note}"
        )

    def csv(self) -> str:
        """Return a header line, then one line per row, with full-precision numbers and
        texts as in `rankcore.base.spreadsheets`.

        Marks are in a separate column after each column with marks.
        """
        cells = self._cells
        marked = [any(row[i].mark for row in cells) for i in range(self._size)]
        names: list[str] = []
        for column, has in zip(self._columns, marked, strict=True):
            names += [column.name, f"{column.name} mark"][: 1 + has]
        lines: list[list[Any]] = [names]
        for row in cells:
            line: list[Any] = []
            for cell, has in zip(row, marked, strict=True):
                line += [_plain(cell.value), cell.mark][: 1 + has]
            lines.append(line)
        return csv_text(lines)

    @property
    def _size(self) -> int:
        return len(self.columns)

    @cached_property
    def _columns(self) -> list[Column]:
        return [Column(c) if isinstance(c, str) else c for c in self.columns]

    @cached_property
    def _cells(self) -> list[list[MarkedValue]]:
        return [
            [
                cell if isinstance(cell, MarkedValue) else MarkedValue(cell)
                for cell in row
            ]
            for row in self.rows
        ]

    def _numeric(self, column: int) -> bool:
        values = [row[column].value for row in self._cells]
        return any(map(_is_number, values)) and not any(
            isinstance(value, str) for value in values
        )

    def _texts(self) -> list[list["_CellText"]]:
        """Return the cells as texts; the best of each column is determined from the
        texts."""
        columns, rows = self._columns, self._cells
        texts = [
            [_text(cell.value, columns[i]) for i, cell in enumerate(row)]
            for row in rows
        ]
        best = [self._best(i, [line[i] for line in texts]) for i in range(self._size)]
        return [
            [
                _CellText(text, cell.mark, _is_number(cell.value) and text == most)
                for text, cell, most in zip(line, row, best, strict=True)
            ]
            for line, row in zip(texts, rows, strict=True)
        ]

    def _best(self, column: int, texts: Sequence[str]) -> str | None:
        values = [row[column].value for row in self._cells]
        finite = [
            (value, text)
            for value, text in zip(values, texts, strict=True)
            if _is_number(value)
        ]
        wanted = self._columns[column].best
        if not wanted or not finite:
            return None
        choose = max if wanted == "highest" else min
        return choose(finite, key=lambda pair: pair[0])[1]


class _CellText(NamedTuple):
    text: str
    mark: str
    best: bool


def _is_number(value: Any) -> bool:
    """Return whether a value is a printable number, not a truth value."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return real and not math.isnan(value)


def _text(value: Any, column: Column) -> str:
    if _is_number(value):
        whole = isinstance(value, numbers.Integral)
        number = format(value, column.format or ("" if whole else FORMAT))
        return number.replace("-", "−")
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return NONE if _is_missing(value) else str(value)


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _plain(value: Any) -> Any:
    """Return a value for CSV, empty if missing."""
    if _is_missing(value):
        return ""
    return value.item() if isinstance(value, np.generic) else value


def _aligned(
    line: Sequence[str], widths: Sequence[int], right: Sequence[bool]
) -> Iterator[str]:
    for text, width, numeric in zip(line, widths, right, strict=True):
        yield text.rjust(width) if numeric else text.ljust(width)


def _latex_cell(cell: _CellText) -> str:
    text = escape_latex(cell.text)
    text = f"\\textbf{{{text}}}" if cell.best else text
    mark = f"\\textsuperscript{{{escape_latex(cell.mark)}}}" if cell.mark else ""
    return text + mark


def _html_cell(cell: _CellText, attribute: str) -> str:
    text = escape(cell.text)
    text = f"<strong>{text}</strong>" if cell.best else text
    mark = f"<sup>{escape(cell.mark)}</sup>" if cell.mark else ""
    return f"<td{attribute}>{text}{mark}</td>"


def _markdown_cell(cell: _CellText) -> str:
    text = escape_markdown(cell.text)
    text = f"**{text}**" if cell.best else text
    return text + (f"<sup>{escape_markdown(cell.mark)}</sup>" if cell.mark else "")


def escape_markdown(text: str) -> str:
    r"""Return a text escaped for Markdown, on one line.

    Examples
    --------
    >>> escape_markdown("a|b *c* <d>")
    'a\\|b \\*c\\* &lt;d&gt;'
    """
    line = " ".join(text.split())
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|~$#])", r"\\\1", line)


def escape_latex(text: str) -> str:
    r"""Return a text escaped for LaTeX, on one line.

    Examples
    --------
    >>> escape_latex("50% of max_iter & λ ≤ 2")
    '50\\% of max\\_iter \\& $\\lambda$ $\\leq$ 2'
    """
    # Two hyphens or quotes would become one character.
    line = re.sub(r"(?<=([-`',]))(?=\1)", _APART, " ".join(text.split()))
    return "".join(map(_latex_letter, line))


_APART = "\x00"

# Brackets and stars after a line end would be its options.
_LATEX = {
    _APART: "{}",
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "–": "--",
    "—": "---",
    "…": r"\dots{}",
    "−": "$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≈": r"$\approx$",
    "≠": r"$\neq$",
    "∞": r"$\infty$",
    "→": r"$\rightarrow$",
    "←": r"$\leftarrow$",
    "√": r"$\surd$",
    "∑": r"$\sum$",
    "ℓ": r"$\ell$",
    "ϕ": r"$\phi$",
}


# Greek capitals that look like Latin letters have no command.
_LATIN = str.maketrans("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABEZHIKMNOPTYXo")


def _latex_letter(letter: str) -> str:
    letter = letter.translate(_LATIN)
    if letter.isascii() or letter in _LATEX:
        return _LATEX.get(letter, letter if letter.isprintable() else " ")
    kind = unicodedata.decomposition(letter)
    for form, sign in (("<sub>", "_"), ("<super>", "^")):
        if kind.startswith(form):
            plain = unicodedata.normalize("NFKD", letter).replace("−", "-")
            return f"${sign}{{{plain}}}$" if plain.isascii() else letter
    name = unicodedata.name(letter, "")
    greek = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (FINAL )?(\w+)", name)
    if greek is None:
        return letter
    command = greek[3].lower().replace("lamda", "lambda")
    return f"$\\{command.title() if greek[1] == 'CAPITAL' else command}$"
