"""Roles of a table's columns: label, query, document, or feature."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, Literal, get_args

import numpy as np

from rankcore.base.arrays import Floats, Integers
from rankcore.base.errors import (
    DataError,
    MissingLabelError,
    MissingValueError,
    NoLabelError,
    WordsError,
    warn_of_data,
)
from rankcore.base.numbers import phrase
from rankcore.data.formats.parts.cells import (
    DECIMAL_COMMA,
    GRADES,
    SHOWN,
    is_missing,
    is_word,
    number,
    shown,
)
from rankcore.data.formats.parts.labels import Labels
from rankcore.data.formats.parts.repairs import Repairs, left_out

LABEL_NAMES = (
    "label", "relevance", "rel", "grade", "rating", "judgment", "judgement", "target",
    "y",
)  # fmt: skip
QUERY_NAMES = (
    "qid", "query", "query_id", "queryid", "topic", "topic_id", "session",
    "session_id", "search_id", "srch_id", "group", "group_id", "q",
)  # fmt: skip
DOCUMENT_NAMES = (
    "document", "docid", "doc_id", "document_id", "docno", "doc", "url", "item",
    "item_id", "product_id", "prop_id",
)  # fmt: skip


DOCUMENT_TEXT_NAMES = ("document_text", "doc_text")
QUERY_TEXT_NAMES = ("query_text",)
ROLES = {  # usual names by which columns of a role are detected
    "label": LABEL_NAMES,
    "query": QUERY_NAMES,
    "document": DOCUMENT_NAMES,
    "text": DOCUMENT_TEXT_NAMES,
    "query_text": QUERY_TEXT_NAMES,
}
# How to treat missing values: replace them by the median of the feature or by 0, leave
# out their rows, or keep them.
Missing = Literal["median", "zero", "rows", "keep"]
FILLINGS = get_args(Missing)
# The names of the columns, or that there are none.
Header = Sequence[str]
NO_HEADER = "none"
# Roles that several columns may have.
SEVERAL = ("ignore", "group", "score")
# Usual names of weight columns, which are features unless named as weights.
WEIGHT_NAMES = (
    "weight", "weights", "sample_weight", "sample_weights", "query_weight",
    "query_weights", "document_weight", "document_weights", "doc_weight",
)  # fmt: skip
# In a file that pandas wrote with its index, once and repeatedly.
_UNNAMED = ("", "Unnamed: 0")
SAMPLED_CELLS = 100
# Maximum number of usual names of a column listed in a message.
USUAL = 4


def is_row_number(first: str) -> bool:
    """Return whether the first column's name is that of an index of pandas."""
    return first in _UNNAMED


