"""Long lists: the bound on the error of a position as lists grow."""

from pages.ui import texts
from pages.views.approximation.one_list import RELEVANT, on_list
from rankcore.base.numbers import three_digits
from rankcore.topics.approximation.bounds import position_bound
from rankcore.views import Claim, Fact, Shown, Table, Values

NEAREST = 4.20074 - 4.13330
SHARPNESS = (50.0, 100.0, 150.0, 200.0, 300.0)
LENGTHS = (5, 100, 1000)
PAPER = {
    (5, 100.0): "the paper: 0.00471",
    (1000, 200.0): "the paper: 0.001386",
    (1000, 100.0): "no useful bound",
}


def _bound(n: int, alpha: float) -> float:
    return float(position_bound(n, alpha, NEAREST))


def show(values: Values) -> Shown:
    """Return the bound of Theorem 1 for short and long lists at several values of α."""
    bounds = {f"n = {n}": [_bound(n, alpha) for alpha in SHARPNESS] for n in LENGTHS}
    columns = {name: [*map(three_digits, column)] for name, column in bounds.items()}
    title, note = "The bound of Theorem 1", "smallest score gap of Table 1, 0.0674"
    return Shown(
        [
            Fact(f"n = {n}, α = {alpha:g}", three_digits(_bound(n, alpha)), note)
            for (n, alpha), note in PAPER.items()
        ],
        [Table("bounds", title, note, {"α": SHARPNESS, **columns})],
        {"Bounds": {"α": SHARPNESS, **bounds}},
    )


CLAIM = Claim(
    "Long lists",
    *texts.both_tabs(__file__),
    (),
    show,
    {"approx_view": "One list", **on_list(RELEVANT, 100.0, 100.0, 2, "AP")},
    "Show it on the list",
)
