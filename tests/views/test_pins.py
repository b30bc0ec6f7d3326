"""Pinned runs as links write them."""

import pytest

from rankcore.views.pins import (
    MOST_PINNED,
    Pin,
    read_pins,
    with_pin,
    without_pin,
    write_pins,
)

pytestmark = pytest.mark.unit

ONE = Pin("a-1", "Steps, short & sure", True, {"data": "toy-2d", "RSRank.g": "5"})
TWO = Pin("b_2")


def test_pins_are_read_back():
    assert read_pins(write_pins([ONE, TWO])) == [ONE, TWO]
    assert read_pins("") == []


def test_ids_alone_are_pins_too():
    assert read_pins("a,b,a") == [Pin("a"), Pin("b")]


@pytest.mark.parametrize("nonsense", ["name=x", "=", "&&", "hidden=1&name="])
def test_what_names_no_run_is_left_out(nonsense):
    assert read_pins(nonsense) == [] or not any(p.settings for p in read_pins(nonsense))


def test_the_newest_are_kept():
    many = [Pin(str(i)) for i in range(MOST_PINNED + 2)]
    assert read_pins(write_pins(many)) == many[2:]


def test_one_is_changed_or_removed():
    text = write_pins([ONE, TWO])

    assert read_pins(with_pin(text, "b_2", name="Long"))[1] == Pin("b_2", "Long")
    assert read_pins(without_pin(text, "a-1")) == [TWO]
