"""The link from a list of documents to the Inspector, the same on every page."""

from typing import Any

from pages.ui import examples, shared
from rankcore.views import Go, Values

PAGE = "inspect"
# The models of the race that the visitor looked at last: this and a number from 1.
RACE = "race-"
# The same of the models that were trained on Compare, and of those of its example.
COMPARED, SHIPPED = "compared-", "shipped-"
# The run of the example of Train.
SHIPPED_RUN = "shipped-run"
# Prefixes for the model that the visitor last selected: a cell of the map, a point of
# the path, a model of the search. Its place, value or number follows; for an example,
# `OF` and the example's name come after that.
CELL, POINT, SEARCHED, OF = "cell-", "point-", "search-", "~"
PLACES = {
    CELL: "explore/Map",
    POINT: "sparsity/One path",
    SEARCHED: "explore/Search/Search",
}
TERMS = (
    shared.DATA,
    shared.NORMALISE,
    shared.WITHOUT,
    shared.PART,
    shared.QUERY,
    shared.MEASURE,
    shared.CONVENTION,
    shared.SEED,
)


def compared(name: str, values: Values) -> Any:
    """Return the study of Compare that has the model of that name, or None."""
    if name.startswith(SHIPPED):
        return examples.study("compare", "Curves and differences")
    return values.work("compare/Runs")


def made_name(kind: str, at: str, subject: Any, values: Values) -> str:
    """Return the name of a model, of a kind of `PLACES`, of the study with a subject;
    empty where that is neither the visitor's last one nor an example."""
    if subject is getattr(values.work(PLACES[kind]), "subject", None):
        return f"{kind}{at}"
    page, view, *_ = PLACES[kind].split("/")
    name = examples.name(page, view, subject, values)
    return name and f"{kind}{at}{OF}{name}"


def made_by(name: str, values: Values) -> Any:
    """Return the study that has the model of such a name; None if there is none."""
    kind, example = name[: name.find("-") + 1], name.partition(OF)[2]
    page, view, *_ = PLACES[kind].split("/")
    return examples.find(page, view, example) if example else values.work(PLACES[kind])


def inspect(values: Values, **chosen: Any) -> Go:
    """Return the link to the query that the settings choose, with further settings of
    the Inspector, such as ``run``, or others than in ``values``."""
    link = {row.key: values[row.key] for row in TERMS if row.key in values}
    settings = link | {key: value for key, value in chosen.items() if value}
    note = "Open this query in the Inspector: forces, swaps, features, changes."
    return Go("Inspect", PAGE, settings, note, "search")
