"""Leaderboard: algorithms by data sets, with intervals and printed values."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain

from pages.ui import shared
from pages.ui.data import stored_runs
from pages.views.papers import _stored_runs
from rankcore import views
from rankcore.measures import CONVENTIONS
from rankcore.topics.papers import computed
from rankcore.topics.papers.boards import Place, comparable, tied
from rankcore.topics.papers.leaderboard_figure import leaderboard_figure, rows_of
from rankcore.topics.papers.results import other_rules_text, printed_beside

MEASURE = replace(shared.MEASURE, key="board_measure")
CONVENTION = views.Choice(
    "board_convention",
    "letor3",
    "Evaluation rules",
    meaning="The papers use the LETOR scripts.",
    names=tuple(CONVENTIONS),
)
PRINTED = views.Choice(
    "board_printed", "show", "Printed values", names=("show", "hide")
)
SORT = views.Choice(
    "board_sort",
    "OHSUMED",
    "Sort by the mean on",
    names=lambda values: [*computed.every().boards] or ["OHSUMED"],
)
# Rows of the table; more rows would push the figure below the first screen.
FEW = 20
ROWS = views.Choice(
    "board_rows",
    "best",
    "Algorithms drawn",
    names={"best": f"The best {FEW}", "all": "All algorithms"},
    inline=True,
    bare=True,
)
NUMBERS = ("mean", "95% from", "to", "features kept", "training seconds")
FORMATS = dict.fromkeys(NUMBERS, "%.3g") | {"p against the best": "%.2g"}
EMPTY: list[views.Block] = [
    views.Notice(
        "No results yet: rankscope reproduce all --data FOLDER fills this page."
    ),
    views.Caption("FOLDER contains the five folds of OHSUMED or MQ2008."),
]


def show(values: views.Values) -> views.Shown:
    """Return every algorithm on every data set, the best first."""
    boards = computed.every().boards
    if not boards:
        return views.Shown((), EMPTY)
    measure, convention = values.board_measure, values.board_convention
    every = {name: computed.places(name, measure, convention) for name in boards}
    columns = sorted(boards, key=lambda name: name != values.board_sort)
    places = {name: every[name] for name in columns if every[name]}
    notes = [
        views.Notice(
            f"The results on {name} lack rankings, and {measure} is not among them: "
            f"rankscope reproduce all --data FOLDER computes them for every measure."
        )
        for name in boards
        if name not in places
    ]
    if not places:
        return views.Shown((), notes)
    beside, refused = _stored_runs.beside(values)
    shown = places if values.board_printed == "show" else ()
    printed = {dataset: printed_beside(dataset, measure) for dataset in shown}
    order = _order(places)
    most = FEW if values.board_rows == "best" else None
    systems = comparable(printed, convention)
    picture = leaderboard_figure(
        boards, places, order, measure, systems, values.palette, beside, most
    )
    panel = views.Panel(
        "papers_board",
        "Leaderboard",
        "Bars: 95% intervals over queries. Paired tests against the highest mean, "
        "adjusted by Holm.",
        picture,
    )
    rows, title = rows_of(boards, places, printed, beside), "Features and seconds"
    table = views.Table("board_table", title, "", rows, FORMATS, height=420)
    other_rules = other_rules_text(printed, convention)
    origins = ". ".join(f"{name}: {boards[name].made}" for name in places)
    blocks: list[views.Block] = [
        panel,
        *([views.Ask([ROWS])] if len(order) > FEW else ()),
        views.Caption(f"{origins}. Hyperparameters and iteration: by validation."),
        *([views.Notice(other_rules)] if other_rules else []),
        *notes,
        *refused,
        *views.errors(computed.problem()),
        table,
    ]
    return views.Shown([_best(name, each) for name, each in places.items()], blocks)


def _order(places: Mapping[str, Mapping[str, Place]]) -> list[str]:
    """Return the algorithms by their mean on the first data set, then on the others."""
    means = {
        name: [-each[name].mean if name in each else 1.0 for each in places.values()]
        for name in dict.fromkeys(chain.from_iterable(places.values()))
    }
    return sorted(means, key=means.__getitem__)


def _best(dataset: str, each: Mapping[str, Place]) -> views.Fact:
    best, *others = tied(each)
    mean = f"{each[best].mean:.3f}"
    if not others:
        return views.Fact(f"Best on {dataset}", best, f"{mean}, all others below it")
    return views.Fact(
        f"Tied for the best on {dataset}",
        f"{len(others) + 1} of {len(each)}",
        f"highest mean: {best}, {mean}",
    )


VIEW = views.View(
    "Leaderboard",
    "How algorithms compare on each data set, with intervals and printed values.",
    (MEASURE, CONVENTION, PRINTED, SORT, stored_runs.RUNS, ROWS),
    show,
)
