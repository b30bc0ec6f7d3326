"""Leaderboard: algorithms by data sets, with intervals and printed values."""

from pages.views.papers import _found
from rankcore.charts.leaderboard import leaderboard_figure, rows_of
from rankcore.papers.bench import CONVENTIONS, MEASURES
from rankcore.papers.results import printed_beside
from rankcore.views import (
    Caption,
    Choice,
    Fact,
    Listed,
    Notice,
    Panel,
    Shown,
    Table,
    Values,
    View,
)

MEASURE = Listed("board_measure", "nDCG@10", "Measure", names=MEASURES)
CONVENTION = Choice(
    "board_convention",
    "letor3",
    "Evaluation rules",
    meaning="The papers use the LETOR scripts.",
    names=CONVENTIONS,
)
PRINTED = Choice(
    "board_printed",
    "show",
    "Printed values",
    names=("show", "hide"),
)


def show(values: Values) -> Shown:
    """Every learner on every data set, the best first."""
    found = _found.every()
    if not found.boards:
        return Shown(
            (),
            [
                Notice(
                    "Nothing has been trained yet: rankscope reproduce all --data "
                    "FOLDER fills this page."
                ),
                Caption("FOLDER holds the five folds of OHSUMED or MQ2008."),
            ],
        )
    key = f"{values.board_convention} {values.board_measure}"
    boards = found.boards
    printed = {
        dataset: printed_beside(dataset, values.board_measure)
        if values.board_printed == "show"
        else {}
        for dataset in boards
    }
    means: dict[str, list[float]] = {}
    for board in boards.values():
        best = max(one.places[key].mean for one in board.values())
        for name, one in board.items():
            means.setdefault(name, []).append(one.places[key].mean - best)
    # Learners on all data sets first; then by their mean distance from the best.
    order = sorted(means, key=lambda n: (-len(means[n]), -sum(means[n])))
    picture = leaderboard_figure(boards, order, key, printed, values.palette)
    facts = [
        Fact(
            f"Best on {dataset}",
            max(board, key=lambda name: board[name].places[key].mean),
            f"{max(one.places[key].mean for one in board.values()):.3f}",
        )
        for dataset, board in boards.items()
    ]
    panel = Panel(
        "papers_board",
        "Leaderboard",
        "bar: 95 % interval over queries; circle: not significantly below the best "
        "(paired tests, Holm, 5 %); diamond: below it; hollow: printed",
        picture,
    )
    rows = rows_of(boards, order, key, printed)
    numbers = ("mean", "95 % from", "to", "features kept", "training seconds")
    formats = dict.fromkeys(numbers, "%.4g") | {"p against the best": "%.2g"}
    table = Table("board_table", "Features and seconds", "", rows, formats, height=420)
    return Shown(
        facts,
        [
            panel,
            Caption(f"{found.made}. Hyperparameters and iteration by validation."),
            table,
        ],
    )


VIEW = View(
    "Leaderboard",
    "How algorithms compare on each data set, with intervals and printed values.",
    (MEASURE, CONVENTION, PRINTED),
    show,
)
