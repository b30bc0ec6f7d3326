"""Taking a query of the data into a list, without a browser."""

import pytest

from pages.ui.data.take_query import ORDER, take_query, taking
from pages.ui.shared import RANKING
from rankcore.data.catalogue import load_dataset
from rankcore.views import Act, Ask
from tests.viewing import values, view


def act(fold):
    """The button of the popover."""
    return next(block for block in fold.blocks() if isinstance(block, Act))


def test_the_labels_of_a_query_are_taken_in_the_order_asked_for():
    train = load_dataset("toy-2d").train
    result, order = train.query(1), train.feature_names[1]
    chosen = {"data": "toy-2d", "query": 2, "order": order}
    fold = take_query(RANKING, values(view("measures", "One list"), **chosen))

    ranked = result.y[(-result.X[:, 1]).argsort(kind="stable")].tolist()
    letters = "ABCDEFGHIJKL"
    expected = "-".join(f"{a}{y}" for a, y in zip(letters, ranked, strict=False))
    assert act(fold).changes() == {"ranking": expected}


def test_a_list_may_be_written_from_the_whole_query():
    result = values(view("measures", "One list"), data="toy-2d", query=3)
    fold = taking(
        RANKING, result, ORDER, lambda own, at: own.query(at).id, "All of it."
    )

    assert act(fold).changes() == {"ranking": load_dataset("toy-2d").train.query_ids[2]}
    items = [block.settings[0].key for block in fold.blocks() if isinstance(block, Ask)]
    assert items == ["data", "part", "query", "order"]


@pytest.mark.parametrize("data", ["toy-2d", "upload-00000000"])
def test_nothing_is_taken_from_data_that_are_not_here(data):
    result = values(view("measures", "One list"), data=data)
    assert act(take_query(RANKING, result)).disabled == (data != "toy-2d")
