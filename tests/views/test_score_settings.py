"""A list of scores that is typed, or changed one document at a time."""

import pytest

from rankcore.views import read
from rankcore.views.score_settings import score_settings

LIST = score_settings("own_", "3:1, 2:0, 1:2", "Change one document")


def values(**chosen):
    return read(LIST, chosen)


def test_a_document_has_the_score_and_label_that_the_list_gives_it():
    result = values(own_document="3", own_score=7.0, own_label=4)
    assert (result.own_score, result.own_label) == (1.0, 2)
    assert LIST.document.labels(result)["3"] == "x3"


@pytest.mark.parametrize("document", ["4", "0", "x1"])
def test_a_document_that_is_not_there_gives_way_to_the_first(document):
    assert values(own_document=document).own_score == 3.0


def test_a_document_is_chosen_by_its_number():
    with pytest.raises(ValueError, match="own_document must be one of 40 names"):
        LIST.document.check("x1")


def test_a_score_and_a_label_change_the_list():
    result = values(own_document="2")
    assert LIST.score.writes(result, 2.5) == {"own_list": "3:1, 2.5:0, 1:2"}
    assert LIST.label.writes(result, 4) == {"own_list": "3:1, 2:4, 1:2"}


def test_a_typed_list_is_written_as_links_hold_it():
    assert LIST.text.writes(values(), "2:1 1:0\n0:0") == {"own_list": "2:1, 1:0, 0:0"}


@pytest.mark.parametrize(
    "nonsense",
    ["", "3", "3:1", "3:9, 1:0", "nan:1, 1:0", "1e9:0, 0:0", "a:b, c:d", "1:0;" * 41],
)
def test_nonsense_is_refused_with_the_rule_and_gives_way_to_the_default(nonsense):
    with pytest.raises(ValueError, match="Write 2 to 40 documents as score:label"):
        LIST.text.check(nonsense)
    assert values(own_list=nonsense).own_list == LIST.text.default
