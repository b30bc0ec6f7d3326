"""Cells of the tables that commands print."""

from rankcore.cli._output import text


def test_a_number_that_rounds_to_zero_has_no_sign():
    assert [text(cell) for cell in (-0.00001, -0.5, 0.25, None, 3)] == [
        *("0.0000", "-0.5000", "0.2500", "–", "3")
    ]
