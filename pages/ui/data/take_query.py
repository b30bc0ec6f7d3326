"""Copying the documents of a query of the data into a list."""

from collections.abc import Callable

from pages.ui import shared
from pages.ui.data import datasets
from pages.ui.data.inspecting import inspect
from rankcore.base.errors import DataError
from rankcore.data.dataset import RankingDataset
from rankcore.topics.inspect.ranking import labels_in_order
from rankcore.topics.measuring import hand_list
from rankcore.views import (
    Act,
    Ask,
    Block,
    Caption,
    Listed,
    Notice,
    Popover,
    Setting,
    Values,
)

QUERY_OF_DATA = shared.DATA.beside(), shared.NORMALISE.beside(), *shared.WHICH_QUERY
AS_GIVEN = "as in the data"


def _orders(values: Values) -> list[str]:
    try:
        return [AS_GIVEN, *shared.split(values).feature_names]
    except ValueError:
        return [AS_GIVEN]


ORDER = Listed(
    "order",
    AS_GIVEN,
    "In the order",
    meaning="A feature puts its highest values first.",
    names=_orders,
    inline=True,
)


def take_query(target: Setting, values: Values) -> Popover:
    """Return a popover that puts the first documents of a query into a list; the values
    have data, split, query and `ORDER`."""

    def write(dataset: RankingDataset, place: int) -> str:
        feature = None if values.order == AS_GIVEN else values.order
        return hand_list.labelled(labels_in_order(dataset, place, feature))

    return taking(
        target,
        values,
        ORDER,
        write,
        f"Its first {hand_list.MOST} documents, labels at most {hand_list.HIGHEST}.",
    )


def taking(
    target: Setting,
    values: Values,
    by: Setting,
    write: Callable[[RankingDataset, int], str],
    note: str,
) -> Popover:
    """Return a popover that puts a query of the data into a list.

    ``write`` returns the list as text, from the split and the query's position in it;
    ``by`` are further controls, such as an order; ``note`` says how many documents are
    taken.
    """

    def blocks() -> list[Block]:
        rows = [shared.DATA, shared.PART, shared.QUERY, by]
        sentence: Block = Caption(note)
        try:
            datasets.of(values)
            shared.split(values).check_whole("lists by hand have")
        except DataError as error:
            sentence = Notice(str(error), "database_off", warns=True)
        return [
            *(Ask([row.beside()]) for row in rows),
            Act(
                "Take it",
                f"take_{target.key}",
                lambda: {target.key: write(shared.split(values), values["query"] - 1)},
                disabled=isinstance(sentence, Notice),
            ),
            inspect(values),
            sentence,
        ]

    return Popover("Take a query of the data", f"take_into_{target.key}", blocks)
