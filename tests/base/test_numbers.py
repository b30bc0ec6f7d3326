"""Numbers as people write them: read alike everywhere, refused alike."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankcore.base.numbers import quoted, read_number, three_digits
from tests.odd_texts import outcome


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-7", -7),
        ("+7", 7),
        (" 12\n", 12),
        ("007", 7),
        ("9" * 15, 10**15 - 1),
    ],
)
def test_whole_numbers(text, value):
    assert read_number(text, whole=True) == value
    assert read_number(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.5", 1 / 2), (".5", 1 / 2), ("5.", 5), ("-1e3", -1000), ("2E-1", 1 / 5)],
)
def test_real_numbers(text, value):
    assert read_number(text) == value
    with pytest.raises(ValueError, match="is not a whole number"):
        read_number(text, whole=True)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(
    "text",
    ["", " ", "-", ".", "e5", "1_0", "0x10", "inf", "-Infinity", "nan", "٣", "１", "²",
     "1 0", "1,5", "True", "None", "1j", "--1", "9" * 400, "9" * 5000, "1e999"],
)  # fmt: skip
def test_what_is_no_number(text, whole):
    with pytest.raises(ValueError, match=r"^.{1,100} that can be used here\.$"):
        read_number(text, whole)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_printed_number_reads_back(value):
    assert read_number(repr(value)) == value


@given(st.text())
@example("9" * 400)
def test_any_text_is_a_finite_number_or_none(text):
    for whole in (True, False):
        value, sentence = outcome(read_number, text, whole)
        if sentence is None:
            assert math.isfinite(value)
            assert isinstance(value, int if whole else float)
            assert text.strip().isascii()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (3, "3"),
        ("word", "'word'"),
        ("9" * 400, f"'{'9' * 39}… (400 characters)"),
        ([1] * 400, "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, … (1200 characters)"),
    ],
)
def test_what_is_long_is_shown_in_short(value, shown):
    assert quoted(value) == shown


def test_what_python_does_not_write_is_described():
    assert quoted(10**5000) == "a number of thousands of digits"
    assert quoted([10**5000]) == "a number of thousands of digits"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.0, "0"),
        (2 / 3, "0.667"),
        (999.4, "999"),
        (-999.6, "-1.0 · 10³"),
        (0.001, "0.001"),
        (0.00099, "9.9 · 10⁻⁴"),
        (-2.5e-13, "-2.5 · 10⁻¹³"),
        (123456.0, "1.2 · 10⁵"),
        (math.nan, "undefined"),
    ],
)
def test_three_digits(value, written):
    assert three_digits(value) == written
