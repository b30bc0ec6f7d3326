"""Data arguments of commands, loaded as training, validation and test splits."""

import inspect
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args

import typer

from rankcore.base.numbers import phrase
from rankcore.cli._failures import Misused
from rankcore.cli._options import NumberRange, documented, with_parameters

if TYPE_CHECKING:
    from rankcore.data.dataset import Normalisation, RankingDataset
    from rankcore.data.readers import Division, Splits

DATA = typer.Argument(
    metavar="DATA",
    help="A data set of `rankscope datasets`, a file (LETOR text, CSV, Parquet or a "
    "feature log), the folder of one LETOR fold or of `rankscope convert`, or - for "
    "standard input.",
)
Data = Annotated[str, DATA]
Weights = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN|FILE",
        help="Weight of each query, a number above 0: a column of CSV, Parquet or a "
        "converted folder, equal in all rows of a query, or a file with a query and "
        "its weight in each line.",
    ),
]
PANEL = "Columns of CSV and Parquet"
Column = Annotated[str | None, typer.Option(rich_help_panel=PANEL)]
Columns = Annotated[list[str] | None, typer.Option(rich_help_panel=PANEL)]
LINEAR = "nDCG(dcg='log2')"


class Reading(NamedTuple):
    """Options for reading a user's file.

    Attributes
    ----------
    columns : dict
        Columns of tables by role, judgements of feature logs, and lines to skip, as for
        `rankcore.data.readers.read`.
    division : Division or None
        How its queries are split; by default all of them are training queries.
    shared : "drop", optional
        Whether queries of an earlier split are left out of later ones.
    weights : str, optional
        Column or file with the weights of queries.
    document_weights : str, optional
        Column or file with the weights of documents.
    """

    columns: dict[str, Any]
    division: "Division | None" = None
    shared: str | None = None
    weights: str | None = None
    document_weights: str | None = None

    @property
    def files(self) -> list[Path | None]:
        """Paths of the files read in addition to the data."""
        columns = self.columns["judgements"], self.columns["groups"]
        weights = self.weights_file, file_named(self.document_weights)
        return [*columns, *weights]

    @property
    def weights_file(self) -> Path | None:
        """Path of the file with query weights; None if a column holds them."""
        return file_named(self.weights)

    def columns_of(self, data: str) -> dict[str, Any]:
        """Return the columns, including weight columns unless a converted folder
        already holds them."""
        from rankcore.data.formats.parts.query_weights import with_columns
        from rankcore.data.partitions import is_partitioned

        both = self.weights, self.document_weights
        if is_partitioned(data):
            return self.columns
        return with_columns(self.columns, *(file_named(of) or of for of in both))

    def weighted(self, splits: "Splits") -> "Splits":
        """Return data with the weights of its queries and documents. Raises DataError
        if the column does not exist, a query has no weight above 0, or a document has
        no weight."""
        from rankcore.data.formats.parts.query_weights import (
            DocumentWeights,
            Weights,
            read_document_weights,
            read_query_weights,
            weighted,
        )

        if self.weights is None and self.document_weights is None:
            return splits
        file, name = self.weights_file, ""
        weights: Weights | None = self.weights
        if file is not None:
            weights, name = read_query_weights(file), file.name
        of_documents: DocumentWeights | None = self.document_weights
        if (beside := file_named(self.document_weights)) is not None:
            of_documents = read_document_weights(beside)
        train, *others = splits
        return type(splits)(
            weighted(train, weights, of_documents, name),
            *(part and weighted(part, weights, of_documents, name) for part in others),
        )


def file_named(word: str | None) -> Path | None:
    """Return the path that a word names; None if no such file exists."""
    path = Path(word or "")
    return path if path.is_file() else None


def usual_measures(
    measures: Sequence[str] | None, usual: Sequence[str], reading: Reading
) -> list[str]:
    """Return the given measures, or the default ones with the gain that the labels are
    meant for.

    Examples
    --------
    >>> usual_measures(None, ["nDCG@10", "AP"], Reading({"gain": "linear"}))
    ["nDCG(dcg='log2')@10", 'AP']
    """
    if measures or reading.columns.get("gain") != "linear":
        return list(measures or usual)
    return [name.replace("nDCG", LINEAR) for name in usual]


