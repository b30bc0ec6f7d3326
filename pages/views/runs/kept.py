"""All stored runs: a figure of their results, the selection, and the table."""

import shlex
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from pages.ui.catalogue import pages
from pages.ui.serving import visitor
from pages.views.runs import _chosen, _find, _storage, _sweeps
from rankcore import views
from rankcore.base.numbers import counted, listed
from rankcore.plot import Picture
from rankcore.topics.runs import runs_figure as charts
from rankcore.topics.runs.titles import run_names, run_titles

if TYPE_CHECKING:
    import pandas as pd

    from rankcore.studies.store import Store, StoredRuns

TABLE_HEIGHT = 300
# Up to this many rows are visible without scrolling.
FEW = 8
NUMBERS = {"best": "%.3f", "last": "%.3f", "seconds": "%.3g"}
NOT_KEPT = "Training still works, and a run can be exported while it is in memory."
NO_VALUE = "No run here has a value of {} on validation queries."
# Values on different data or by different rules are not comparable: each has a figure.
MOST_TERMS = 6
LOWER = 220
MORE_TERMS = "{} more data sets or rules: choose one under More."
# Options of `rankscope runs list`.
OPTIONS = {
    "--search": _find.SEARCH,
    "--algorithm": _find.ALGORITHM,
    "--data": _find.DATA,
    "--status": _find.STATUS,
    "--tag": _find.TAG,
    "--sort": _find.SORT,
    "--measure": _find.MEASURE,
}
PYTHON = """from rankcore.studies.store import Query, open_store

with open_store() as store:
    found = store.search({})
print(found.table)
"""

PICTURE = views.Choice(
    "runs_picture",
    "curves",
    "Figure",
    names={"curves": "Curves", "algorithms": "By algorithm", "time": "Over time"},
    inline=True,
    bare=True,
    studied=False,
)


def show(values: views.Values) -> views.Shown:
    """Return facts, a figure of the runs, the selected runs, and the table."""
    from rankcore.studies.store import StoreError

    store = views.past.store()
    if store is None:
        return _without_store(views.past.problem() or "Runs are not stored.")
    try:
        return _listing(store, values)
    except StoreError as error:
        return _without_store(error.public)


def _listing(store: "Store", values: views.Values) -> views.Shown:
    listing, begins = _find.listed_runs(store, values)
    some = bool(listing.total) or _narrowed(values)
    beside = _chosen.blocks(store, values, some)
    if not some:
        swept = _sweeps.blocks(store, values)
        return views.Shown(blocks=[*_nothing(values), *beside, *swept])
    chosen = _chosen.ids(values)
    listed = listing.table.iloc[begins : begins + _find.ROWS]
    looks: list[views.Block] = [
        views.Ask([_find.SEARCH, _find.ALGORITHM, _find.SORT, _find.GROUP]),
        *_more(),
    ]
    table = (
        _groups(store, values)
        if values.runs_group
        else _table(listed, values, _total(store, listing, values))
    )
    blocks: list[views.Block] = [
        views.Row([looks[:1], looks[1:]], widths=(5, 1)),
        *(table if listing.total else _no_match()),
        *_selected(listing, values, beside),
        *_sweeps.blocks(store, values),
        *_storage.blocks(store, values),
    ]
    return views.Shown(
        blocks=blocks,
        files={
            **{f"run-{key}.json": _json_of(store, key) for key in chosen},
            **_rankings(chosen),
        },
        command=_command(values),
        python=PYTHON.format(_find.query(values)),
    )


def _selected(
    runs: "StoredRuns", values: views.Values, beside: list[views.Block]
) -> list[views.Block]:
    """Return the figure of the selected runs with the actions on them; without a
    selection, a hint."""
    if not _chosen.ids(values):
        return beside
    figure = _figure(runs, values)
    return [views.Row([figure, [views.Ask([PICTURE]), *beside]], widths=(13, 7))]


def _json_of(store: "Store", key: str) -> Any:
    return lambda: store.load(key).to_json()


def _rankings(chosen: Sequence[str]) -> dict[str, Any]:
    runs = (run for key in chosen if (run := views.past.stored(key)) is not None)
    return {name: file for run in runs for name, file in _chosen.rankings(run).items()}


