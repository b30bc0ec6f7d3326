"""Scoring of new documents, with output written while their file is read."""

import os
from collections import deque
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import (
    IO,
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    NamedTuple,
    Self,
    TypeVar,
)

import numpy as np
from numpy.typing import NDArray

from rankcore.algorithms import Ranker
from rankcore.base.arrays import Integers
from rankcore.base.cores import allowed_threads
from rankcore.base.errors import DataError
from rankcore.base.extras import needed_to
from rankcore.base.outputs import Output
from rankcore.base.spreadsheets import csv_of_safe, csv_text, safe
from rankcore.data.dataset import Missing, RankingDataset
from rankcore.data.formats import of_name, stem
from rankcore.data.formats.parts import part_sizes
from rankcore.data.formats.parts.chunks import Chunk, comes_twice
from rankcore.data.formats.parts.format import (
    NextPart,
    NextRows,
    Parts,
    WiderError,
)
from rankcore.data.formats.parts.good_rows import GoodRows, Grouping
from rankcore.data.formats.parts.repairs import Duplicates
from rankcore.data.judgements import Judgements
from rankcore.data.partitions import data_of_parts, is_partitioned
from rankcore.data.readers.converting import MOST_THREADS, reopen, with_error
from rankcore.data.readers.folds import check_as_it_is, features_without
from rankcore.data.trec import run_words, trec_run
from rankcore.studies.models import document_scores, fitted

if TYPE_CHECKING:
    import pyarrow as pa

# Parts are smaller than in a conversion, because more packages are in memory.
_SHARE = 8
COLUMNS = ("query", "document", "score")


class Scored(NamedTuple):
    """The progress of scoring.

    Attributes
    ----------
    skipped : int
        Lines, or rows of Parquet, skipped because they could not be read or scored.
    """

    queries: int
    documents: int
    skipped: int


class ScoreFile:
    """A file format of scores; one subclass each.

    Parameters
    ----------
    file : binary file
    tag : str
        Name of the run.
    """

    suffixes: ClassVar[tuple[str, ...]] = ()

    def __init__(self, file: IO[bytes], tag: str) -> None:
        self.file, self.tag = file, tag

    def made(self, dataset: RankingDataset, scores: np.ndarray) -> Any:
        """Return the scores of some queries in this format."""
        raise NotImplementedError

    def alike(self, queries: Sequence[str], before: Container[str]) -> int | None:
        """Return the index of the first query whose name in this format occurs in an
        earlier part, ``before``; None if there is none."""
        return None

    def write(self, content: Any) -> None:
        """Write the result of `made`."""
        self.file.write(content)

    def close(self) -> None:
        """End the file."""


class RunFile(ScoreFile):
    """A TREC run."""

    suffixes = (".run", ".txt", ".trec")

    def __init__(self, file: IO[bytes], tag: str) -> None:
        super().__init__(file, tag)
        # Names of queries whose ids contain spaces.
        self._renamed: set[str] = set()

    def alike(self, queries: Sequence[str], before: Container[str]) -> int | None:
        words = run_words(queries)
        pairs = zip(queries, words, strict=True)
        for place, (name, word) in enumerate(pairs):
            if word in self._renamed or (word != name and word in before):
                return place
        self._renamed.update(set(words).difference(queries))
        return None

    def made(self, dataset: RankingDataset, scores: np.ndarray) -> bytes:
        return trec_run(dataset, scores, self.tag).encode()


class CsvFile(ScoreFile):
    """CSV with the columns query, document and score."""

    suffixes = (".csv",)

    def __init__(self, file: IO[bytes], tag: str) -> None:
        super().__init__(file, tag)
        file.write(csv_text([COLUMNS]).encode())

    def made(self, dataset: RankingDataset, scores: np.ndarray) -> bytes:
        queries = np.array([safe(name) for name in dataset.query_ids], object)
        columns = (
            np.repeat(queries, dataset.lengths).tolist(),
            map(safe, dataset.doc_ids),
            scores.tolist(),
        )
        return csv_of_safe(zip(*columns, strict=True)).encode()


