"""Files that are read in parts of whole queries, one class for each kind of file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from rankcore.base.arrays import owned
from rankcore.base.errors import DataError, gathered_warnings
from rankcore.data.dataset import Gain
from rankcore.data.readers import _csv, _parquet, feature_log, letor
from rankcore.data.readers._chunks import Chunk
from rankcore.data.readers._columns import Columns, Header, Missing, median
from rankcore.data.readers._labels import Labels
from rankcore.data.readers._pieces import pieces
from rankcore.data.readers._repairs import Repairs
from rankcore.data.readers._rows import no_rows
from rankcore.data.readers._source import PARQUET_MAGIC, Opened
from rankcore.data.readers.judgements import Judgements

# Of LETOR text in a part: it takes some five times as much in memory meanwhile.
PART_BYTES = 16 * 2**20
# Feature values in a part, and lines of LETOR text.
PART_CELLS = 2**21
PART_ROWS = 2**17
# Values that are in memory at once to find medians.
GATHERED_VALUES = 2**25

# Reads the next part; None if it has no row.
Reading = Callable[[], Chunk | None]
# Opens a file from its beginning.
Reopened = Callable[[], AbstractContextManager[Opened]]


class InParts(Protocol):
    """A file that can be read in parts.

    Attributes
    ----------
    features : tuple of str
        All of them, or those of the beginning.
    judges : bool
        Whether documents may lack a judgement.
    """

    features: tuple[str, ...]
    judges: bool

    def parts(self, source: Opened, first_line: int) -> Iterator[Reading]:
        """The parts from a line on, counted from 0; several may be read at once."""

    def all_features(self, source: Opened) -> tuple[str, ...]:
        """Read all of the file to find the features."""

    def refusal(self, documents: int, judged: int) -> DataError | None:
        """Why so many documents in all are no data set; None if they are one."""


class Letor:
    """LETOR text.

    Parameters
    ----------
    source : Opened
        Its beginning is read to find the number of features; a later part that has
        more raises `rankcore.data.readers.letor.WiderError`.
    gain : {"exponential", "linear"}
    """

    judges = False

    def __init__(self, source: Opened, gain: Gain) -> None:
        self.features = letor.feature_names(source, PART_BYTES)
        self._file, self._gain = source.name, gain

    def parts(self, source: Opened, first_line: int) -> Iterator[Reading]:
        rows = min(2 * PART_CELLS // len(self.features) + 1, PART_ROWS)
        for piece in pieces(source, first_line, PART_BYTES, rows):
            yield partial(letor.parsed, piece, source, self.features, self._gain)

    def all_features(self, source: Opened) -> tuple[str, ...]:
        return letor.feature_names(source)

    def refusal(self, documents: int, judged: int) -> DataError | None:
        return None if documents else letor.no_rows(self._file)


class Table:
    """CSV or Parquet.

    Parameters
    ----------
    source : Opened
    gain : {"exponential", "linear"}
    roles : dict of str to str or None
    ignore, groups, scores, header : sequence of str
        Columns, as for `rankcore.read_table`.
    missing : {"median", "zero", "rows"}, optional
        Medians are those that `find_medians` has found.
    repairs : Repairs
    labels : str, optional
        As for `rankcore.read_table`.
    """

    def __init__(
        self,
        source: Opened,
        gain: Gain,
        roles: Mapping[str, str | None],
        ignore: Sequence[str],
        groups: Sequence[str] = (),
        scores: Sequence[str] = (),
        header: Header | None = None,
        missing: Missing | None = None,
        repairs: Repairs = Repairs(),  # noqa: B008
        labels: str | None = None,
    ) -> None:
        begin, whole = source.peek()
        self._kind: Any = _parquet if begin.startswith(PARQUET_MAGIC) else _csv
        self._columns = partial(
            Columns,
            roles,
            None,
            ignore,
            source.name,
            groups,
            scores,
            header=header,
            missing=missing,
            repairs=repairs,
            labels=Labels(labels) if labels else None,
        )
        self._gain = gain
        self.judges = repairs.unjudged == "irrelevant"
        self.medians: dict[str, float] = {}
        columns = self._columns()
        columns.find(self._kind.head(whole, columns, 0)[0])
        self.features = tuple(columns.features)

    def find_medians(self, reopened: Reopened) -> None:
        """Read the file for the medians of features with missing values.

        It is read once to find these, and once more for as many of them as there is
        room for.
        """
        with gathered_warnings():  # which reading it for good gives
            columns = self._passed(reopened, ())
            names, n_rows = (
                list(columns.n_filled),
                columns.n_values // len(self.features),
            )
            size = max(GATHERED_VALUES // max(n_rows, 1), 1)
            for begin in range(0, len(names), size):
                columns = self._passed(reopened, names[begin : begin + size])
                self.medians |= {
                    name: median(np.concatenate(given))
                    for name, given in columns.gathered.items()
                }

    def _passed(self, reopened: Reopened, names: Sequence[str]) -> Columns:
        """Read the file, and gather the values of some features."""
        columns = self._columns()
        columns.gathered = {name: [] for name in names}
        with reopened() as source:
            for _ in self._kind.chunks(source, columns, self._gain, 0, PART_CELLS):
                pass
        return columns

    def parts(self, source: Opened, first_line: int) -> Iterator[Reading]:
        columns = self._columns()
        columns.fillings = self.medians
        chunks = self._kind.chunks(source, columns, self._gain, first_line, PART_CELLS)
        yield from _read(map(_with_judged, chunks) if self.judges else chunks)
        columns.warn_of_filled()

    def all_features(self, source: Opened) -> tuple[str, ...]:
        return self.features

    def refusal(self, documents: int, judged: int) -> DataError | None:
        return None if documents else no_rows(self._columns())


class Log:
    """A feature log.

    Parameters
    ----------
    source : Opened
        Is read once, to find the features.
    gain : {"exponential", "linear"}
    judgements : dict, optional
        As for `rankcore.read_feature_log`.
    """

    judges = True

    def __init__(
        self, source: Opened, gain: Gain, judgements: Judgements | None
    ) -> None:
        self.features = feature_log.logged_features(source)
        self._file, self._gain, self._judgements = source.name, gain, judgements

    def parts(self, source: Opened, first_line: int) -> Iterator[Reading]:
        chunks = feature_log.chunks(
            source, self._judgements, self.features, self._gain, first_line, PART_CELLS
        )
        return _read(chunks)

    def all_features(self, source: Opened) -> tuple[str, ...]:
        return self.features

    def refusal(self, documents: int, judged: int) -> DataError | None:
        if not documents:
            return feature_log.no_documents(self._file)
        return None if judged else feature_log.unjudged(self._file, self._judgements)


def _read(chunks: Iterator[Chunk]) -> Iterator[Reading]:
    """Parts that are read by the time they are asked for."""
    for chunk in chunks:
        yield partial(_same, chunk)


def _with_judged(chunk: Chunk) -> Chunk:
    """The same with flags also where all documents are judged."""
    if chunk.dataset.judged is not None:
        return chunk
    every = owned(np.ones(chunk.dataset.n_documents, dtype=np.bool_))
    return chunk._replace(dataset=replace(chunk.dataset, judged=every))


def _same(chunk: Chunk) -> Chunk:
    return chunk
