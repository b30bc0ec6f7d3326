"""Upload: from a visitor's files to a data set every page can choose."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeVar

import streamlit as st

from pages.ui import session, texts
from pages.ui.data import (
    choices,
    datasets,
    dividing,
    doctor,
    example_log,
    problems,
    roles,
    upload_model,
)
from pages.ui.data.datasets import Files
from pages.ui.widgets import Change
from rankcore.base.errors import DataError, gathered_warnings, warn_of_data
from rankcore.data.dataset import RankingDataset
from rankcore.data.formats import of_name, suffixes
from rankcore.data.formats.parts.group_sizes import SUFFIXES, with_queries
from rankcore.data.formats.parts.query_weights import (
    read_document_weights,
    read_query_weights,
)
from rankcore.data.formats.parts.source import RAISE
from rankcore.data.readers import (
    Division,
    FirstRows,
    Preview,
    Problems,
    Splits,
    find_judgement_problems,
    find_problems,
    first_rows,
    in_utf8,
    preview_table,
    read,
    read_judgements,
)
from rankcore.data.readers.folds import lacking_features, part_named, same_features
from rankcore.data.readers.preview import DOCUMENT_WEIGHTS, GROUP, WEIGHTS
from rankcore.topics.datasets.description import label_meanings, loaded_text
from rankcore.topics.datasets.findings import (
    Finding,
    chosen_options,
    combined,
    examination,
    of_splits,
)
from rankcore.topics.datasets.roles import WEIGHTS_FILES
from rankcore.views import Values

KINDS = (*suffixes(), ".gz", ".qrels", *SUFFIXES)
_STEPS = "what has been read of the upload"
# The files that the page shows, with the name of their data.
_SHOWN = "shown"

T = TypeVar("T")


class UploadedFile(Protocol):
    """A file that a visitor has uploaded."""

    @property
    def name(self) -> str: ...
    @property
    def file_id(self) -> str: ...
    def getvalue(self) -> bytes: ...


class _Sized(NamedTuple):
    """LETOR text with query ids added to its rows, from a file of query sizes."""

    name: str
    file_id: str
    getvalue: Callable[[], bytes]


def panel(values: Values, change: Change) -> None:
    """Draw the uploads of data, rankings and ratings."""
    st.divider()
    _data(values, change)
    upload_model.rankings(values, change)
    upload_model.ratings(values)


def _data(values: Values, change: Change) -> None:
    """Draw the upload of files; report errors line by line, or offer a data set."""
    files: Sequence[UploadedFile] = st.file_uploader(
        "Your own data",
        type=KINDS,
        key="upload",
        accept_multiple_files=True,
        max_upload_size=50,
        help="LETOR or SVMlight text (`label qid:7 1:0.3 2:0.1 # id`, also as .gz), or "
        "CSV or Parquet with a label and a query column. Or a feature log of "
        "Elasticsearch, OpenSearch or Solr (.json, .ndjson) with its judgements beside "
        "it (CSV, TREC qrels or lines such as `4 qid:7 # id`). `train.txt.query` has "
        "the number of rows of each query of `train.txt`. One file is split by "
        "query; of several, the names say which is for training, validation and test. "
        "They stay on this machine.",
    )
    if not files:
        st.session_state.pop(_STEPS, None)
        example_log.button(change)
        return
    outcome = st.container()
    try:
        # Reading repeats their warnings.
        with gathered_warnings():
            extra = choices.options_of(" ".join(file.file_id for file in files))
            files = _with_judgements(_sized(files))
            options = _columns(files, extra)
            weights = _weights_files(options)
            chosen = _division(files, options)
    except DataError as error:
        outcome.error(texts.literal(str(error)), icon=":material/error:")
        choices.ask([error])
        return
    with outcome, st.spinner(f"Reading {', '.join(file.name for file in files)} …"):
        splits = _read(files, weights, options, chosen)
        if splits is not None:
            choices.ask()
            _offer(files, splits, chosen, values, change)


def _sized(files: Sequence[UploadedFile]) -> Sequence[UploadedFile]:
    """Return the files without files of query sizes, merged into their texts."""
    sizes = {file.name: file for file in files if file.name.endswith(SUFFIXES)}
    data = [file for file in files if file.name not in sizes]
    if not data:
        problem, remedy = "There are only query sizes", "Add the file they describe"
        raise DataError(problem, remedy, files[0].name)

    def sized(file: UploadedFile) -> UploadedFile:
        item = next((sizes[n] for s in SUFFIXES if (n := file.name + s) in sizes), None)
        if item is None:
            return file
        key = f"{file.file_id} {item.file_id}"
        rewritten = lambda: with_queries(file.getvalue(), item.getvalue())  # noqa: E731
        return _Sized(file.name, key, partial(_once, "sized", key, rewritten))

    return [sized(file) for file in data]


def _with_judgements(files: Sequence[UploadedFile]) -> Sequence[UploadedFile]:
    """Return the files, with judgements requested for a log without labels."""
    if _judgements(files) is not None or not all(map(_is_judged, files)):
        return files
    rows = _first_rows(files).rows
    if not rows or any(row.get("label") is not None for row in rows):
        return files
    added = st.file_uploader(
        "Add the judgements",
        type=[end for end in KINDS if not of_name(end).is_judged],
        key="upload_judgements",
        max_upload_size=50,
        help="CSV with a query, a document and a label column, TREC qrels, or lines "
        "such as `4 qid:7 # id`.",
    )
    return files if added is None else [*files, added]


def _offer(
    files: Sequence[UploadedFile],
    reading: tuple[Splits, Files],
    chosen: Division | None,
    values: Values,
    change: Change,
) -> None:
    """Describe the data that was read, and offer it to the page."""
    splits, read_again = reading
    names = [file.name for file in _by_split(files).values()]
    message = loaded_text(names, splits, chosen) + read_again.skipping
    st.success(texts.literal(message), icon=":material/check:")
    st.caption(label_meanings([part for part in splits if part is not None]))
    if weighted := splits.train.weighted_text:
        st.caption(texts.literal(f"Training queries are {weighted}."))
    if splits.train.has_document_weights:
        st.caption("Documents are weighted: losses use the weights, measures do not.")
    doctor.recipe(read_again, values.normalise)
    name, ids = datasets.upload_name(splits), " ".join(file.file_id for file in files)
    last, now = st.session_state[_STEPS], (ids, name, doctor.applied(ids))
    before = last.get(_SHOWN, ("", "", {}))
    if before != now:
        last[_SHOWN] = now
        if _store(splits, read_again) is not None:
            if before[0] == ids and before[1] != name:
                # A failed attempt uses no memory.
                datasets.drop(before[1])
            fresh = before[0] != ids and values.normalise == datasets.AS_GIVEN
            scaled = {"normalise": "standard"} if fresh else {}
            session.put({"data": name, "without": ()} | scaled)
            st.rerun()
    if values.data != name or datasets.missing(name):
        st.button(
            "Use this data",
            key="use_upload",
            type="primary",
            on_click=_use,
            args=(splits, read_again, change),
        )


def _use(splits: Splits, read_again: Files, change: Change) -> None:
    """Keep an upload and choose it, in a callback."""
    name = _store(splits, read_again)
    if name is not None:
        change({"data": name, "without": ()})


def _store(splits: Splits, read_again: Files) -> str | None:
    """Return the name of a stored upload; None, with a message, if there is no room."""
    try:
        return datasets.upload(splits, read_again)
    except DataError as error:
        st.toast(texts.literal(str(error)), icon=":material/block:", duration="long")
        return None


def _once(step: str, key: Hashable, make: Callable[[], T]) -> T:
    """Return the result of ``make``, called only if the key has changed since the last
    call. Its errors and warnings about the data are repeated."""
    steps = st.session_state.setdefault(_STEPS, {})
    if step not in steps or steps[step][0] != key:
        outcome: T | DataError
        with gathered_warnings() as sentences:
            try:
                outcome = make()
            except DataError as error:
                outcome = error.alone()
        steps[step] = key, outcome, sentences
    _, entry, sentences = steps[step]
    for sentence in sentences:
        warn_of_data(sentence)
    if isinstance(entry, DataError):
        raise entry.with_traceback(None)
    return entry


def _columns(files: Sequence[UploadedFile], extra: Mapping[str, str]) -> dict[str, Any]:
    """Return the reader's options: the choices and, for a table, its columns."""
    file = _table(files)
    if file is not None:
        return roles.menus(_look(file, extra), file.name) | dict(extra)
    if (rows := _first_rows(files)).rows:
        roles.first_rows(rows)
    return {option: extra[option] for option in extra if option != "header"}


