"""Settings: what they take, what they refuse, and how they fit their values."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

from live_figure import ExactPlace
from pages.ui.catalogue import pages
from pages.ui.shared import PLACE
from rankcore.algorithms import get_algorithm
from rankcore.topics.measuring import hand_list
from rankcore.views import (
    Choice,
    DraggedRanking,
    Listed,
    Number,
    Points,
    Several,
    Text,
    Values,
    declared,
    read,
)
from tests.odd_texts import ODD, outcome, texts

NONE = Values({})


def every_setting():
    """Every setting of every view, and those of the place in a lesson, by key."""
    entries = {row.key: row for row in PLACE}
    for page in pages().values():
        if page.choice is not None:
            entries[page.key] = page.choice
        for view in page.views.values():
            entries = {row.key: row for row in view.every_row()} | entries
    return entries


EVERY = every_setting()
SHARE = Number("share", 0.5, low=0.0, high=1.0)
COUNT = Number("count", 3, low=1, high=9, whole=True)
FREE = Number("free", 1.0, low=1e-6)
STOPS = Number("stops", 2.0, stops=(0.5, 2.0, 10.0))
COLOUR = Choice("colour", "red", names={"red": "Red", "blue": "Blue"})
SHADES = Several("shades", ("red",), names=("red", "blue", "green"), least=1, most=2)


@given(text=texts)
@settings(max_examples=30)
def test_any_text_is_a_permitted_value_or_refused_with_a_sentence(text):
    for key, row in EVERY.items():
        value, sentence = outcome(row.parse, text)
        if sentence is not None:
            assert len(sentence) < 2500, key
            assert len(sentence.split()) > 3, key
        else:
            assert row.parse(row.format(value)) == value, key
            assert not isinstance(value, float) or math.isfinite(value), key


VIEWS = [
    pytest.param(view, id=f"{page.name}-{name}")
    for page in pages().values()
    for name, view in page.views.items()
]


@pytest.mark.parametrize("view", VIEWS)
def test_any_permitted_value_gives_one_that_counts(view):
    """As after a change of data, or on the way from another page."""
    rows = view.rows({})
    for row in rows:
        for text in [*ODD, "1000000", "3", "0.5", "zz", "test"]:
            value, refusal = outcome(row.parse, text)
            if refusal is None and row.computed is None:
                result = read(rows, {"data": "toy-2d", row.key: value})[row.key]
                assert row.check(result) == result, (row.key, text)


@pytest.mark.parametrize(
    ("row", "text", "words"),
    [
        (SHARE, "much", "share must be a number, not 'much'"),
        (SHARE, "1.5", "share must be from 0 to 1, not '1.5'"),
        (SHARE, "inf", "share must be a number, not 'inf'"),
        (COUNT, "1.5", "count must be a whole number, not '1.5'"),
        (COUNT, "0", "count must be from 1 to 9, not '0'"),
        (COUNT, "9" * 400, "count must be "),
        (FREE, "-1", "free must be at least 1e-06, not '-1.0'"),
        (STOPS, "3", "stops must be one of 0.5, 2, 10, not '3.0'"),
        (COLOUR, "green", "colour must be one of red, blue, not 'green'"),
        (SHADES, "red,pink", "shades must be one of red, blue, green, not 'pink'"),
    ],
)
def test_what_is_not_permitted_is_said_with_what_is(row, text, words):
    assert outcome(row.parse, text)[1].startswith(words)


@pytest.mark.parametrize(
    ("row", "value"),
    [
        (SHARE, 0.0),
        (SHARE, 1 / 3),
        (SHARE, 1e-300),
        (COUNT, 9),
        (Number("documents", 1, low=1, whole=True), 1_000_000),
        (FREE, 4.20074),
        (STOPS, 10.0),
        (COLOUR, "blue"),
        (SHADES, ("red", "green")),
        (SHADES, ()),
    ],
)
def test_a_value_reads_back_from_its_text(row, value):
    parse = row.parse(row.format(value))
    assert parse == value
    assert type(parse) is type(value)


def test_a_truth_is_no_number():
    assert outcome(COUNT.check, True)[1] == ("count must be a whole number, not 'True'")


def test_a_number_gives_way_to_the_end_of_its_range_or_to_its_default():
    assert SHARE.fitted(0.25, NONE) == 0.25
    assert SHARE.fitted("nonsense", NONE) == SHARE.default
    assert COUNT.fitted(12, NONE) == COUNT.default


def test_a_number_beyond_what_the_data_has_begins_again():
    query = Number(
        "query", 1, low=1, whole=True, limits=lambda values: (1, values.queries)
    )
    assert query.fitted(4, Values({"queries": 4})) == 4
    assert query.fitted(5, Values({"queries": 4})) == 1
    assert query.parse("400") == 400


def test_a_name_that_is_not_offered_gives_way():
    offered = {"few": ("a", "b"), "other": ("b", "c")}
    row = Choice(
        "row", "a", names=lambda values: offered[values.kind], every=("a", "b", "c")
    )
    few, other = Values({"kind": "few"}), Values({"kind": "other"})
    assert row.fitted("b", few) == row.fitted("b", other) == "b"
    assert row.fitted("c", few) == "a"
    assert row.fitted("a", other) == "b"
    assert outcome(row.parse, "d")[1] == "row must be one of a, b, c, not 'd'"
    assert row.examples(other) == ("b", "c")


def test_names_that_depend_on_others_may_be_any_where_none_are_listed():
    row = Choice("row", "a", names=lambda values: values.names)
    assert row.parse("d") == "d"


def test_several_are_as_few_and_as_many_as_there_may_be():
    assert SHADES.fitted(("blue", "pink"), NONE) == ("blue",)
    assert SHADES.fitted(("blue", "red", "green"), NONE) == ("blue", "red")
    assert SHADES.fitted(("blue", "blue"), NONE) == ("blue",)
    assert SHADES.fitted((), NONE) == ("red",)


def test_a_text_is_what_its_reader_takes():
    row = Text("row", "", read=lambda text: text or None, rule="Write something.")
    assert row.parse("x") == "x"
    assert row.parse("") == ""
    ranking = DraggedRanking("list", "A0-B1", read=hand_list.read, rule=hand_list.RULE)
    assert ranking.parse("B4-A0-C1") == "B4-A0-C1"
    for nonsense in ("A9-B0", "A1-A2", "A1", "x", "A1--B2"):
        assert hand_list.RULE in outcome(ranking.parse, nonsense)[1]


def test_a_box_that_is_searched_may_take_more_than_it_lists():
    def even(text: str) -> str:
        if len(text) % 2:
            raise ValueError(f"{text} is odd")
        return text

    row = Listed("row", "ab", names=("ab", "cd"), reads=even)
    assert row.parse("efgh") == "efgh"
    assert row.fitted("efg", NONE) == "ab"
    assert outcome(row.parse, "efg")[1] == "efg is odd"


def test_points_move_one_at_a_time_and_read_back():
    row = Points("row", "", start=np.array([[1.0, 0.0], [0.0, 1.0]]))
    begun = Values({"row": ""})
    changes = row.moved(begun, 1, (0.5, -0.25))
    assert changes == {"row": "1,0;0.5,-0.25"}
    assert row.points(Values(changes)).tolist() == [[1, 0], [0.5, -0.25]]
    assert row.moved(begun, 2, (0, 0)) == {}
    assert row.moved(begun, 0, (2 * row.LARGEST, 0)) == {}


def test_a_point_is_put_back_to_the_last_digit():
    row = Points("row", "", start=np.array([[1 / 3, 0.0], [0.0, 1.0]]))
    values = Values({"row": "0.123456,0;0,1"})
    back = [ExactPlace(n) for n in row.points(values)[0]]
    moved = row.moved(values, 0, (0.25, 1 / 3))
    assert moved == {"row": "0.25,0.333;0,1"}
    assert row.moved(Values(moved), 0, back) == values
    # To where all begin, which no text holds.
    moved = row.moved(Values({"row": ""}), 0, (0.5, 0.0))
    assert row.moved(Values(moved), 0, [ExactPlace(1 / 3), ExactPlace(0.0)]) == {
        "row": ""
    }


@pytest.mark.parametrize("text", ["1,0", "1,0;0,1;1,1", "1,0,0;0,1,0"])
def test_points_of_another_form_are_where_they_begin(text):
    row = Points("row", "", start=np.eye(2))
    assert row.parse(text) == text
    assert row.points(Values({"row": text})).tolist() == np.eye(2).tolist()


@pytest.mark.parametrize("text", ["x", "1,0;1", "1,nan", "1e9,0", ";"])
def test_what_is_no_point_is_refused(text):
    assert "write points as 1,0;-1,1" in outcome(Points("row", "").parse, text)[1]


def test_a_setting_that_does_not_matter_has_its_default():
    rows = [
        COLOUR,
        Number("depth", 3, shown_when=lambda values: values.colour == "blue"),
    ]
    assert read(rows, {"depth": 5}).depth == 3
    assert read(rows, {"depth": 5, "colour": "blue"}).depth == 5


def test_a_computed_setting_follows_those_before_it():
    double = Number("double", 6, computed=lambda values: 2 * values.count)
    assert read([COUNT, double], {"count": 4, "double": 99}).double == 8


def test_hyperparameters_are_settings_by_their_declaration():
    algorithm = get_algorithm("RSRank")
    rows = {row.key: row for row in declared(algorithm)}
    g = rows["RSRank.g"]
    values = read(list(rows.values()), {"RSRank.g": 33.3})

    assert "RSRank.random_state" not in rows
    assert values.of(algorithm)["g"] == 33.3
    assert g.declared.meaning in g.meaning
    assert g.declared.range_text in g.meaning
    assert g.declared.symbol in g.title
    assert g.fitted("much", NONE) == g.default
    assert outcome(g.parse, "-1")[1].startswith("g must be a number of at least 0")


def test_values_are_read_by_key_and_as_attributes():
    values = Values({"count": 3, "RSRank.g": 1.0})
    assert values.count == values["count"] == 3
    assert values | {"count": 4} == Values({"count": 4, "RSRank.g": 1.0})
    assert values.only("count") == (("count", 3),)
    with pytest.raises(AttributeError, match="no setting 'depth'"):
        _ = values.depth