def takes_reading(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for reading a file to a command, which receives them as
    ``reading``, for `load`."""

    def with_reading(**values: Any) -> None:
        columns = _read_options(_columns, values)
        division = _read_options(_division, values)
        columns["skip_lines"] = _read_options(_skipped, values)
        shared = _read_options(_shared, values)
        command(**values, reading=Reading(columns, division, shared))

    readers = _division, _shared, _skipped, _columns
    return _with_options(command, with_reading, "reading", *readers)


def takes_weights(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for query and document weights to a command that takes a
    ``reading``, which then holds them."""

    def with_weights(reading: Reading, **values: Any) -> None:
        weights = _read_options(_weights, values)
        command(**values, reading=reading._replace(**weights))

    return _with_options(command, with_weights, "", _weights)


def takes_columns(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for columns, judgements and query sizes to a command, which
    receives them as ``columns``, as in `Reading`."""

    def with_columns(**values: Any) -> None:
        columns = _read_options(_columns, values)
        command(**values, columns=columns)

    return _with_options(command, with_columns, "columns", _columns)


def _with_options(
    command: Callable[..., None],
    calling: Callable[..., None],
    replaced: str,
    *readers: Callable[..., Any],
) -> Callable[..., None]:
    """Return ``calling`` with the parameters of a command except ``replaced``, and with
    the options of the functions that read them."""
    every = inspect.signature(command).parameters.values()
    parameters = [p for p in every if p.name != replaced]
    at = sum(p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for p in parameters)
    options = [
        option
        for reader in readers
        for option in inspect.signature(documented(reader)).parameters.values()
    ]
    return with_parameters(
        command, calling, [*parameters[:at], *options, *parameters[at:]]
    )


def _read_options(reader: Callable[..., Any], values: dict[str, Any]) -> Any:
    """Remove a function's options from those of a command; return the value it reads
    from them."""
    names = inspect.signature(reader).parameters
    return reader(**{name: values.pop(name) for name in names})


def _columns(
    groups: Path | None = None,
    judgements: Path | None = None,
    label: Column = None,
    query: Column = None,
    document: Column = None,
    text: Column = None,
    query_text: Column = None,
    ignore: Columns = None,
    group: Columns = None,
    score: Columns = None,
    no_header: Annotated[
        bool | None, typer.Option("--no-header", rich_help_panel=PANEL)
    ] = None,
    columns: Column = None,
    missing: Column = None,
    unjudged: Column = None,
    duplicates: Column = None,
    labels: str | None = None,
    encoding: str | None = None,
    label_gain: str | None = None,
) -> dict[str, Any]:
    """Return the column options of `Reading`.

    Parameters
    ----------
    groups : FILE
        File with the number of rows of each query, one per line, for LETOR text without
        qid; by default the data file's name with .query or .group added.
    judgements : FILE
        The labels for a feature log, or for `evaluate --run`: CSV with a query, a
        document and a label column, TREC qrels, or lines such as 4 qid:1 # A-1.
    label : COLUMN
        The column with the relevance grades.
    query : COLUMN
        The column with the query ids.
    document : COLUMN
        The column with the document ids.
    text : COLUMN
        The column with a text of each document, such as its title.
    query_text : COLUMN
        The column with the text of each query.
    ignore : COLUMN
        A column or feature to leave out, whatever the format; may be repeated.
    group : COLUMN
        A column with a group for each query, such as head or tail, for --slice-by; may
        be repeated.
    score : COLUMN
        A column with scores of the production model, not used as a feature, for
        --against-column; may be repeated.
    no_header
        CSV has no header line: columns are named c1, c2, …, and the first two are label
        and query unless --label and --query name others.
    columns : NAMES
        Names of all columns of CSV without a header line, such as query,document,label;
        with --judgements, the columns of the judgements.
    missing : WORD
        How to treat empty feature cells: median (of the other values in the file),
        zero, rows (leave these rows out), or keep (for LightGBM and XGBoost). (default:
        such files are refused)
    unjudged : WORD
        How to treat rows without a label, also in feature logs: irrelevant, or drop
        (leave them out). (default: such files are refused)
    duplicates : WORD
        How to treat several rows of one document: merge those with one label, keep the
        one with the highest, median or lowest label, or drop those that differ.
        (default: such files are refused)
    labels : GRADES
        How labels become grades: with 0.3,0.6, grade 1 starts at 0.3 and grade 2 at
        0.6; bad=0,good=2 maps words to grades; fractional keeps labels such as .5.
    encoding : NAME
        Encoding of text that is not UTF-8, such as windows-1252; with --judgements, the
        encoding of the judgements.
    label_gain : WORD
        Gain that the labels are meant for: exponential, for labels up to 31, or linear,
        for labels such as 0 to 100; nDCG then uses it. (default exponential)
    """
    if columns and no_header:
        raise Misused("--columns names the columns of a file without a header line.")
    header = [name.strip() for name in columns.split(",")] if columns else None
    return {
        "label": label,
        "query": query,
        "document": document,
        "text": text,
        "query_text": query_text,
        "ignore": ignore or [],
        "group": group or [],
        "score": score or [],
        "judgements": judgements,
        "header": "none" if no_header else header,
        "missing": _word("missing", missing),
        "unjudged": _word("unjudged", unjudged),
        "duplicates": _word("duplicates", duplicates),
        "labels": _labels(labels),
        "encoding": encoding,
        **_gain(label_gain),
        "groups": groups,
    }


def _weights(
    weights: Weights = None, document_weights: str | None = None
) -> dict[str, str | None]:
    """Return the weights of `Reading`.

    Parameters
    ----------
    document_weights : COLUMN|FILE
        Weight of each document's gain in the loss, a number of at least 0: a column of
        CSV or Parquet, a score of a converted folder, or a file with a query, a
        document and its weight in each line.
    """
    return {"weights": weights, "document_weights": document_weights}


def _gain(word: str | None) -> dict[str, str]:
    from rankcore.data.dataset import Gain

    if word is None:
        return {}
    if word not in get_args(Gain):
        raise Misused(f"--label-gain must be exponential or linear, not {word!r}.")
    return {"gain": word}


def _labels(text: str | None) -> str | None:
    from rankcore.data.readers import Labels

    if text is None:
        return None
    try:
        Labels(text)
    except ValueError as error:
        raise Misused(f"--labels: {error}") from error
    return text


def _word(role: str, word: str | None) -> str | None:
    if word is None:
        return None
    from rankcore.data.readers import FILLINGS, WORDS

    words = {"missing": FILLINGS, **WORDS, "shared": ("drop",)}[role]
    if word not in words:
        raise Misused(f"--{role} must be {' or '.join(words)}, not {word!r}.")
    return word


def _shared(shared: str | None = None) -> str | None:
    """Return how queries that occur in several splits are treated.

    Parameters
    ----------
    shared : WORD
        drop leaves out queries of an earlier split, matched by id or by equal documents
        and labels. (default: they stay)
    """
    return _word("shared", shared)


def _skipped(skip_lines: str | None = None) -> tuple[int, ...]:
    """Return the numbers of the lines to skip.

    Parameters
    ----------
    skip_lines : LINES
        Lines of the file to skip, such as 3,17-19.
    """
    from rankcore.data.readers import parse_lines

    if skip_lines is None:
        return ()
    try:
        return parse_lines(skip_lines)
    except ValueError as error:
        raise Misused(f"--skip-lines: {error}") from error


def _division(
    divide: str | None = None, divide_seed: Annotated[int | None, NumberRange(0)] = None
) -> "Division | None":
    """Return how one file is split.

    Parameters
    ----------
    divide : WORD
        Split one file by query into training, validation and test: by percentages such
        as 60/20/20, as fold 2-of-5, or by column:NAME with values train, valid and
        test.
    divide_seed
        Seed of the split by --divide. (default 0)
    """
    from rankcore.data.readers import parse_division

    if divide is None:
        if divide_seed is not None:
            raise Misused("--divide-seed has no effect without --divide.")
        return None
    try:
        division = parse_division(divide, divide_seed or 0)
    except ValueError as error:
        raise Misused(f"--divide: {error}") from error
    if divide_seed is not None and division.seed is None:
        raise Misused("--divide-seed has no effect with --divide column:NAME.")
    return division


def load(
    data: str,
    valid: Path | None = None,
    test: Path | None = None,
    normalise: str = "none",
    reading: Reading | None = None,
) -> "Splits":
    """Load the splits of a data set: a name of the catalogue, a file, the folder of a
    fold, or - for standard input; other files may replace validation and test data.

    ``normalise`` is "none", or how to scale each feature within its query. Raises
    DataError if the data does not exist or cannot be used.
    """
    from rankcore.data import catalogue
    from rankcore.data.partitions import is_partitioned
    from rankcore.data.readers import Splits, limits_of_machine, read
    from rankcore.data.readers.folds import same_features

    reading = reading or Reading({})
    columns, division, shared = reading.columns_of(data), *reading[1:3]
    if division is not None and not is_partitioned(data):
        columns = {**columns, "group": [*columns["group"], *division.columns]}
    limits = limits_of_machine()
    if division is not None and (valid or test):
        raise Misused("--divide makes the splits: leave out --valid and --test.")
    if data == "-":
        loaded = Splits(read(sys.stdin.buffer, name="standard input", **columns))
    else:
        path = Path(data).expanduser() if data.startswith("~") else data
        loaded = catalogue.load(path, limits=limits, **columns)
    if division is not None:
        if loaded.valid is not None or loaded.test is not None:
            raise Misused(f"{data} has its own splits: leave out --divide.")
        loaded = division.divide(loaded.train)
    parts = {name: part for name, part in loaded._asdict().items() if part is not None}
    paths = {"valid": valid, "test": test}
    others = {
        name: read(path, limits=limits, **columns | {"skip_lines": ()})
        for name, path in paths.items()
        if path is not None
    }
    if others:
        parts = same_features(parts | others, Path(data))
    warn_of_doubts(parts["train"])
    splits = reading.weighted(Splits(**parts))
    return _normalised(splits.distinct() if shared else splits, normalise)


def warn_of_doubts(dataset: "RankingDataset") -> None:
    """Warn about each feature that may be an identifier, a position or the label, see
    `rankcore.topics.datasets.checks.doubtful_features`."""
    from rankcore.base.errors import DataWarning
    from rankcore.topics.datasets.checks import doubtful_features, doubts

    for sentence in doubts(doubtful_features(dataset)):
        remedy = "--ignore leaves a feature out."
        warnings.warn(f"{sentence} {remedy}", DataWarning, stacklevel=2)


def data_record(
    splits: "Splits",
    data: str,
    valid: Path | None,
    test: Path | None,
    normalise: str,
    reading: Reading,
) -> dict[str, Any]:
    """Return how a run's data was read, for the run store: the settings of a page, and
    those of `rankcore.views.past.SOURCE`. ``splits`` is the result of `load` for the
    other arguments."""
    from rankcore.data.dataset import AS_GIVEN, set_name

    name, division = set_name(splits.train.name), reading.division
    options: dict[str, Any] = {
        "data": name,
        "normalise": AS_GIVEN if normalise == "none" else normalise,
        "source": None if data == name else data,
        "valid": valid,
        "test": test,
        "divide": division,
        "divide_seed": None if division is None else division.seed,
        "weights": reading.weights,
        "document_weights": reading.document_weights,
    }
    numbers = {k: v for k, v in options.items() if isinstance(v, int)}
    texts = {k: str(v) for k, v in options.items() if v is not None} | numbers
    left_out = reading.columns.get("ignore") if data == name else None
    return {**texts, "without": left_out} if left_out else texts


def _normalised(splits: "Splits", normalise: str) -> "Splits":
    return splits.normalise(normalisation(normalise))


def normalisation(word: str) -> "Normalisation | None":
    """Return the normalisation that a word names, None for "none". Raises Misused for
    an unknown word."""
    from rankcore.data.dataset import Normalisation

    kinds: dict[str, Normalisation | None] = {k: k for k in get_args(Normalisation)}
    kinds["none"] = None
    if word not in kinds:
        choices = phrase(kinds, "or")
        raise Misused(f"--normalise must be {choices}, not {word!r}.")
    return kinds[word]