def _weights_files(options: Mapping[str, Any]) -> dict[str, UploadedFile]:
    """Return the readable files with weights of queries and documents, except weights
    that a column has."""
    roles = [role for role in WEIGHTS_FILES if role not in options]
    if not roles:
        return {}
    with st.popover("Weights", key="upload_weighting", icon=":material/weight:"):
        files = {role: _weights_file(role) for role in roles}
    chosen = {role: file for role, file in files.items() if file is not None}
    _weights(chosen, options)
    return chosen


def _weights_file(role: str) -> UploadedFile | None:
    title, meaning = WEIGHTS_FILES[role]
    kinds, key = ["txt", "csv", "tsv"], f"upload_{role}"
    return st.file_uploader(title, kinds, key=key, max_upload_size=50, help=meaning)


def _first_rows(files: Sequence[UploadedFile]) -> FirstRows:
    """Return the first training rows, with their judgements if readable."""
    file, judged = _by_split(files)["train"], _judgements(files)
    try:
        labels = _reader_options(file, judged, {}).get("judgements")
    except DataError:
        labels = None
    key = file.file_id, labels and judged and judged.file_id
    return _once("first", key, lambda: first_rows(file.getvalue(), file.name, labels))


def _table(files: Sequence[UploadedFile]) -> UploadedFile | None:
    """Return the newest table, whose columns stand for those of all tables."""
    tables = [file for file in files if of_name(file.name).has_columns]
    return tables[-1] if tables and _judgements(files) is None else None


