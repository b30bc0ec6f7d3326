"""Scores of new documents, written while their file is read."""

import os
from collections import deque
from collections.abc import Callable, Container, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from rankcore.algorithms import Ranker
from rankcore.base.cores import allowed_threads
from rankcore.base.errors import DataError
from rankcore.base.extras import needed_to
from rankcore.base.outputs import Output
from rankcore.base.spreadsheets import csv_of_safe, csv_text, safe
from rankcore.data import readers
from rankcore.data.dataset import RankingDataset
from rankcore.data.formats import of_name
from rankcore.data.formats.parts.chunks import Chunk, comes_twice
from rankcore.data.formats.parts.format import NextPart, Parts, WiderError
from rankcore.data.judgements import Judgements
from rankcore.data.partitions import is_partitioned
from rankcore.data.readers.converting import MOST_THREADS, reopen, with_error
from rankcore.data.trec import run_words, trec_run
from rankcore.studies.models import document_scores, fitted

if TYPE_CHECKING:
    import pyarrow as pa

# Parts are smaller than those of a conversion, since more packages are in memory.
_SHARE = 8
# Documents of a converted folder that are scored at a time.
_AT_ONCE = 2**16
COLUMNS = ("query", "document", "score")


class Scored(NamedTuple):
    """The progress of scoring.

    Attributes
    ----------
    queries, documents : int
    skipped : int
        Lines, or rows of Parquet, that could not be read or scored and were skipped.
    """

    queries: int
    documents: int
    skipped: int


class ScoreFile:
    """A format in which scores are written: a subclass for each.

    Parameters
    ----------
    file : binary file
    tag : str
        What the run is called.
    """

    suffixes: ClassVar[tuple[str, ...]] = ()

    def __init__(self, file: IO[bytes], tag: str) -> None:
        self.file, self.tag = file, tag

    def made(self, dataset: RankingDataset, scores: np.ndarray) -> Any:
        """Return the scores of some queries in this format."""
        raise NotImplementedError

    def alike(self, queries: Sequence[str], before: Container[str]) -> int | None:
        """Return the place of the first query whose name in this format is that of one
        in an earlier part, ``before``; None if there is none."""
        return None

    def write(self, made: Any) -> None:
        """Write what `made` has returned."""
        self.file.write(made)

    def close(self) -> None:
        """End the file."""


class RunFile(ScoreFile):
    """A TREC run."""

    suffixes = (".run", ".txt", ".trec")

    def __init__(self, file: IO[bytes], tag: str) -> None:
        super().__init__(file, tag)
        # The names of queries whose own ones hold blanks.
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

    def write(self, made: "pa.Table") -> None:
        self._writer.write_table(made)

    def close(self) -> None:
        try:
            self._writer.close()
        finally:  # A writer whose closing failed would close again when freed.
            self._writer.is_open = False


KINDS: tuple[type[ScoreFile], ...] = (RunFile, CsvFile, ParquetFile)