def _without_store(problem: str) -> views.Shown:
    return views.Shown(
        blocks=[
            views.Notice(f"{problem} {NOT_KEPT}", "save", warns=True),
            views.Go("Train", "train", {}),
        ]
    )


def _nothing(values: views.Values) -> list[views.Block]:
    """Return a hint if there are no runs."""
    if values.runs_deleted:
        return [views.Notice("There are no deleted runs."), _back()]
    view = pages()["train"].view({})
    assert isinstance(view.work, views.Training)
    run, first = view.work.run, views.read(view.rows({}), {})
    return [
        views.Notice(
            "No runs in this browser yet. Train stores every run automatically."
        ),
        views.Begin(
            "Train a first run",
            "runs_first",
            "train",
            lambda: run(first, None),
            view.studied(first, {}),
            plays=True,
        ),
    ]


def _back() -> views.Act:
    return views.Act("Show stored runs", "runs_kept", {_find.BIN.key: ""})


def _no_match() -> list[views.Block]:
    cleared = {row.key: row.default for row in (_find.SEARCH, *_find.FILTERS)}
    return [
        views.Notice("No run matches the search and the filters."),
        views.Act(
            "Clear search and filters", "runs_clear", cleared, icon="filter_alt_off"
        ),
    ]


def _narrowed(values: views.Values) -> bool:
    rows = (_find.SEARCH, *_find.FILTERS)
    return any(values[row.key] != row.default for row in rows)


def _figure(runs: "StoredRuns", values: views.Values) -> list[views.Block]:
    """Return one figure per data set and evaluation rules, and the number of runs in
    them."""
    chosen = tuple(_chosen.ids(values))
    table = runs.table.assign(title=run_names(runs.table))
    measure, curves = values.runs_measure, values.runs_picture == "curves"
    if table.empty:
        return []
    rows = table[table["best"].notna()]
    if curves:
        selected = table.loc[[key for key in chosen if key in table.index]]
        rows = selected if len(selected) else table
    if rows.empty or curves:
        part = rows if curves else table
        notes = [] if curves else [views.Caption(NO_VALUE.format(measure))]
        part = part[[_drawable(curve) for curve in part["curve"]]]
        if part.empty:
            return [
                *notes,
                views.Notice(
                    "These runs have no curve: they ended before the first iteration."
                ),
            ]
        return [*notes, *_apart(part, _curves, values)]
    return _apart(rows, partial(_best, note=_extent(runs)), values)


def _apart(
    table: "pd.DataFrame", draw: Callable[..., views.Panel], values: views.Values
) -> list[views.Block]:
    """Return one figure per set of terms, those with the most runs first."""
    terms = list(table["terms"].value_counts(sort=True).index)
    height = charts.HEIGHT if len(terms) == 1 else LOWER
    panels: list[views.Block] = [
        draw(table[table["terms"] == one], values, number, height)
        for number, one in enumerate(terms[:MOST_TERMS])
    ]
    more = len(terms) - MOST_TERMS
    return [*panels, *([views.Caption(MORE_TERMS.format(more))] if more > 0 else [])]


def _best(
    frame: "pd.DataFrame", values: views.Values, number: int, height: int, note: str
) -> views.Panel:
    draw = charts.time_figure
    if values.runs_picture == "algorithms":
        draw = charts.algorithms_figure
    frame = frame.assign(chosen=frame.index.isin(_chosen.ids(values)))
    picture = draw(frame, values.runs_measure, values.palette, height)

    def clicked(trace: str, point: int, *place: Any) -> views.Changes:
        runs = frame.index[frame["algorithm"] == trace]
        return _choose([runs[point]]) if point < len(runs) else {}

    title = f"Best of each run on {frame['terms'].iloc[0]}"
    return views.Panel(
        _keyed("runs_best", number), title, note, picture, on_click=clicked
    )


def _extent(runs: "StoredRuns") -> str:
    count = len(runs.table)
    if count == runs.total:
        return "click a mark to choose its run"
    return f"{count:,} of {counted(runs.total, 'runs')}; click a mark to choose its run"


def _curves(
    rows: "pd.DataFrame", values: views.Values, number: int, height: int
) -> views.Panel:
    picture: Picture = charts.curves_figure(
        rows, values.runs_measure, values.palette, height
    )
    title = f"Curves on {rows['terms'].iloc[0]}"
    return views.Panel(
        _keyed("runs_curves", number), title, "validation queries", picture
    )