def _look(file: UploadedFile, options: Mapping[str, Any]) -> Preview:
    how = {name: options.get(name) for name in ("header", "encoding")}
    key = file.file_id, repr(how)
    return _once(
        "preview", key, lambda: preview_table(file.getvalue(), file.name, **how)
    )


def _division(
    files: Sequence[UploadedFile], columns: Mapping[str, Any]
) -> Division | None:
    """Return how the queries of one file are split; None for several files."""
    if len(_by_split(files)) > 1:
        return None
    groups, table = columns.get(GROUP, []), _table(files)
    cols = () if table is None else _look(table, columns).columns
    splits = (c.name for c in cols if c.splits and c.name in groups)
    return dividing.control(groups, next(splits, None))


def _read(
    files: Sequence[UploadedFile],
    weights: Mapping[str, UploadedFile],
    columns: Mapping[str, Any],
    chosen: Division | None,
) -> tuple[Splits, Files] | None:
    """Return the data of each split, or of one file split by query, and how to read it
    again; None, with the problems shown, if it is unreadable."""
    by_split, judged = _by_split(files), _judgements(files)
    ids = " ".join(one.file_id for one in files)
    beside = tuple((role, file.file_id) for role, file in weights.items())
    key = ids, beside, repr(columns)
    parse = partial(_parsed, by_split, judged, weights)
    find_problems = partial(_problems, by_split, judged, weights)
    examined = _once(
        "examined", key, lambda: examination(parse, find_problems, columns)
    )
    findings = [*examined.findings]
    if examined.data:
        of_data = partial(_shared, examined.data, by_split, chosen)
        findings += _once("shared", (key, chosen), of_data)
    doctor.show(findings, ids)
    remedies = chosen_options(findings, doctor.applied(ids))
    options = combined(columns, remedies)
    again = options if judged is None else options | {"judgements": judged.name}
    plain = examined.is_plain and options == columns
    key = ids, beside, repr(options)
    try:
        with gathered_warnings() as sentences:
            data = (
                examined.data if plain else _once("parsed", key, lambda: parse(options))
            )
        shared = remedies.get("shared")
        parts = _once(
            "divided",
            (key, chosen, shared),
            lambda: _divided(data, by_split, again, chosen, shared, weights),
        )
    except DataError as error:
        first = error.alone()
    else:
        warnings = examined.sentences if plain else sentences
        for sentence in (*warnings, *lacking_features(data.values())):
            st.warning(texts.literal(sentence), icon=":material/warning:")
        return parts
    with gathered_warnings():
        subject = (key, str(first))
        problems.show(_once("problems", subject, lambda: find_problems(first, options)))
    return None


def _shared(
    data: Mapping[str, RankingDataset],
    by_split: Mapping[str, UploadedFile],
    chosen: Division | None,
) -> list[Finding]:
    """Return the queries that are in two splits; empty if there are no splits."""
    try:
        return of_splits(_divided(data, by_split, {}, chosen)[0])
    except DataError:
        return []


