"""The link from a list of documents to the Inspector, the same on every page."""

from typing import Any

from pages.ui import examples, shared
from rankcore.views import Go, Values

PAGE = "inspect"
# Prefix for the models of the race viewed last; a number from 1 follows.
RACE = "race-"
# The same for the models trained on Compare, and for those of its example.
COMPARED, SHIPPED = "compared-", "shipped-"
# The run in Train's example.
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
    """Return Compare's study with the model of that name, or None."""
    if name.startswith(SHIPPED):
        return examples.study("compare", "Curves and differences")
    return values.work("compare/Runs")


def made_name(kind: str, at: str, subject: Any, values: Values) -> str:
    """Return the name of a model, of a kind in `PLACES`, of the study with a subject;
    empty if that is neither the visitor's last study nor an example."""
    if subject is getattr(values.work(PLACES[kind]), "subject", None):
        return f"{kind}{at}"
    page, view, *_ = PLACES[kind].split("/")
    name = examples.name(page, view, subject, values)
    return name and f"{kind}{at}{OF}{name}"


def made_by(name: str, values: Values) -> Any:
    """Return the study whose model has such a name; None if there is none."""
    kind, example = name[: name.find("-") + 1], name.partition(OF)[2]
    page, view, *_ = PLACES[kind].split("/")
    return examples.find(page, view, example) if example else values.work(PLACES[kind])


def inspect(values: Values, **chosen: Any) -> Go:
    """Return the link that opens the selected query in the Inspector, with further
    settings, such as ``run``, or replacements of those in ``values``."""
    link = {row.key: values[row.key] for row in TERMS if row.key in values}
    settings = link | {key: value for key, value in chosen.items() if value}
    note = "Open this query in the Inspector: forces, swaps, features, changes."
    return Go("Inspect", PAGE, settings, note, "search")
