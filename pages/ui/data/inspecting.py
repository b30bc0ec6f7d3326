"""The link from a list of documents to the Inspector, the same on every page."""

from typing import Any

from pages.ui import examples, shared
from rankcore.views import Go, Values

PAGE = "inspect"
# The models of the race that the visitor looked at last: this and a number from 1.
RACE = "race-"
# The same of the models that were trained on Compare, and of those of its example.
COMPARED, SHIPPED = "compared-", "shipped-"
# The best model of a cell of the map, and that of a point of the path, that the visitor
# looked at last: this and the cell's place or the point's value.
CELL, POINT = "cell-", "point-"
MAP, PATH = "explore/Map", "sparsity/One path"
TAKEN = (
    shared.DATA,
    shared.NORMALISE,
    shared.PART,
    shared.QUERY,
    shared.MEASURE,
    shared.CONVENTION,
    shared.SEED,
)


def compared(name: str, values: Values) -> Any:
    """The study of Compare that has the model of that name; None if there is none."""
    if name.startswith(SHIPPED):
        return examples.study("compare", "Curves and differences")
    return values.work("compare/Runs")


def inspect(values: Values, **chosen: Any) -> Go:
    """The link to the query that the settings choose.

    Parameters
    ----------
    values : Values
        Those of data, split, query and measure that the view has count.
    **chosen
        Further settings of the Inspector, such as ``run``, or others than in
        ``values``.
    """
    known = {row.key: values[row.key] for row in TAKEN if row.key in values}
    settings = known | {key: value for key, value in chosen.items() if value}
    note = "Open this query in the Inspector: forces, swaps, features, changes."
    return Go("Inspect", PAGE, settings, note, "search")