def _keyed(key: str, number: int) -> str:
    return f"{key}_{number}" if number else key


def _drawable(curve: Sequence[float | None] | None) -> bool:
    return any(value is not None for value in curve or ())


def _choose(keys: Sequence[str]) -> views.Changes:
    return {_chosen.CHOSEN.key: ",".join(keys), _chosen.AT.key: _chosen.AT.default}


def _total(store: "Store", runs: "StoredRuns", values: views.Values) -> str:
    """Return the fact with the number of runs."""
    narrowed = "found" if _narrowed(values) else "kept"
    count = counted(runs.total, "runs")
    lists = -(-runs.total // _find.ROWS)
    place = f", list {values.runs_list} of {lists:,} (More)" if lists > 1 else ""
    return f"{count} {narrowed}{place}, {_storage.size(store)} used"


def _table(frame: "pd.DataFrame", values: views.Values, note: str) -> list[views.Block]:
    chosen = _chosen.ids(values)
    ids = list(frame.index)
    columns: dict[str, Any] = {"Title": run_titles(frame)}
    for name in values.runs_columns:
        column = "terms" if name == "data" else name
        cells = [_plain(name, v) for v in frame[column]]
        if name in ("best", "last"):
            ranks = frame[f"{name}_ranks"]
            cells = [listed(*one) for one in zip(cells, ranks, strict=True)]
        columns[_find.COLUMNS[name]] = cells

    def selected(rows: Sequence[int]) -> views.Changes:
        elsewhere = [key for key in chosen if key not in ids]
        return _choose([*elsewhere, *(ids[row] for row in rows if row < len(ids))])

    formats = {_find.COLUMNS[name]: text for name, text in NUMBERS.items()}
    lines = [_find.COLUMNS["curve"]] if "curve" in values.runs_columns else []
    return [
        views.Table(
            "runs_table",
            "Runs",
            note,
            columns,
            {name: text for name, text in formats.items() if name in columns},
            on_select=selected,
            selected=[ids.index(key) for key in chosen if key in ids],
            lines=lines,
            height=TABLE_HEIGHT if len(ids) >= FEW else 0,
        )
    ]


def _plain(name: str, value: Any) -> Any:
    if name == "created":
        return f"{value:%Y-%m-%d %H:%M}"
    if name == "tags":
        return ", ".join(value)
    if name == "curve":
        return [v for v in value or () if v is not None]
    return value


def _groups(store: "Store", values: views.Values) -> list[views.Block]:
    """Return the table of run counts; choosing a row lists its runs."""
    by = values.runs_group
    counts = store.counts(by, _find.query(values))
    title = _find.GROUPS[by]
    several = len({count.terms for count in counts}) > 1
    rows = [count.row(title, values.runs_measure, several) for count in counts]
    if not rows:
        return [views.Notice(f"These runs have no {title.lower()}.")]
    return [
        views.Table(
            "runs_groups",
            f"Runs by {title.lower()}",
            "choose a row to see its runs",
            rows,
            {f"best {values.runs_measure}": "%.3f"},
            on_choose=lambda row: {
                f"runs_{by}": counts[row].value,
                _find.GROUP.key: "",
            },
            height=TABLE_HEIGHT,
        )
    ]


def _more() -> list[views.Block]:
    rows: list[views.Setting] = [_find.DATA, _find.STATUS, _find.TAG, _find.MEASURE]
    rows += [_find.SHOWN_COLUMNS, _find.BIN, _find.LIST]
    return [
        views.Popover("More", "runs_more", lambda: [views.Ask([row]) for row in rows])
    ]


def _command(values: views.Values) -> str:
    """Return the command that lists the same runs."""
    words = ["rankscope", "runs", "list"]
    for option, row in OPTIONS.items():
        if values[row.key] != row.default:
            words += [option, values[row.key]]
    # The store contains the runs of all visitors.
    if who := visitor.owner():
        words += ["--visitor", who]
    return shlex.join([*words, *(["--deleted"] if values.runs_deleted else [])])


VIEW = views.View(
    "Kept runs",
    "Results by algorithm and time; every run can be reopened.",
    [*_find.SETTINGS, PICTURE, *_chosen.SETTINGS, *_sweeps.SETTINGS],
    show,
)