class ParquetFile(ScoreFile):
    """Parquet with the columns query, document and score."""

    suffixes = (".parquet",)

    def __init__(self, file: IO[bytes], tag: str) -> None:
        with needed_to("write Parquet"):
            import pyarrow as pa
            import pyarrow.parquet as pq

        super().__init__(file, tag)
        kinds = pa.string(), pa.string(), pa.float64()
        self._writer = pq.ParquetWriter(
            file, pa.schema(list(zip(COLUMNS, kinds, strict=True)))
        )

    def made(self, dataset: RankingDataset, scores: np.ndarray) -> "pa.Table":
        import pyarrow as pa

        places = np.repeat(np.arange(dataset.n_queries), dataset.lengths)
        queries = pa.array(dataset.query_ids).take(pa.array(places))
        columns = queries, pa.array(dataset.doc_ids), pa.array(scores)
        return pa.table(dict(zip(COLUMNS, columns, strict=True)))

    def write(self, content: "pa.Table") -> None:
        self._writer.write_table(content)

    def close(self) -> None:
        try:
            self._writer.close()
        finally:  # A writer that failed to close would close again when freed.
            self._writer.is_open = False


KINDS: tuple[type[ScoreFile], ...] = (RunFile, CsvFile, ParquetFile)


def kind_of(path: str | os.PathLike[str]) -> type[ScoreFile]:
    """Return the format of a file name's suffix.

    Raises
    ------
    ValueError
        If the suffix is unknown.
    """
    suffix = Path(path).suffix.lower()
    kind = next((kind for kind in KINDS if suffix in kind.suffixes), None)
    if kind is None:
        endings = ", ".join(end for kind in KINDS for end in kind.suffixes)
        raise ValueError(f"Scores are written to files that end in {endings}.")
    return kind


def score_file(
    model: Ranker,
    file: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    skip_bad: int = 0,
    report: Callable[[Scored], None] = lambda _: None,
    **columns: Any,
) -> Scored:
    """Score the documents of a file, even one larger than memory, without labels.

    Parameters
    ----------
    model : Ranker
        Fitted.
    file : path
        A table, LETOR text or feature log, as for
        `rankcore.data.readers.converting.convert`, or a folder that it has written. The
        rows of each query must be adjacent. Columns of tables are matched to the
        model's features by name; other columns and labels are ignored.
    out : path
        A TREC run (.run, .txt, .trec), CSV or Parquet, by its suffix. It is written
        completely or stays unchanged.
    skip_bad : int
        Maximum number of lines, or rows of Parquet, to skip if they cannot be read or
        scored; the next one raises.
    report : callable
        Called after each part.
    **columns
        As for `rankcore.data.readers.read`; ``ignore`` names features of any file.

    Raises
    ------
    DataError
        With the line and column of the first problem not skipped; also if a score is
        not finite, or two queries would have the same name in a TREC run.
    ValueError
        If the file does not have the features of the model.
    OSError
        If the output cannot be written.
    """
    kind, tag = kind_of(out), type(model).__name__
    with Output(out).opened() as stream:
        # Repeated if later lines have more features than the first ones.
        for wide in (False, True):
            stream.seek(0)
            stream.truncate()
            try:
                with closing(kind(stream, tag)) as target:
                    if is_partitioned(file):
                        scoring = _Scoring(model, target, skip_bad, report)
                        _read_folder(scoring, file, columns)
                    else:
                        name = str(Path(file))
                        scoring = _Scoring(model, target, skip_bad, report, name)
                        _read(scoring, columns, wide)
            except WiderError:
                if wide:
                    raise
            else:
                break
    return scoring.count


class _ScoredPart(NamedTuple):
    """Scores of whole queries in the format of a file, and the errors of lines by
    number."""

    queries: tuple[str, ...]
    lines: Integers
    documents: int
    content: Any
    errors: dict[int, DataError]


