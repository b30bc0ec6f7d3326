"""Folders of files: one fold (train, validation, test) or LETOR's Fold1 to Fold5."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankcore.base.errors import DataError, DataWarning, warn_of_data
from rankcore.base.numbers import shortlist
from rankcore.base.spellings import american_names
from rankcore.data.dataset import (
    SPLIT_WORDS,
    Gain,
    Normalisation,
    Query,
    RankingDataset,
    feature_differences,
)
from rankcore.data.formats import (
    Format,
    all_formats,
    is_named,
    of_begin,
    of_name,
    recoded,
)
from rankcore.data.formats.parts.query_weights import (
    DocumentWeights,
    Weights,
    weighted,
    weights_column,
    with_columns,
)
from rankcore.data.formats.parts.repairs import note
from rankcore.data.formats.parts.source import Limits, Source, opened, source_name
from rankcore.data.partitions import is_partitioned, load_partitions


@american_names
class Splits(NamedTuple):
    """The splits of a data set by query."""

    train: RankingDataset
    valid: RankingDataset | None = None
    test: RankingDataset | None = None

    def normalise(self, kind: Normalisation | None = "minmax") -> Splits:
        """Return every split with features scaled within each query; see
        `RankingDataset.normalise`."""
        others = (part and part.normalise(kind) for part in (self.valid, self.test))
        return Splits(self.train.normalise(kind), *others)

    def without(self, names: Sequence[str]) -> Splits:
        """Return every split without some features.

        Raises
        ------
        DataError
            If a name is unknown, or no feature remains.
        """
        if not names:
            return self
        left = remaining(self.train.feature_names, names, self.train.name)
        return Splits(*(part and part.with_features(left) for part in self))  # type: ignore[arg-type]

    def distinct(self) -> Splits:
        """Return splits with every query only in its first one; queries match by id or
        by content, the features and labels of their documents."""
        earlier_keys: set[str | bytes] = set()
        parts: list[RankingDataset | None] = []
        for part in self:
            if part is None:
                parts.append(None)
                continue
            keys = [
                query_keys(query) for query in map(part.query, range(part.n_queries))
            ]
            stays = np.array([earlier_keys.isdisjoint(group) for group in keys])
            earlier_keys.update(*keys)
            whole = part if stays.all() else None
            parts.append(whole or (part.subset(stays) if stays.any() else None))
        return Splits(*parts)  # type: ignore[arg-type]


def query_keys(query: Query) -> tuple[str, bytes]:
    """Return the keys of queries for finding duplicates: id, and content digest."""
    content = blake2b(query.X.tobytes() + query.y.tobytes(), digest_size=16)
    return query.id, content.digest()


def read(
    source: Source,
    *,
    name: str | None = None,
    gain: Gain = "exponential",
    limits: Limits | None = None,
    skip_lines: Sequence[int] = (),
    encoding: str | None = None,
    weights: Weights | None = None,
    document_weights: DocumentWeights | None = None,
    **columns: Any,
) -> RankingDataset:
    """Read a file as a table if its name ends in .csv, .tsv or .parquet, as a feature
    log if it ends in .json, .ndjson or .jsonl, otherwise as LETOR or another format of
    `rankcore.data.formats`; a folder of `rankscope convert` like `load_partitions`.

    A pipe, or any source with an uninformative name, is read as a table unless its
    first line is LETOR or begins like JSON.

    Parameters
    ----------
    source, name, gain, limits, skip_lines
        As for :func:`read_letor` and :func:`read_table`.
    encoding : str, optional
        Encoding of text that is not UTF-8, such as ``windows-1252``; for a feature log,
        the encoding of its judgements.
    weights : str, path or dict, optional
        Weight of each query in means and losses: the name of a column of a table or of
        a converted folder, equal in all rows of a query; the path of a file with a
        query and its weight in each line; or weights by query id. See
        `RankingDataset.with_query_weights`.
    document_weights : str, path or dict, optional
        Weight of each document's gain in losses: a column; a file with a query, a
        document and its weight in each line; or weights by query id and document id.
        See `RankingDataset.with_document_weights`.
    **columns
        ``label``, ``query``, ``document``, ``text``, ``query_text``, ``group``,
        ``score``, ``ignore``, ``features``, ``header``, ``missing``, ``unjudged``,
        ``duplicates`` and ``labels`` of :func:`read_table`, ``judgements``, ``header``
        and ``labels`` of :func:`read_feature_log`, and ``groups``, ``duplicates`` and
        ``labels`` of :func:`read_letor`. For LETOR and logs, ``ignore`` names features,
        and ``unjudged='drop'`` leaves out documents of a log.

    Raises
    ------
    DataError
        As :func:`read_letor`, :func:`read_table` and :func:`read_feature_log`; or if
        columns are named but it is not a table, or judgements but it is not a log.
    """
    file = source_name(source, name)
    in_parts = isinstance(source, str | os.PathLike) and is_partitioned(source)
    if weights is not None or document_weights is not None:
        both = weights, document_weights
        options = columns if in_parts else with_columns(columns, *both)
        _check_weights(source, file, both, in_parts)
        how: dict[str, Any] = {
            "limits": limits,
            "skip_lines": skip_lines,
            "encoding": encoding,
        }
        data = read(source, name=name, gain=gain, **how, **options)
        return weighted(data, *both)
    if isinstance(source, str | os.PathLike) and in_parts:
        left_out = columns.pop("ignore", None) or ()
        check_as_it_is(columns | {"skip_lines": skip_lines, "encoding": encoding}, file)
        return without_features(load_partitions(source), left_out, file)
    how = {"name": file, "gain": gain, "skip_lines": skip_lines}
    if encoding is not None:
        judgements = columns.get("judgements")
        text = source if judgements is None else judgements
        with recoded(text, source_name(text), encoding) as utf8:
            if judgements is None:
                return read(utf8, limits=limits, **how, **columns)
            columns["judgements"] = utf8
            return read(source, limits=limits, **how, **columns)
    if is_named(source, file):
        return _read(of_name(file), source, columns, limits=limits, **how)
    with opened(source, file, limits) as opened_source:
        begin, whole = opened_source.peek()
        kind = of_begin(begin, columns)
        sizes = replace(whole.limits, line=kind.line) if kind.line else whole.limits
        return _read(kind, whole.stream, columns, limits=limits or sizes, **how)


def check_as_it_is(options: Mapping[str, Any], file: str) -> None:
    """Refuse reading options that a converted folder does not accept."""
    if others := [repr(key) for key, value in options.items() if value]:
        problem = "A converted folder is read unchanged, so"
        problem = f"{problem} {' and '.join(others)} cannot be changed"
        raise DataError(problem, "Choose it when converting the data", file)


def _check_weights(
    source: Source,
    file: str,
    both: tuple[Weights | None, DocumentWeights | None],
    in_parts: bool,
) -> None:
    """Refuse the name of a weight column if the file has no named columns."""
    if in_parts or not is_named(source, file) or (kind := of_name(file)).has_columns:
        return
    lines = "a query and its weight", "a query, a document and its weight"
    for weights, of, line in zip(both, ("queries", "documents"), lines, strict=True):
        if weights_column(weights) is not None:
            raise DataError(
                f"{kind.name} has no named columns, so none holds weights of {of}",
                f"Give the path of a file (a Path) with {line} in each line",
                file,
            )


def _read(
    kind: Format, source: Source, columns: Mapping[str, Any], *, name: str, **how: Any
) -> RankingDataset:
    """Read a file of a format, and apply the options for loaded data."""
    kind.check(columns, name)
    option_names = kind.options - kind.afterwards
    options = {
        option: value for option, value in columns.items() if option in option_names
    }
    data = kind.read(source, name=name, **how, **options)
    if "ignore" in kind.afterwards:
        data = without_features(data, columns.get("ignore") or (), name)
    dropped = columns.get("unjudged") == "drop" and "unjudged" in kind.afterwards
    return judged_only(data) if dropped else data


def judged_only(data: RankingDataset) -> RankingDataset:
    """Return the data without unjudged documents."""
    file = data.name
    judged = np.ones(data.n_documents, np.bool_) if data.judged is None else data.judged
    note("unjudged", file, np.flatnonzero(~judged) + 1, len(judged))
    if not judged.all():
        warn_of_data(f"{file}: {int((~judged).sum()):,} documents are left out.")
    return data.documents(judged)


def without_features(
    data: RankingDataset, names: Sequence[str], file: str
) -> RankingDataset:
    """Return the data without some features, as in `features_without`."""
    return data.with_features(features_without(data.feature_names, names, file))


def features_without(
    features: Sequence[str], names: Sequence[str], file: str
) -> tuple[str, ...]:
    """Return features without some, also for files without named columns.

    Raises
    ------
    DataError
        If a name is unknown, except numbers of numbered features, which another part
        may have; or if no feature remains.

    Warns
    -----
    DataWarning
        If there is no feature with such a number.
    """
    number = re.compile(r"f\d+")
    if not all(map(number.fullmatch, features)):
        return remaining(features, names, file)
    beyond = [n for n in names if n not in features and number.fullmatch(n)]
    if beyond:
        warn_of_data(f"{file} has no {shortlist(beyond)} to leave out.")
    present = [name for name in names if name not in beyond]
    return remaining(features, present, file)


def remaining(
    features: Sequence[str], names: Sequence[str], file: str
) -> tuple[str, ...]:
    """Return the features except some; errors are those of `Splits.without`."""
    unknown = [name for name in names if name not in features]
    if unknown:
        raise DataError(
            f"There is no feature {unknown[0]!r:.40} ({shortlist(features)})",
            "Name features that the data has",
            file,
        )
    left = tuple(name for name in features if name not in set(names))
    if not left:
        raise DataError("No feature remains", "Leave out fewer features", file)
    return left


def load_folds(
    folder: str | os.PathLike[str],
    *,
    gain: Gain = "exponential",
    limits: Limits | None = None,
    **columns: Any,
) -> dict[str, Splits]:
    """Read the folds of a LETOR folder, Fold1 to Fold5.

    Parameters
    ----------
    folder : path
        A folder with a folder per fold, or a fold itself: a folder with a training file
        and optionally a validation and a test file, such as ``train.txt``,
        ``vali.txt.gz`` and ``test.csv``.
    gain : {"exponential", "linear"}
        The gain of nDCG that the labels are meant for.
    limits : Limits, optional
        Largest sizes accepted in a file; by default those for its size.
    **columns
        As for :func:`read`.

    Returns
    -------
    dict
        The name and splits of each fold, in order; all have the same features.

    Raises
    ------
    DataError
        If there is no fold, or a file is invalid.
    """
    folder = Path(folder)
    if columns.get("skip_lines"):
        problem = "Lines can be skipped only in a single file, not in a folder"
        raise DataError(problem, "Name the file", str(folder))
    folds = fold_folders(folder)
    if not folds:
        raise DataError(
            "There is no fold in this folder",
            "Give a folder with train.txt, vali.txt and test.txt, or with folders "
            "Fold1, Fold2, … that contain them",
            str(folder),
        )
    parts = {path.name: _read_parts(path, gain, limits, columns) for path in folds}
    everything = [part for fold in parts.values() for part in fold.values()]
    names = _common_features(everything, folder)
    return {
        name: Splits(**{part: data.with_features(names) for part, data in fold.items()})
        for name, fold in parts.items()
    }


def load_fold(
    folder: str | os.PathLike[str],
    *,
    gain: Gain = "exponential",
    limits: Limits | None = None,
    **columns: Any,
) -> Splits:
    """Read one fold: a folder with a training file and optionally others.

    Raises
    ------
    DataError
        If the folder contains several folds or none, or a file is invalid.
    """
    folder = Path(folder)
    if not fold_files(folder) and (folds := fold_folders(folder)):
        names = ", ".join(str(fold) for fold in folds)
        raise DataError(
            "This folder contains several folds", f"Choose one: {names}", str(folder)
        )
    (splits,) = load_folds(folder, gain=gain, limits=limits, **columns).values()
    return splits


def same_features(
    parts: Mapping[str, RankingDataset], folder: Path | str
) -> dict[str, RankingDataset]:
    """Return every split with the features of the widest one; absent ones are 0.

    Raises
    ------
    DataError
        If a split has features that the widest lacks, or not its first ones.

    Warns
    -----
    DataWarning
        If a split lacks the last features.
    """
    names = _common_features(list(parts.values()), folder)
    return {key: data.with_features(names) for key, data in parts.items()}


def fold_folders(folder: Path) -> list[Path]:
    """Return the folder itself if it is a fold, otherwise the folds in it, in order."""
    if fold_files(folder):
        return [folder]
    if not folder.is_dir():
        return []
    return [path for path in sorted(folder.glob("Fold*")) if fold_files(path)]


def fold_files(folder: Path) -> dict[str, Path]:
    """Return the files of a fold; empty without a training file.

    Among files of the same name, formats without column names precede tables. Files
    whose labels may be elsewhere are excluded.
    """
    files = {}
    try:
        # Checking hundreds of names takes long, and file systems may ignore case.
        there = {name.lower() for name in os.listdir(folder)}
    except OSError:
        there = None
    kinds = [kind for kind in all_formats() if not kind.is_judged]
    kinds.sort(key=lambda kind: (kind.has_columns, kind.name))
    ends = [end for kind in kinds for end in kind.suffixes]
    for part, stems in SPLIT_WORDS.items():
        names = [s + e + z for s in stems for e in ends for z in ("", ".gz")]
        likely = names if there is None else [n for n in names if n.lower() in there]
        path = next((p for n in likely if (p := folder / n).is_file()), None)
        if path is not None:
            files[part] = path
    return files if "train" in files else {}


def part_named(file: str) -> str | None:
    """Return the split that a file name indicates; None if it names none or several.

    Examples
    --------
    >>> part_named("OHSUMED_vali.txt.gz"), part_named("trec.txt")
    ('valid', None)
    """
    words = set(re.split(r"[^a-z]+", file.lower()))
    parts = [part for part, stems in SPLIT_WORDS.items() if words & set(stems)]
    return parts[0] if len(parts) == 1 else None


def _read_parts(
    folder: Path, gain: Gain, limits: Limits | None, columns: dict[str, Any]
) -> dict[str, RankingDataset]:
    parts = {}
    for part, path in fold_files(folder).items():
        data = read(path, gain=gain, limits=limits, **columns)
        title = f"{folder.name} {part}"
        parts[part] = replace(data, name=title)
    return parts


def lacking_features(parts: Iterable[RankingDataset]) -> list[str]:
    """Return a sentence with the features that some splits lack but another has."""
    parts = list(parts)
    names = _widest(parts)
    groups: dict[tuple[str, ...], list[str]] = {}
    for part in parts:
        lacking = tuple(name for name in names if name not in part.feature_names)
        if lacking:
            groups.setdefault(lacking, []).append(part.name)
    return [
        f"{shortlist(titles)} {'has' if len(titles) == 1 else 'have'} no "
        f"{shortlist(lacking)}, unlike another file; the value counts as 0."
        for lacking, titles in groups.items()
    ]


def _widest(parts: Sequence[RankingDataset]) -> tuple[str, ...]:
    """Return the features of the widest split, with f0 before f1 if another has it."""
    every = [part.feature_names for part in parts]
    before = ("f0",) * any(names[0] == "f0" for names in every)
    return max((before * (names[0] == "f1") + names for names in every), key=len)


def _common_features(
    parts: list[RankingDataset], folder: Path | str
) -> tuple[str, ...]:
    """Return the features of all splits, in the order of the first that has all.

    Features of LETOR text are numbered, and a file may lack the first or last ones.
    """
    names = _widest(parts)
    for part in parts:
        lacking = [name for name in names if name not in part.feature_names]
        others = [name for name in part.feature_names if name not in names]
        begin = int(names[0] == "f0" and "f0" in lacking)
        expected_names = names[begin : begin + part.n_features]
        if others or (lacking and part.feature_names != expected_names):
            raise DataError(
                f"{part.name} does not have the features of the other files: "
                f"{feature_differences(lacking, others)}",
                "Give all files the same columns",
                str(folder),
            )
    for sentence in lacking_features(parts):
        warnings.warn(sentence, DataWarning, stacklevel=3)
    return names
