"""A list of scores and labels: how it is changed, one document at a time."""

import pytest

from rankcore.topics.approximation import score_list

LIST = "0.5:0, 0.2:1, -0.3:4"


def test_a_score_is_rounded_to_a_thousandth_of_the_spread():
    assert score_list.with_score(LIST, 1, 0.123456) == "0.5:0, 0.1235:1, -0.3:4"
    assert score_list.with_score("400:0, 0:1", 1, 12.345678) == "400:0, 12.3:1"
    assert score_list.with_score("1:0, 1:1", 0, 2.00049) == "2:0, 1:1"


def test_a_label_begins_again_after_the_highest():
    assert score_list.relabelled(LIST, 0, 3) == "0.5:3, 0.2:1, -0.3:4"
    assert score_list.relabelled(LIST, 2, 5) == "0.5:0, 0.2:1, -0.3:0"


@pytest.mark.parametrize("place", [-1, 3])
def test_a_document_that_is_not_there_changes_nothing(place):
    assert score_list.with_score(LIST, place, 1.0) == LIST
    assert score_list.relabelled(LIST, place, 1) == LIST


@pytest.mark.parametrize("score", [float("nan"), float("inf"), -2e6])
def test_a_score_out_of_range_changes_nothing(score):
    assert score_list.with_score(LIST, 0, score) == LIST