class _Scoring:
    """Scoring and writing of documents part by part, in order."""

    def __init__(
        self,
        model: Ranker,
        target: ScoreFile,
        skip_bad: int,
        report: Callable[[Scored], None],
        file: str = "",
    ) -> None:
        self.skip_bad, self.file = skip_bad, file
        self.model, self.target, self.report = model, target, report
        # Features to leave out.
        self.ignored: Container[str] = ()
        self.missing: Missing | None = None
        self.queries: set[str] = set()
        self.documents = self.skipped = 0

    @property
    def count(self) -> Scored:
        return Scored(len(self.queries), self.documents, self.skipped)

    def add_all(self, coming: Iterator[NextPart]) -> None:
        """Add parts of whole queries; several are scored in parallel."""
        with _Threads(self._write) as threads:
            for read in with_error(coming):
                threads.add(partial(self._of_chunk, read))

    def add_good(self, coming: Iterator[NextRows], rule: Duplicates | None) -> None:
        """Add valid rows, combined into whole queries."""
        grouping = Grouping(self.file, self.queries, rule)

        def write(whole: _ScoredPart | None) -> None:
            self._write(whole)
            if whole is not None:
                grouping.taken(whole.queries)

        with _Threads(write) as scored:

            def add(rows: GoodRows | None) -> None:
                whole = None if rows is None else grouping.add(rows)
                if whole is not None:
                    scored.add(partial(self._of_rows, whole))
                if grouping.bad > self.skip_bad - self.skipped:
                    end()

            def end() -> None:
                if (whole := grouping.end()) is not None:
                    scored.add(partial(self._of_rows, whole))
                scored.end()

            with _Threads(add) as read:
                for part in with_error(coming):
                    read.add(part)
            end()

    def _write(self, whole: _ScoredPart | None) -> None:
        if whole is None:
            return
        for error in [whole.errors[line] for line in sorted(whole.errors)]:
            if self.skipped == self.skip_bad:
                raise error
            self.skipped += 1
        for query, line in zip(whole.queries, whole.lines, strict=True):
            if query in self.queries:
                raise comes_twice(query, self.file, line)
        place = self.target.alike(whole.queries, self.queries)
        if place is not None:
            raise _same_name(whole.queries[place], self.file, whole.lines[place])
        self.queries.update(whole.queries)
        if whole.documents:
            self.target.write(whole.content)
        self.documents += whole.documents
        self.report(self.count)

    def _of_chunk(self, read: NextPart) -> _ScoredPart | None:
        """Read and score a part."""
        chunk = read()
        if chunk is None:
            return None
        dataset, scores = self._scores(chunk.dataset)
        if not np.isfinite(scores).all():
            raise _not_finite(dataset, scores, self.file, chunk.documents)
        content, n = self.target.made(dataset, scores), dataset.n_documents
        return _ScoredPart(dataset.query_ids, chunk.lines, n, content, {})

    def _of_rows(self, rows: GoodRows) -> _ScoredPart:
        """Score rows of whole queries, except those whose score is not finite."""
        errors = dict(rows.errors)
        while len(rows.lines) and len(errors) <= self.skip_bad:
            dataset, scores = self._scores(rows.dataset(stem(self.file), self.missing))
            wrong = ~np.isfinite(scores)
            if not wrong.any():
                begins = rows.lines[np.asarray(dataset.offsets)[:-1]]
                content, n = self.target.made(dataset, scores), dataset.n_documents
                return _ScoredPart(dataset.query_ids, begins, n, content, errors)
            # Within a query, one row may be the reason for the others.
            firsts = np.diff(np.concatenate(([-1], rows.codes))) != 0
            first = _firsts(wrong, np.cumsum(firsts))
            error = partial(_not_finite, dataset, scores, self.file, rows.lines)
            for row in np.flatnonzero(first).tolist():
                errors[int(rows.lines[row]) + 1] = error(row)
            rows = rows.at(~first)
        return _ScoredPart((), np.empty(0, dtype=np.int64), 0, None, errors)

    def _scores(self, dataset: RankingDataset) -> tuple[RankingDataset, np.ndarray]:
        names = dataset.feature_names
        if any(name in self.ignored for name in names):
            stay = [name for name in names if name not in self.ignored]
            dataset = dataset.with_features(stay)
        return dataset, document_scores(self.model, dataset)


Result = TypeVar("Result")


class _Threads(Generic[Result]):
    """Threads that compute results ahead, to be taken in order."""

    def __init__(self, take: Callable[[Result], None]) -> None:
        self._take = take
        self._waiting: deque[Future[Result]] = deque()
        self._threads = ThreadPoolExecutor(min(allowed_threads(), MOST_THREADS))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        with self._threads:
            if kind is None:
                self.end()

    def add(self, compute: Callable[[], Result]) -> None:
        """Queue a computation."""
        self._waiting.append(self._threads.submit(compute))
        if len(self._waiting) == MOST_THREADS:
            self._take(self._waiting.popleft().result())

    def end(self) -> None:
        """Wait for all results."""
        while self._waiting:
            self._take(self._waiting.popleft().result())