def kind_of(path: str | os.PathLike[str]) -> type[ScoreFile]:
    """Return the format that the ending of a file's name stands for.

    Raises
    ------
    ValueError
        If it stands for none.
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
    """Score the documents of a file, even one larger than memory; it needs no labels.

    Parameters
    ----------
    model : Ranker
        Fitted.
    file : path
        A table, LETOR text or feature log, as of
        `rankcore.data.readers.converting.convert`, or a folder that it has written. The
        rows of each query are adjacent. Columns of tables are found by the names of the
        model's features; others are ignored, and so are labels of all files.
    out : path
        A TREC run (.run, .txt, .trec), CSV or Parquet, by its ending. It is written as
        a whole, or stays as it was.
    skip_bad : int
        How many lines, or rows of Parquet, that cannot be read or scored are skipped;
        the next one raises.
    report : callable
        Called after each part.
    **columns
        As for `rankcore.data.readers.read`; ``ignore`` names features of any file.

    Returns
    -------
    Scored

    Raises
    ------
    DataError
        With line and column of the first problem that is not skipped; also if a score
        is not finite, or two queries would have one name in a TREC run.
    ValueError
        If the file does not have the features of the model.
    OSError
        If the output cannot be written.
    """
    kind, tag = kind_of(out), type(model).__name__
    with Output(out).opened() as written:
        # Once more where later lines have more features than the first ones.
        for wide in (False, True):
            written.seek(0)
            written.truncate()
            try:
                with closing(kind(written, tag)) as target:
                    scoring = _Scoring(model, target, skip_bad, report)
                    if is_partitioned(file):
                        scoring.add_all(_of_folder(readers.read(file, **columns)))
                    else:
                        _read(scoring, Path(file), columns, wide)
            except WiderError:
                if wide:
                    raise
            else:
                break
    return scoring.count


class _TooManyError(Exception):
    """More lines have been passed over than may be."""


class _Scoring:
    """Documents scored and written, part by part, in their order."""

    def __init__(
        self,
        model: Ranker,
        target: ScoreFile,
        skip_bad: int,
        report: Callable[[Scored], None],
    ) -> None:
        self.skip_bad = skip_bad
        self.model, self.target, self.report = model, target, report
        # Features to leave out of what is read.
        self.ignored: Container[str] = ()
        self.queries: set[str] = set()
        self.documents, self.end = 0, 0
        self.skipped: set[int] = set()

    @property
    def count(self) -> Scored:
        return Scored(len(self.queries), self.documents, len(self.skipped))

    def add_all(self, coming: Iterator[NextPart], file: str = "") -> None:
        """Add parts; several are scored at the same time."""
        waiting: deque[Future[tuple[Chunk, Any] | None]] = deque()

        def add() -> None:
            made = waiting.popleft().result()
            if made is None:
                return
            chunk, content = made
            for query, line in zip(chunk.dataset.query_ids, chunk.lines, strict=True):
                if query in self.queries:
                    raise comes_twice(query, file, line)
            ids = chunk.dataset.query_ids
            place = self.target.alike(ids, self.queries)
            if place is not None:
                raise _same_name(ids[place], file, chunk.lines[place])
            room = self.skip_bad - len(self.skipped)
            self.skipped.update(chunk.bad[:room])
            if len(chunk.bad) > room:
                raise _TooManyError
            self.queries.update(ids)
            self.target.write(content)
            self.documents += chunk.dataset.n_documents
            self.end = chunk.end
            self.report(self.count)

        with ThreadPoolExecutor(min(allowed_threads(), MOST_THREADS)) as threads:
            for read in with_error(coming):
                waiting.append(threads.submit(self._made, read, file))
                if len(waiting) == MOST_THREADS:
                    add()
            while waiting:
                add()

    def _made(self, read: NextPart, file: str) -> tuple[Chunk, Any] | None:
        """Read a part and score it."""
        chunk = read()
        if chunk is None:
            return None
        dataset = chunk.dataset
        names = dataset.feature_names
        if any(name in self.ignored for name in names):
            stay = [name for name in names if name not in self.ignored]
            dataset = dataset.with_features(stay)
        scores = document_scores(self.model, dataset)
        if not np.isfinite(scores).all():
            raise _not_finite(dataset, scores, file, chunk.documents)
        return chunk, self.target.made(dataset, scores)


def _not_finite(
    dataset: RankingDataset, scores: np.ndarray, file: str, lines: np.ndarray
) -> DataError:
    """Return the error of the first document whose score is not a finite number, of
    those that have lines counted from 0; a folder, without a name here, has none."""
    row = int(np.flatnonzero(~np.isfinite(scores))[0])
    query = int(np.searchsorted(dataset.offsets, row, side="right")) - 1
    return DataError(
        f"The score of document {dataset.doc_ids[row]!r} of query "
        f"{dataset.query_ids[query]!r} is not finite",
        "Check its features, which are too large for the model",
        file or dataset.name,
        int(lines[row]) + 1 if len(lines) else None,
    )


def _same_name(query: str, file: str, line: int) -> DataError:
    """Return the error of a query that has the name of an earlier one once blanks are
    replaced. Its rows begin in a line, counted from 0; a folder, without a name here,
    has no lines."""
    [word] = run_words([query])
    return DataError(
        f"Query {query!r} and an earlier one would both have the name {word!r} in a "
        "TREC run, which has no blanks in names",
        "Write CSV or Parquet, or rename one of them",
        file or None,
        int(line) + 1 if file else None,
    )


def _read(scoring: _Scoring, file: Path, columns: dict[str, Any], wide: bool) -> None:
    """Read a file in parts. A line that they do not pass over is skipped by opening it
    again, to continue behind the last part that was written. If ``wide``, take all
    features that it has."""
    encoding, kind = columns.get("encoding"), of_name(file.name)
    if not kind.has_columns:
        columns = dict(columns)
        scoring.ignored = columns.pop("ignore", None) or ()
    kind.check(columns, str(file), in_parts=True)
    options = columns | {
        "unlabelled": True,
        "features": list(fitted(scoring.model).feature_names),
        "judgements": Judgements(),
    }
    options = {
        name: option for name, option in options.items() if name in kind.of_parts
    }
    reopened = partial(reopen, file.absolute(), str(file), encoding)
    with reopened() as source:
        reader: Parts = kind.in_parts(file, source, "linear", options)
    reader.share = _SHARE
    reader.prepare(reopened)
    if wide:
        with reopened() as source:
            reader.features = reader.all_features(source)
    while True:
        full = len(scoring.skipped) >= scoring.skip_bad
        reader.passes = not full
        try:
            with reopened(frozenset(scoring.skipped)) as source:
                scoring.add_all(reader.parts(source, scoring.end), str(file))
        except _TooManyError:  # The first line too many says why.
            continue
        except DataError as error:
            full = len(scoring.skipped) >= scoring.skip_bad
            if error.line is None or full or error.line in scoring.skipped:
                raise
            scoring.skipped.add(error.line)
        else:
            break
    if not scoring.documents:
        raise DataError("There are no rows", "Give a file with rows", str(file), 1, 1)


def _of_folder(dataset: RankingDataset) -> Iterator[NextPart]:
    """Yield parts of a data set, some documents at a time."""
    bounds = dataset.offsets.tolist()
    begin = 0
    while begin < dataset.n_queries:
        end = begin + 1
        while end < dataset.n_queries and bounds[end + 1] - bounds[begin] <= _AT_ONCE:
            end += 1
        queries = list(range(begin, end))
        yield partial(_part, dataset, queries, bounds[begin], bounds[end])
        begin = end


def _part(dataset: RankingDataset, queries: list[int], begin: int, end: int) -> Chunk:
    lines = np.asarray(dataset.offsets)[queries]
    return Chunk(dataset.subset(queries), lines, end)
