"""Taking the first documents of a query of the data into a list."""

from collections.abc import Callable

import numpy as np

from pages.ui import hand_list, shared
from pages.ui.setting import Listed, Setting, Values
from pages.ui.view import Act, Ask, Block, Caption, Fold
from rankcore.dataset import Query

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


def take_query(
    target: Setting,
    values: Values,
    written: Callable[[np.ndarray], str] = hand_list.labelled,
) -> Fold:
    """A popover that puts the first documents of a query into a list.

    Parameters
    ----------
    target : Setting
        The list.
    values : Values
        With data, split, query and `ORDER`.
    written : callable
        The list as text, from (m,) labels.
    """

    def blocks() -> list[Block]:
        return [
            Ask([shared.DATA.beside()]),
            Ask([shared.PART.beside()]),
            Ask([shared.QUERY.beside()]),
            Ask([ORDER]),
            Act("Take it", f"take_{target.key}", take),
            Caption(
                f"Its first {hand_list.MOST} documents, labels at most "
                f"{hand_list.HIGHEST}."
            ),
        ]

    def take() -> dict[str, str]:
        own = shared.query(values)
        return {target.key: written(own.y[_order(own, values.order)])}

    return Fold("Take a query of the data", f"take_into_{target.key}", blocks)


def _order(query: Query, name: str) -> np.ndarray:
    """(m,) positions in the order of the data, or of a falling feature."""
    if name == AS_GIVEN:
        return np.arange(len(query.y))
    column = list(query.feature_names).index(name)
    return np.argsort(-query.X[:, column], kind="stable")
