"""What a newcomer does on the first day works, and warns of nothing."""

import warnings

from tests.package.newcomer import steps


def test_the_twenty_steps_of_a_newcomer(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = steps(tmp_path)
    assert result["first"] == 8
    assert 0.8 < result["score"] <= 1.0
    assert result["queries"] == 6
    assert "p = " in result["verdict"] or "equal values" in result["verdict"]
    assert result["cells"] == 2
    assert result["iterations"] == 6
    assert result["figure"].data
    assert "LinearModel" in result["solr"]
    assert result["same"]
    assert result["rankings"] == 6 * 8
