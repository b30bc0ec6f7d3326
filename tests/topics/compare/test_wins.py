"""Wins, ties and losses, and the documents that two models rank differently."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankcore.topics.compare.wins import ideal_order, moved_documents, wins
from rankcore.topics.inspect.ranking import QueryRanking


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=30),
    st.floats(0, 0.5),
)
def test_each_query_is_won_tied_or_lost_once(pairs, tolerance):
    first, second = map(np.array, zip(*pairs, strict=True))
    result = wins([str(i) for i in range(len(pairs))], first, second, tolerance)
    assert result.wins + result.ties + result.losses == len(pairs)
    assert result.wins == sum(a - b > max(tolerance, 1e-12) for a, b in pairs)
    assert (np.diff(result.differences) <= 1e-12).all()
    turned = wins(result.ids, result.second, result.first, tolerance)
    assert (turned.wins, turned.losses) == (result.losses, result.wins)


def test_a_difference_of_rounding_is_a_tie():
    assert wins(["q"], [0.1 + 0.2], [0.3]).ties == 1


def test_the_table_says_who_is_better():
    words = {"a": "query a “blue mug”"}
    table = wins("ab", [0.5, 0.2], [0.1, 0.6], 0.1, words).rows("X", "Y")
    assert table["query"] == ["query a “blue mug”", "query b"]
    assert table["outcome"] == ["X better", "Y better"]


def ranking(documents, labels):
    places = np.argsort(np.argsort(-np.array(labels), kind="stable"), kind="stable")
    scores = np.arange(len(labels))[::-1] * 1.0
    return QueryRanking(tuple(documents), np.array(labels), scores, places, 0.5)


def test_moves_of_relevant_documents_to_the_top_come_first():
    # c (label 2) goes from 3 to 1, a (label 1) from 1 to 3; d and e (label 0) swap.
    first = ranking("abcde", [1, 0, 2, 0, 0])
    second = ranking("cbaed", [2, 0, 1, 0, 0])
    documents = moved_documents(first, second)
    assert [(one.document, one.first, one.second) for one in documents] == [
        ("c", 3, 1), ("a", 1, 3), ("d", 4, 5), ("e", 5, 4)
    ]  # fmt: skip
    assert len(moved_documents(first, second, most=1)) == 1
    assert moved_documents(first, first) == []


def test_the_ideal_order_is_by_label():
    order = ideal_order(ranking("abc", [0, 2, 1]))
    assert order.documents == ("b", "c", "a")
    assert order.labels.tolist() == [2, 1, 0]