class Columns:
    """The columns of a table by role, and their file.

    Parameters
    ----------
    file : str
        Name of the table in messages.
    options : mapping, optional
        Arguments of `rankcore.read_table` for the roles of columns and the treatment of
        unusable cells and rows. Roles that are None or omitted are detected; no column
        has the role of an empty one.
    names : mapping, optional
        Usual names of columns for some roles; by default `ROLES`.
    choices : mapping, optional
        Other ways to choose the column of some roles, as the end of a remedy.

    Attributes
    ----------
    label, query : str
        The label is empty if rows are read without labels.
    document, text, query_text : str or None
    features : list of str
    line_of : callable
        Returns the first line of a row, counted from 0, in the file.
    heading : int
        The number of the header line.
    n_above : int
        Number of rows read before row 0.
    """

    def __init__(
        self,
        file: str,
        options: Mapping[str, Any] | None = None,
        names: Mapping[str, Sequence[str]] | None = None,
        choices: Mapping[str, str] | None = None,
    ) -> None:
        settings = {
            name: value for name, value in (options or {}).items() if value is not None
        }
        missing, labels = settings.get("missing"), settings.get("labels")
        if missing is not None and missing not in FILLINGS:
            raise ValueError(
                f"Missing values cannot be filled by {missing!r}; use 'median', "
                "'zero', 'rows' (leave out their rows), or 'keep' (for LightGBM and "
                "XGBoost)."
            )
        repairs = Repairs(settings.get("unjudged"), settings.get("duplicates"))
        repairs.check()
        self.repairs = repairs
        # Number of rows left out, by reason.
        self.n_left_out: Counter[str] = Counter()
        self.missing: Missing | None = missing
        self.labels = Labels(labels) if labels else None
        # Whether rows are only scored: a label column is optional and not a feature.
        self.unlabelled = bool(settings.get("unlabelled"))
        # Missing values per feature, and the total number of values.
        self.n_missing: Counter[str] = Counter()
        self.n_values = 0
        # Replacements per feature if known in advance, and the values of all rows if
        # the median must still be computed.
        self.fillings: Mapping[str, float] = {}
        self.gathered: dict[str, list[Floats]] = {}
        self.wanted = {role: name for role, name in settings.items() if role in ROLES}
        self.names = {**ROLES, **(names or {})}
        self.choices = choices or {}
        self.header: Header | None = settings.get("header")
        if self.header == NO_HEADER:
            for role, name in zip(("label", "query"), numbered(2), strict=True):
                if name not in self.wanted.values():
                    self.wanted.setdefault(role, name)
        self._way_to_name = _way_to_name(options or {}, names)
        self.feature_names = settings.get("features")
        self.ignored = list(settings.get("ignore", ()))
        self.groups = list(dict.fromkeys(settings.get("group", ())))
        self.scores = list(dict.fromkeys(settings.get("score", ())))
        self.file = file
        self.line_of: Callable[[int], int] = lambda row: row + 1
        self.n_above = 0
        self.heading = 1
        self.has_warned_of_labels = False

    @property
    def identifiers(self) -> tuple[str | None, ...]:
        """The columns of query, document, text, query text, and groups of queries."""
        columns = self.query, self.document, self.text, self.query_text
        return *columns, *self.groups

    @property
    def figures(self) -> list[str]:
        """The numeric columns other than features: the label, if any, and the
        scores."""
        return [*([self.label] if self.label else []), *self.scores]

    def find(self, names: Iterable[str]) -> None:
        """Determine the role of each column of the table."""
        columns = list(names)
        if self.feature_names is None:
            self.check_distinct(columns)
        ignored, present = set(self.ignored), set(columns)
        for column in self.ignored:
            if column not in present:
                raise self._absent("such", column, columns)
        for role, extra_columns in (("group", self.groups), ("score", self.scores)):
            for column in extra_columns:
                if column not in present:
                    raise self._absent(f"{role} or weight", column, columns)
                if column in ignored:
                    raise self._both(role, column)
        candidates = [column for column in columns if column not in ignored]
        fields = self._roles(candidates)
        self.label = (
            "" if self.unlabelled else self._required("label", fields["label"], columns)
        )
        self.query = self._required("query", fields["query"], columns)
        self.document, self.text = fields["document"], fields["text"]
        self.query_text = fields["query_text"]
        roles = dict.fromkeys(self.groups, "group")
        roles |= {column: role for role, column in fields.items() if column}
        for column in self.scores:
            if column in roles:
                raise self._both(roles[column], column, "the score")
        in_use = {*fields.values(), *self.groups, *self.scores}
        first = columns[0] if columns else None
        if first is not None and is_row_number(first) and first not in in_use | ignored:
            in_use.add(first)
            self._leave_out_row_numbers()
        others = [column for column in candidates if column not in in_use]
        self.features = list(self.feature_names or others)
        self.feature_set = frozenset(self.features)
        read = {*self.features, *self.identifiers, *self.figures}
        self.check_distinct([column for column in columns if column in read])
        if self.feature_names is None and not self.unlabelled:
            self._warn_of_weights()
        earlier: set[str] = set()
        for feature in self.features:
            if feature not in present:
                raise self._absent("feature", feature, columns)
            if feature in earlier:
                problem = f"The feature column {feature!r} is named twice"
                raise self.error(problem, "Name it once", self.heading, feature)
            earlier.add(feature)
        if not self.features:
            raise self.error(
                "There is no feature column", "Add a column of numbers", self.heading
            )

    def _leave_out_row_numbers(self) -> None:
        if self.feature_names is None:
            sentence = (
                f"{self.file}: The first column has no name and is left out, as the "
                "row numbers that pandas writes. Name it to use it."
            )
            warn_of_data(sentence, 5)

    def _warn_of_weights(self) -> None:
        """Warn of features with usual names of weights."""
        for name in self.features:
            if is_weight(name):
                warn_of_data(
                    f"{self.file}: The column {name!r} is a feature. If it holds "
                    f"weights, name it with weights={name!r} (on the command line "
                    "--weights) for queries, or with document_weights= "
                    "(--document-weights); ignore= (--ignore) leaves it out.",
                    5,
                )

    def usual(self, names: Iterable[str]) -> dict[str, str | None]:
        """Return the column of each role by its usual names, or None."""
        return self._roles(list(names))

    def of_roles(
        self,
        names: Iterable[str],
        roles: Iterable[str],
        optional: Iterable[str] = (),
    ) -> list[str]:
        """Return the columns of the required roles, and of the optional ones, empty if
        missing."""
        columns = list(names)
        fields = self._roles(columns)
        needed = [self._required(role, fields[role], columns) for role in roles]
        self.check_distinct(columns)
        return needed + [fields[role] or "" for role in optional]

    def has_names(self, cells: Iterable[str]) -> bool:
        """Return whether cells name the columns of label and query."""
        try:
            roles = self._roles(list(cells))
        except DataError:
            return False
        return None not in (roles["label"], roles["query"])

    def no_heading(self) -> DataError:
        """Return the error of a file without a header line."""
        problem = "There is no header line with the names of the columns"
        return self.error(problem, self._way_to_name, self.heading)

    def error(
        self, problem: str, remedy: str, line: int, column: str | int | None = None
    ) -> DataError:
        """Return an error in a line, and in a column by its name."""
        return DataError(problem, remedy, self.file, line, column)

    def not_finite(self, column: str, row: int, cells: Sequence[Any]) -> DataError:
        """Return the error of a cell, or of its column if it holds words.

        Parameters
        ----------
        row : int
            The cell's row, counted from 0.
        cells : sequence
            The cell and some below it; all cells above are numbers.
        """
        line, sample = self.line_of(row), cells[:SAMPLED_CELLS]
        words = [cell for cell in sample if is_word(cell)]
        n_numbers = min(row + self.n_above, SAMPLED_CELLS) + sum(
            isfinite(number(c)) for c in sample
        )
        if column in self.features and words and DECIMAL_COMMA.fullmatch(str(words[0])):
            comma = shown(words[0]).strip()
            return self.error(
                f"The value {comma!r} of column {column!r} has a decimal comma",
                f"Write decimal points, as in {comma.replace(',', '.')}",
                line,
                column,
            )
        if column in self.features and len(words) > n_numbers:
            word = shown(words[0])
            return WordsError(
                f"The column {column!r} does not hold numbers but {word!r}",
                "Give its role with document=, text=, query_text=, group= or ignore= "
                "(on the command line --document, --text, --query-text, --group or "
                "--ignore), or remove it from the table",
                self.file,
                line,
                column,
            )
        if column in self.features and is_missing(cells[0]):
            return MissingValueError(
                f"The value of {column!r} is missing",
                "Fill missing values with missing='median' or 'zero', or keep them for "
                "LightGBM and XGBoost with missing='keep' (on the command line "
                "--missing), or fill them in the file",
                self.file,
                line,
                column,
            )
        if column == self.label and is_missing(cells[0]):
            return MissingLabelError(
                "The label is missing",
                "Give every row a grade such as 0 (irrelevant), 1 or 2, or choose how "
                "to treat unlabelled rows with unjudged='irrelevant' or 'drop' (on "
                "the command line --unjudged)",
                self.file,
                line,
                column,
            )
        if column in self.features:
            remedy = "Give every row a number, or leave the cell empty if it is unknown"
        elif column in self.scores:
            remedy = "Give every row a number: a production score, or a weight"
        else:
            remedy = "Give every row a grade such as 0 (irrelevant), 1 or 2, or "
            remedy += GRADES
        problem = f"The value {shown(cells[0])!r} is not a finite number"
        return self.error(problem, remedy, line, column)

    def grade(self, cell: Any) -> float:
        """Return the number of a label cell, or its grade if labels are mapped."""
        return number(cell if self.labels is None else self.labels(cell))

    def fills(self, cell: Any, column: str) -> bool:
        """Return whether a cell of a feature or label is missing and may be so."""
        allowed: str | None = self.missing if column in self.feature_set else None
        if column == self.label:
            allowed = self.repairs.unjudged
        return allowed is not None and is_missing(cell)

    def unfilled(self, rows: Integers, cells: Sequence[Any], column: str) -> Integers:
        """Return the rows whose cells are not filled."""
        gaps = [not self.fills(cell, column) for cell in cells]
        return rows[np.array(gaps, dtype=np.bool_)]

    def fill(self, X: Floats) -> None:
        """Fill and count the missing values (NaN) of rows of features."""
        if self.missing is None:
            return
        self.n_values += X.size
        for name, pieces in self.gathered.items():
            column = X[:, self.features.index(name)]
            pieces.append(column[~np.isnan(column)])
        for at in np.flatnonzero(np.isnan(X).any(axis=0)):
            name, values, gaps = self.features[at], X[:, at], np.isnan(X[:, at])
            if name in self.fillings:
                filling = self.fillings[name]
            elif self.missing == "keep":
                filling = np.nan
            else:
                filling = 0.0 if self.missing == "zero" else median(values[~gaps])
            values[gaps] = filling
            self.n_missing[name] += int(gaps.sum())

    def warn_of_filled(self) -> None:
        """Warn of the number of missing values, and of rows left out."""
        total = self.n_missing.total()
        for sentence in left_out(self.file, self.n_left_out):
            warn_of_data(sentence)
        if total:
            most = [f"{name} {n:,}" for name, n in self.n_missing.most_common(8)]
            more = len(self.n_missing) - len(most)
            listed = ", ".join(most) + f" and {more:,} more features" * bool(more)
            verb, counts = ("is", "counts") if total == 1 else ("are", "count")
            fate = {
                "median": f"{counts} as the median of the feature",
                "keep": f"{verb} kept, for LightGBM and XGBoost",
            }.get(str(self.missing), f"{counts} as 0")
            warn_of_data(
                f"{self.file}: {total:,} of {self.n_values:,} values "
                f"({total / self.n_values:.1%}) {verb} missing ({listed}) and {fate}."
            )

    def wrong_kind(self, column: str, kind: str) -> DataError:
        """Return the error of a column whose cells are neither numbers nor words."""
        return self.error(
            f"The column {column!r} holds {shown(kind)}, neither numbers nor text",
            "Leave it out with ignore= (on the command line --ignore), or remove it "
            "from the table",
            self.heading,
            column,
        )

    def no_identifier(self, column: str, row: int, value: Any) -> DataError:
        """Return the error of a cell that is not an identifier."""
        return self.error(
            f"The value {shown(value)!r} is neither text nor a number",
            "Give every row a text or a number",
            self.line_of(row),
            column,
        )

    def check_distinct(self, columns: Sequence[str]) -> None:
        """Refuse two columns of the same name."""
        earlier: set[str] = set()
        for column in columns:
            if column in earlier:
                problem = f"Two columns are named {column!r}"
                raise self.error(problem, "Rename one of them", self.heading, column)
            earlier.add(column)

    def _roles(self, columns: list[str]) -> dict[str, str | None]:
        """Return each role's column: the named one, or the first with a usual name."""
        wanted = self.wanted
        for role, name in wanted.items():
            if not name:
                continue
            if name in self.ignored:
                raise self._both(role, name)
            if name not in columns:
                raise self._absent(role, name, columns)
        in_use = {*wanted.values(), *self.groups, *self.scores}
        free = [column for column in columns[::-1] if column not in in_use]
        plain = {_plain(name): name for name in free}
        return {
            role: (wanted[role] or None)
            if role in wanted
            else next((plain[n] for n in map(_plain, usual) if n in plain), None)
            for role, usual in self.names.items()
        }

    def _both(self, role: str, name: str, other: str = "to be ignored") -> DataError:
        problem = f"The column {name!r} is both the {role} and {other}"
        return self.error(problem, "Choose one of the two", self.heading, name)

    def _required(self, role: str, column: str | None, columns: list[str]) -> str:
        if column is None and any(isfinite(number(name)) for name in columns):
            problem = f"No column is named as the {role} ({_listing(columns)})"
            raise self.error(problem, self._way_to_name, self.heading)
        if column is None and self.names[role] is not ROLES.get(role):
            if len(self.names[role]) == 1:
                raise self._absent(role, self.names[role][0], columns)
            problem = f"There is no column {role!r} ({_listing(columns)})"
            usual = phrase(map(repr, self.names[role][:USUAL]), "or")
            remedy = f"Call the right column {usual}{self.choices.get(role, '')}"
            raise self.error(problem, remedy, self.heading)
        if column is None:
            kind = NoLabelError if role == "label" else DataError
            raise kind(
                f"No column looks like the {role} ({_listing(columns)})",
                f"Name it with {role}=… (on the command line --{role}), or rename it "
                f"to {ROLES[role][0]!r}",
                self.file,
                self.heading,
            )
        return column

    def _absent(self, role: str, wanted: str, columns: list[str]) -> DataError:
        return self.error(
            f"There is no {role} column {wanted!r} ({_listing(columns)})",
            "Name one of these columns",
            self.heading,
        )


