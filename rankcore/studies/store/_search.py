"""Queries of runs: the database searches, filters, sorts and counts them."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import (
    JSON,
    BindParameter,
    ColumnElement,
    Connection,
    Table,
    Text,
    and_,
    bindparam,
    case,
    cast,
    func,
    literal,
    not_,
    null,
    or_,
    select,
    true,
    type_coerce,
)

from rankcore.data.dataset import scaling_words
from rankcore.measures import STANDARD
from rankcore.studies.owners import common_read_only
from rankcore.studies.store import _process
from rankcore.studies.store._database import StoreError, from_json
from rankcore.studies.store._stored import settings_text
from rankcore.studies.store._tables import runs, sound

if TYPE_CHECKING:
    import pandas as pd

# Sort keys of lists, and whether the largest comes first.
SORTS: Mapping[str, bool] = {
    "newest": True,
    "oldest": False,
    "best": True,
    "last": True,
    "iterations": True,
    "seconds": True,
    "title": False,
    "algorithm": False,
    "data": False,
}
# Columns of sort keys whose names differ.
SORT_COLUMNS: Mapping[str, str] = {"newest": "created", "oldest": "created"}
STATUSES = ("running", "finished", "stopped", "interrupted", "failed")
# Terms that values depend on besides model and measure.
TERMS = ("data", "normalisation", "convention", "empty", "valid_fingerprint")
# Columns not computed from others.
_CHECKED = ("hyperparameters", "curve", "tags", "created")
FACETS = ("algorithm", "data", "tag", "measure")
_FEW = 10
# More runs than a store usually has.
_MANY = 20_000
OTHERS = "{} belongs to another visitor: only its owner can change it."
COMMON = (
    "{} is common: delete it by `rankscope runs delete`, and restore it with --undo."
)
READ_ONLY = "{} is common, and read-only on this server."


@dataclass(frozen=True)
class Query:
    """A selection of runs and their order.

    Attributes
    ----------
    text : str
        Search words. A run matches if each word is in its title, algorithm, data, notes
        or tags, is one of its settings, such as ``g = 30``, or begins its id. The case
        of A to Z is ignored.
    algorithm, data, tag : str
        Filters; empty for any.
    status : str
        One of `STATUSES`; empty for any.
    measure : str
        Measure of the validation values ``best`` and ``last``.
    sort : str
        One of `SORTS`; runs without a value come last, ties newest first. Values are
        compared only on the same terms: ``best`` and ``last`` sort by the name of the
        data first.
    deleted : bool
        Whether to query runs deleted but not yet removed instead.
    visitor : str
        Only runs of this visitor and, unless deleted, common runs, which are those of
        the command line and Python; empty for all.
    """

    text: str = ""
    algorithm: str = ""
    data: str = ""
    status: str = ""
    tag: str = ""
    measure: str = "nDCG@10"
    sort: str = "newest"
    deleted: bool = False
    visitor: str = ""


class StoredRuns(NamedTuple):
    """A page of the runs found by a query.

    Attributes
    ----------
    table : DataFrame
        One row per run, indexed by id: ``title``, ``algorithm``, ``settings``
        (non-default ones, as text), ``data``, ``status``, ``best`` and ``last``
        (validation values of the query's measure), ``best_iteration``, ``iterations``,
        ``seconds``, ``seed``, ``curve`` (a few values from the first iteration to the
        last), ``tags``, ``notes``, ``created``, ``terms`` (data and rules of the
        values, which are comparable only on the same terms).
    total : int
        Total number of runs found.
    """

    table: "pd.DataFrame"
    total: int


class Count(NamedTuple):
    """Number of runs that share a value on the same terms.

    Attributes
    ----------
    terms : str
        As in the table of `StoredRuns`.
    best : float or None
        The highest validation value among them.
    newest : datetime
        When the latest of them began, UTC.
    """

    value: str
    terms: str
    runs: int
    best: float | None
    newest: datetime

    def row(self, title: str, measure: str, with_terms: bool) -> dict[str, Any]:
        """Return a table row, optionally with the terms."""
        return {
            title: self.value,
            **({"values of": self.terms} if with_terms else {}),
            "runs": self.runs,
            f"best {measure}": self.best,
            "newest (UTC)": f"{self.newest:%Y-%m-%d %H:%M}",
        }


def search(
    connection: Connection,
    query: Query,
    limit: int | None,
    offset: int,
    silent: timedelta,
) -> StoredRuns:
    """See `rankcore.studies.store.Store.search`."""
    import pandas as pd

    columns = _columns(connection, query, silent)
    where = _where(connection, query, columns["status"])
    total = connection.execute(select(func.count()).where(where)).scalar_one()
    wanted = select(*(column.label(name) for name, column in columns.items()))
    order = _order(query.sort, columns)
    selected = wanted.where(where).order_by(*order).limit(limit).offset(offset)
    selection = connection.execute(selected).mappings()
    rows = [sound(row, _CHECKED)[0] for row in selection]
    table = pd.DataFrame(rows, columns=list(columns))
    texts = _term_texts([tuple(row[name] for name in TERMS) for row in rows])
    table = table.drop(columns=list(TERMS[1:])).assign(terms=texts)
    for name in ("best", "best_iteration", "last"):
        table[name] = table[name].astype(float)
    for name in ("best_ranks", "last_ranks"):
        table[name] = table[name].astype(bool)
    table["created"] = pd.to_datetime(table["created"], utc=True)
    table = table.rename(columns={"hyperparameters": "settings"})
    pairs = zip(table["algorithm"], table["settings"], strict=True)
    table["settings"] = [settings_text(*pair) for pair in pairs]
    return StoredRuns(table.set_index("id"), int(total))


def counted(
    connection: Connection, by: str, query: Query, silent: timedelta
) -> list[Count]:
    """See `rankcore.studies.store.Store.counts`."""
    columns = _columns(connection, query, silent)
    many = {"tag": runs.c.tags, "measure": runs.c.measures}
    column = cast(many[by], Text) if by in many else columns[by]
    rows = connection.execute(
        select(
            column.label("value"),
            func.count().label("runs"),
            func.max(columns["best"]).label("best"),
            func.max(runs.c.created).label("newest"),
            *(columns[name].label(name) for name in TERMS),
        )
        .where(_where(connection, query, columns["status"]))
        .group_by(column, *(columns[name] for name in TERMS))
    ).all()
    texts = _term_texts([tuple(getattr(row, name) for name in TERMS) for row in rows])
    groups: dict[tuple[str, str], list[Count]] = defaultdict(list)
    total: Counter[str] = Counter()
    for row, terms in zip(rows, texts, strict=True):
        for value in _listed(row.value) if by in many else [row.value]:
            newest = row.newest
            count = Count(value, terms, row.runs, row.best, newest)
            groups[value, terms].append(count)
            total[value] += row.runs
    return sorted(
        (_joined(count) for count in groups.values()),
        key=lambda one: (-total[one.value], one.value, -one.runs, one.terms),
    )


def facets(connection: Connection, visitor: str) -> dict[str, list[str]]:
    """See `rankcore.studies.store.Store.facets`."""
    fields = runs.c
    columns = (
        fields.algorithm,
        fields.data,
        cast(fields.tags, Text),
        cast(fields.measures, Text),
    )
    rows = connection.execute(
        select(*columns, func.count())
        .where(~fields.deleted, visible(runs, visitor))
        .group_by(*columns)
    ).all()
    counts: dict[str, Counter[str]] = {name: Counter() for name in FACETS}
    for algorithm, data, tags, measures, count in rows:
        counts["algorithm"][algorithm] += count
        counts["data"][data] += count
        for name, values in (("tag", tags), ("measure", measures)):
            counts[name].update(dict.fromkeys(_listed(values), count))
    return {
        name: sorted(counter, key=lambda value: (-counter[value], value))
        for name, counter in counts.items()
    }


def _listed(text: str) -> list[str]:
    """Return a list of texts from JSON; empty if damaged."""
    values = from_json(text)
    texts = values if isinstance(values, list) else []
    return [value for value in texts if isinstance(value, str)]


def visible(table: Table, visitor: str, deleted: bool = False) -> ColumnElement[bool]:
    """Return the condition for runs or sweeps visible to a visitor: own and common
    ones; only own ones if deleted, because only their owner can restore them."""
    if not visitor:
        return true()
    common = table.c.visitor.is_(None)
    of_visitor = and_(not_(common), table.c.visitor == visitor)
    return of_visitor if deleted else or_(of_visitor, common)


def refuse(
    connection: Connection,
    table: Table,
    keys: Sequence[str],
    visitor: str,
    deletes: bool,
) -> None:
    """Raise StoreError if a visitor may not change, or delete and restore, one of these
    runs or sweeps."""
    own_only = deletes or common_read_only()
    others = select(table.c.id, table.c.visitor).where(
        table.c.id.in_(keys), not_(visible(table, visitor, own_only))
    )
    other = connection.execute(others.limit(1)).first()
    if other is not None:
        common = COMMON if deletes else READ_ONLY
        problem = common if other.visitor is None else OTHERS
        raise StoreError(problem.format(other.id))


def beginning(connection: Connection, key: str, deleted: bool) -> list[str]:
    """Return a few ids with a given beginning, newest first."""
    wanted = select(runs.c.id).where(
        runs.c.deleted == deleted, runs.c.id.startswith(key, autoescape=True)
    )
    return list(
        connection.execute(wanted.order_by(runs.c.created.desc()).limit(_FEW)).scalars()
    )


def _joined(counts: Sequence[Count]) -> Count:
    bests = [part.best for part in counts if part.best is not None]
    return counts[0]._replace(
        runs=sum(part.runs for part in counts),
        best=max(bests, default=None),
        newest=max(part.newest for part in counts),
    )


def _term_texts(every: Sequence[tuple[Any, ...]]) -> list[str]:
    """Return the terms of runs as text: the data, and non-default rules; data of the
    same name are distinguished by a few digits of their validation fingerprints."""
    words = {one: _in_words(*one[:-1]) for one in every}
    doubles = Counter(words.values())
    texts = {
        one: f"{text} ({one[-1][:6] if one[-1] else 'no validation'})"
        if doubles[text] > 1
        else text
        for one, text in words.items()
    }
    return [texts[one] for one in every]


def _in_words(data: str, normalisation: str | None, convention: str, empty: str) -> str:
    usual = STANDARD
    parts = [data or "Unnamed data"]
    parts += [f"features {scaling_words(normalisation)}"] if normalisation else []
    parts += [convention] * (convention != usual.convention)
    parts += [f"empty queries {empty}"] * (empty != usual.empty)
    return ", ".join(parts)


def _columns(
    connection: Connection, query: Query, silent: timedelta
) -> dict[str, ColumnElement[Any]]:
    columns = runs.c
    best, last = (
        _figures(connection, column) for column in (columns.best, columns.last)
    )
    computed = {
        "status": _status(connection, silent),
        "best": _value(best, query.measure),
        "best_ranks": not_(_nothing(best)),
        "best_iteration": best["iteration"].as_float(),
        "last": _value(last, query.measure),
        "last_ranks": not_(_nothing(last)),
    }
    names = (
        *("id", "title", "algorithm", "hyperparameters", "data", *computed),
        *("iterations", "seconds", "seed", "curve", "tags", "notes", "created"),
        *TERMS[1:],
    )
    return {
        name: computed[name] if name in computed else columns[name] for name in names
    }


def _figures(connection: Connection, column: ColumnElement[Any]) -> Any:
    """Return a column of metrics without damaged ones, on which SQLite would fail
    entirely."""
    if connection.dialect.name != "sqlite":
        return column
    return type_coerce(case((func.json_valid(column) == 1, column)), JSON)


def _value(figures: ColumnElement[Any], measure: str) -> ColumnElement[Any]:
    """Return the validation value of a model; none if it ranks nothing."""
    value = figures[f"valid {measure}"].as_float()
    return case((_nothing(figures), null()), else_=value)


def _nothing(figures: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return whether a model ranks nothing; older runs store only its features."""
    features, ranks = figures["nonzeros"].as_float(), figures["ranks"].as_float()
    return (func.coalesce(ranks, 1.0) == 0.0) | (func.coalesce(features, 1.0) == 0.0)


def _status(connection: Connection, silent: timedelta) -> ColumnElement[Any]:
    """Return the displayed status: a run whose process has ended is interrupted.

    There are few processes, even for many runs.
    """
    here, under_way = _process.host(), runs.c.status == "running"
    processes = select(runs.c.process).where(under_way, runs.c.host == here).distinct()
    gone = [
        name for name in connection.execute(processes).scalars() if _process.gone(name)
    ]
    late = datetime.now(UTC) - silent
    lost = or_(
        and_(runs.c.host == here, runs.c.process.in_(gone)),
        and_(runs.c.host != here, runs.c.updated < late),
    )
    return case((and_(under_way, lost), literal("interrupted")), else_=runs.c.status)


def _where(
    connection: Connection, query: Query, status: ColumnElement[Any]
) -> ColumnElement[bool]:
    if query.status and query.status not in STATUSES:
        statuses = ", ".join(STATUSES)
        raise ValueError(f"The status of a run is {statuses}, not {query.status!r}.")
    conditions: list[ColumnElement[bool]] = [
        runs.c.deleted == query.deleted,
        visible(runs, query.visitor, query.deleted),
    ]
    for column, value in (
        (runs.c.algorithm, query.algorithm),
        (runs.c.data, query.data),
        (status, query.status),
    ):
        if value:
            conditions.append(column == value)
    if query.tag:
        conditions.append(_tagged(json.dumps(query.tag)))
    words = re.sub(r"\s*=\s*", "=", query.text).split()
    so = _set_so(connection, words, and_(*conditions)) if words else {}
    conditions += [
        or_(_says(word), runs.c.id.in_(_id_list(so[word]))) for word in words
    ]
    return and_(*conditions)


def _id_list(keys: Sequence[str]) -> BindParameter[str]:
    """Return ids as query text, because databases allow about 32,000 parameters."""
    return bindparam(None, keys, expanding=True, literal_execute=True)


def _says(word: str) -> ColumnElement[bool]:
    columns = runs.c
    texts = (columns.title, columns.algorithm, columns.data, columns.notes)
    spelt = {word, word.replace("=", " = ")}
    return or_(
        *(text.icontains(way, autoescape=True) for text in texts for way in spelt),
        *(_tagged(json.dumps(way)[1:-1]) for way in spelt),
        columns.id.startswith(word, autoescape=True),
    )


def _set_so(
    connection: Connection, words: Sequence[str], where: ColumnElement[bool]
) -> dict[str, list[str]]:
    """Return the given runs that have every word in their settings."""
    query = select(runs.c.id, runs.c.algorithm, cast(runs.c.hyperparameters, Text))
    texts = [
        (key, _settings_text(*run))
        for key, *run in connection.execute(query.where(where))
    ]
    sought = {word: f" {word.strip(',').lower()} " for word in words}
    return {
        word: [key for key, words in texts if text in words]
        for word, text in sought.items()
    }


@lru_cache(maxsize=_MANY)
def _settings_text(algorithm: str, content: str) -> str:
    """Return the search text, between spaces, of hyperparameters in JSON: the words of
    `said`, and each hyperparameter by symbol and name."""
    from rankcore.algorithms import get_algorithm
    from rankcore.base.hyperparameters import hyperparameters, in_words

    try:
        algorithm_class = get_algorithm(algorithm, installed=False)
    except ValueError:
        return ""
    values = from_json(content)
    if not isinstance(values, dict):
        return ""
    words = re.split("[ ,=]+", in_words(algorithm_class, values))
    for name, row in hyperparameters(algorithm_class).items():
        value = row.short(values.get(name, row.default))
        called = name, row.symbol.lstrip("\\"), row.brief.split()[-1]
        words += [f"{one}={value}" for one in called if one]
    return f" {' '.join(words)} ".lower()


def _tagged(text: str) -> ColumnElement[bool]:
    """Return whether tags, as JSON, contain a text."""
    return cast(runs.c.tags, Text).icontains(text, autoescape=True)


def _order(
    sort: str, columns: Mapping[str, ColumnElement[Any]]
) -> list[ColumnElement[Any]]:
    """Return the order of a list."""
    if sort not in SORTS:
        raise ValueError(f"Sort runs by {', '.join(SORTS)}, not by {sort!r}.")
    by = SORT_COLUMNS.get(sort, sort)
    column = columns[by]
    texts = ("title", "algorithm", "data")
    column = func.lower(column) if by in texts else column
    first = column.desc() if SORTS[sort] else column.asc()
    terms: list[ColumnElement[Any]] = []
    if sort in ("best", "last"):
        terms = [column.is_(None), *(columns[name] for name in TERMS)]
    return [*terms, first.nulls_last(), runs.c.created.desc(), runs.c.id]