def _problems(
    by_split: Mapping[str, UploadedFile],
    judged: UploadedFile | None,
    weights: Mapping[str, UploadedFile],
    first: DataError,
    options: Mapping[str, Any],
) -> Problems:
    """Return the problems of all files, or the first that concerns no single file."""
    if judged is not None and first.file == judged.name:
        text = in_utf8(judged.getvalue(), judged.name, options.get("encoding"))
        grades = options.get("labels")
        return find_judgement_problems(text, name=judged.name, labels=grades)
    if first.remedy.endswith(RAISE):
        return Problems([first], (), complete=False)
    reports = [
        find_problems(
            file.getvalue(),
            name=file.name,
            **_reader_options(file, judged, options),
            **_weights(weights, options),
        )
        for file in by_split.values()
    ]
    errors = [error for one in reports for error in one.errors]
    lines = reports[0].lines if len(reports) == 1 else ()
    complete = all(one.complete for one in reports)
    return Problems(errors, lines, complete) if errors else Problems([first], (), True)


def _reader_options(
    file: UploadedFile, judged: UploadedFile | None, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a file's reader options, with a log's judgements."""
    columns = {name: of for name, of in options.items() if name not in WEIGHTS_FILES}
    extra = of_name(file.name).accepted(columns)
    if judged is None or not _is_judged(file):
        return extra
    grades, encoding = extra.get("labels"), extra.pop("encoding", None)
    text = in_utf8(judged.getvalue(), judged.name, encoding)
    read_them = partial(read_judgements, text, name=judged.name, labels=grades)
    labels = _once("judged", (judged.file_id, grades, encoding), read_them)
    return {**extra, "judgements": labels}


def _parsed(
    by_split: Mapping[str, UploadedFile],
    judged: UploadedFile | None,
    weights: Mapping[str, UploadedFile],
    options: Mapping[str, Any],
) -> dict[str, RankingDataset]:
    """Return the data of each file."""
    each = {
        split: read(
            file.getvalue(),
            name=file.name,
            **_reader_options(file, judged, options),
            **_weights(weights, options),
        )
        for split, file in by_split.items()
    }
    if WEIGHTS not in weights:
        return each
    name = weights[WEIGHTS].name
    return {split: replace(data, weights_name=name) for split, data in each.items()}


def _weights(
    files: Mapping[str, UploadedFile], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the weights of queries and documents, from their files or columns."""
    readers = {WEIGHTS: read_query_weights, DOCUMENT_WEIGHTS: read_document_weights}
    chosen = {role: options[role] for role in readers if role in options}
    for role, file in files.items():
        make = partial(readers[role], file.getvalue(), file.name)
        chosen[role] = _once(role, file.file_id, make)
    return chosen


def _divided(
    data: Mapping[str, RankingDataset],
    by_split: Mapping[str, UploadedFile],
    options: Mapping[str, Any],
    chosen: Division | None,
    shared: str | None = None,
    weights: Mapping[str, UploadedFile] = MappingProxyType({}),
) -> tuple[Splits, Files]:
    """Return the splits of all files, or of one."""
    names = {split: file.name for split, file in by_split.items()}
    if chosen is None:
        division, splits = None, Splits(**same_features(data, Path(names["train"])))
    else:
        whole = data["train"]
        division = datasets.division(whole, chosen)
        splits = Splits(whole) if division is None else division.divide(whole)
    splits = splits.distinct() if shared else splits
    beside = {role: file.name for role, file in weights.items()}
    return splits, Files(names, options, division, shared, **beside)


def _by_split(files: Sequence[UploadedFile]) -> dict[str, UploadedFile]:
    """Return the newest file of each split, or of all if no name gives a split.

    A corrected file thus replaces its predecessor.
    """
    logs = [file for file in files if _is_judged(file)]
    data = files if _judgements(files) is None else logs
    newest = {part_named(file.name): file for file in data}
    if part_named(data[-1].name) is None or "train" not in newest:
        return {"train": data[-1]}
    return {split: newest[split] for split in Splits._fields if split in newest}


def _is_judged(file: UploadedFile) -> bool:
    """Whether the labels of a file may be in another one."""
    return of_name(file.name).is_judged


def _judgements(files: Sequence[UploadedFile]) -> UploadedFile | None:
    """Return the judgements of a feature log: the newest file that is no log."""
    others = [file for file in files if not _is_judged(file)]
    return others[-1] if len(others) < len(files) and others else None