def _way_to_name(
    options: Mapping[str, Any], names: Mapping[str, Sequence[str]] | None
) -> str:
    """Return the remedy for a table without a header line."""
    if names is None:
        return (
            "Name the columns in the first line, as in label,query,f1,f2, or set "
            "header='none' if it is a row (on the command line --no-header)"
        )
    remedy = f"Name the columns in the first line, as in {','.join(names)}"
    if "header" in options:
        example = "--columns query,document,label"
        remedy += f", or with header=[…] (on the command line {example})"
    return remedy


def numbered(n: int) -> list[str]:
    """Return names for unnamed columns."""
    return [f"c{at}" for at in range(1, n + 1)]


def median(values: Floats) -> float:
    """Return the median of values; 0 without values."""
    sorted_values = np.sort(values, kind="stable")
    middle = len(sorted_values) // 2
    if not len(sorted_values):
        return 0.0
    if len(sorted_values) % 2:
        return float(sorted_values[middle])
    return float(sorted_values[middle - 1] / 2 + sorted_values[middle] / 2)


def is_weight(name: str) -> bool:
    """Return whether a column has a usual name of weights."""
    return _plain(name) in map(_plain, WEIGHT_NAMES)


def _plain(name: str) -> str:
    """Return a column's name for comparisons, without case, separators and a leading
    ``#``."""
    return re.sub(r"[\s_-]+", "", name.lower()).removeprefix("#")


def _listing(columns: list[str]) -> str:
    more = f" and {len(columns) - 8} more" if len(columns) > 8 else ""
    return f"the columns are {', '.join(c[:SHOWN] for c in columns[:8])}{more}"