def _firsts(wrong: NDArray[np.bool_], codes: Integers) -> NDArray[np.bool_]:
    """Return the first invalid row of each query."""
    rows = np.flatnonzero(wrong)
    _, firsts = np.unique(codes[rows], return_index=True)
    first = np.zeros_like(wrong)
    first[rows[firsts]] = True
    return first


def _not_finite(
    dataset: RankingDataset,
    scores: np.ndarray,
    file: str,
    lines: np.ndarray,
    row: int | None = None,
) -> DataError:
    """Return the error of a document, by default the first, whose score is not finite.
    Lines are counted from 0; the data of a folder have neither name nor lines."""
    if row is None:
        row = int(np.flatnonzero(~np.isfinite(scores))[0])
    query = int(np.searchsorted(dataset.offsets, row, side="right")) - 1
    return DataError(
        f"The score of document {dataset.doc_ids[row]!r} of query "
        f"{dataset.query_ids[query]!r} is not finite",
        "Check its features: they are too large for the model",
        file or dataset.name,
        int(lines[row]) + 1 if len(lines) else None,
    )


def _same_name(query: str, file: str, line: int) -> DataError:
    """Return the error of a query whose name equals an earlier one after replacing
    spaces. Its rows begin in a line, counted from 0; a folder, which has no name here,
    has no lines."""
    [word] = run_words([query])
    return DataError(
        f"Query {query!r} and an earlier one would both have the name {word!r} in a "
        "TREC run, whose names have no spaces",
        "Write CSV or Parquet, or rename one of them",
        file or None,
        int(line) + 1 if file else None,
    )


def _read(scoring: _Scoring, columns: dict[str, Any], wide: bool) -> None:
    """Read a file in parts. If ``wide``, use all its features."""
    file = Path(scoring.file)
    encoding, kind = columns.get("encoding"), of_name(file.name)
    if not kind.has_columns:
        columns = dict(columns)
        scoring.ignored = columns.pop("ignore", None) or ()
    kind.check(columns, scoring.file, in_parts=True)
    options = columns | {
        "unlabelled": True,
        "features": list(fitted(scoring.model).feature_names),
        "judgements": Judgements(),
    }
    options = {key: one for key, one in options.items() if key in kind.of_parts}
    scoring.missing = "keep" if options.get("missing") == "keep" else None
    reopened = partial(reopen, file.absolute(), scoring.file, encoding)
    with reopened() as source:
        reader: Parts = kind.in_parts(file, source, "linear", options)
    reader.share, reader.texts, reader.passes = _SHARE, False, scoring.skip_bad > 0
    reader.prepare(reopened)
    if wide:
        with reopened() as source:
            reader.features = reader.all_features(source)
    with reopened() as source:
        if reader.passes:
            scoring.add_good(reader.good_rows(source), options.get("duplicates"))
        else:
            scoring.add_all(reader.parts(source, 0))
    if not scoring.documents:
        problem, remedy = "There are no rows", "Give a file with rows"
        if scoring.skipped:
            problem = "No row can be read and scored"
            remedy = "Skip none to see the problem of the first one"
        raise DataError(problem, remedy, scoring.file, 1, 1)


def _read_folder(
    scoring: _Scoring, folder: str | os.PathLike[str], columns: Mapping[str, Any]
) -> None:
    """Read a converted folder part by part."""
    options, name = dict(columns), str(folder)
    left_out = options.pop("ignore", None) or ()
    check_as_it_is(options, name)
    contents, parts = data_of_parts(folder, part_sizes.CELLS // _SHARE)
    stay = features_without(contents.features, left_out, name)
    scoring.ignored = set(contents.features).difference(stay)
    scoring.add_all(partial(_part, read) for read in parts)


def _part(read: Callable[[], RankingDataset]) -> Chunk:
    data = read()
    return Chunk(data, np.asarray(data.offsets)[:-1], data.n_documents)
