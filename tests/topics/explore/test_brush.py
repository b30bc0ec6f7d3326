"""Brushes: read strictly, written back, and the models they let through."""

import numpy as np
import pytest

from rankcore.topics.explore.brush import brush_text, let_through, read_brush

AXES = {
    "g": np.array([0.0, 0.2, 0.4, 0.9]),
    "features": np.array([10.0, 3.0, 7.0, 1.0]),
}


@pytest.mark.parametrize(
    "text",
    [
        "g:0.2..0.5",
        "g:0.2..0.5,0.8..1",
        "learning_rate:0..0.1;features:-1e-05..12",
        "g:0.5..0.5",
    ],
)
def test_a_brush_is_written_as_it_was_read(text):
    assert brush_text(read_brush(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "", "g", "g:", "g:0.2", "g:0.5..0.2", "g:0..1;g:0..1", "g:0..1;", "g:0..1,",
        "g:0..inf", "g:nan..1", "g:0...1..2", "2g:0..1", "g h:0..1", "g:0..1e999",
        "g:a..b", ":0..1", "g:0..1..2", "[[0, 1]]",
    ],
)  # fmt: skip
def test_other_texts_are_no_brush(text):
    assert read_brush(text) is None


def test_ranges_of_a_browser_are_lists_of_lists():
    ranges = {"g": [[0.123456789, 0.5]], "features": [], "seconds": [[0, 1], [2, 3]]}
    assert brush_text(ranges) == "g:0.12346..0.5;seconds:0..1,2..3"
    assert brush_text({"g": []}) == ""


def test_both_ends_of_a_range_are_let_through():
    assert let_through(AXES, {"g": [(0.2, 0.4)]}).tolist() == [False, True, True, False]


def test_any_range_of_an_axis_will_do_but_every_axis_counts():
    several = {"g": [(0.0, 0.1), (0.8, 1.0)]}
    assert let_through(AXES, several).tolist() == [True, False, False, True]
    both = several | {"features": [(5.0, 20.0)]}
    assert let_through(AXES, both).tolist() == [True, False, False, False]
    assert not let_through(AXES, both | {"features": [(50.0, 60.0)]}).any()


def test_axes_that_are_not_there_do_not_count():
    assert let_through(AXES, {"alpha": [(5.0, 6.0)]}).all()
