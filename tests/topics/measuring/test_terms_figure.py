"""The picture of a measure's terms draws their areas, and those of the ideal order."""

import numpy as np
import pytest

from rankcore.measures import parse
from rankcore.plot.palette import DARK, LIGHT
from rankcore.topics.measuring.terms import measure_terms, measures_with_terms
from rankcore.topics.measuring.terms_figure import terms_figure
from tests.viewing import trace

LABELS = (0, 2, 1, 0, 1)


def drawn(measure, labels=LABELS, palette=LIGHT):
    terms = measure_terms(labels, measure)
    names = "ABCDEFGHIJKL"[: len(labels)]
    picture = terms_figure(terms, labels, names, str(measure), palette)
    picture.figure()
    return terms, picture


@pytest.mark.parametrize("palette", [LIGHT, DARK])
@pytest.mark.parametrize("measure", measures_with_terms(4), ids=str)
def test_the_ratio_of_areas_is_the_value(measure, palette):
    terms, picture = drawn(measure, palette=palette)
    list_, ideal = trace(picture, "list"), trace(picture, "ideal order")
    area = (list_["y"] * list_["width"]).sum()

    assert area / terms.rectangles.whole == pytest.approx(terms.value)
    assert (ideal["y"] * ideal["width"]).sum() == terms.rectangles.ideal_area
    heading = picture.layout["annotations"][0]["text"]
    assert f"{measure} = {terms.value:.3f}" in heading
    assert ("÷ outlined" in heading) == (measure.name in ("nDCG", "AP", "RR"))
    assert picture.numbers()["adds"] is terms.terms


def test_rectangles_stand_side_by_side_and_those_without_width_are_left_out():
    _, picture = drawn(parse("nDCG@3"))
    list_ = trace(picture, "list")
    left, right = (list_["x"] + side * list_["width"] / 2 for side in (-1, 1))

    assert left[0] == 0.0
    assert left[1:] == pytest.approx(right[:-1])
    assert picture.layout["xaxis"]["ticktext"] == ["1<br>A", "2<br>B", "3<br>C"]
    assert picture.layout["xaxis"]["tickvals"].tolist() == list_["x"].tolist()


def test_precision_is_drawn_at_relevant_documents_only():
    _, picture = drawn(parse("AP"))

    assert picture.layout["xaxis"]["ticktext"] == ["2<br>B", "3<br>C", "5<br>E"]
    assert trace(picture, "list")["y"] == pytest.approx([1 / 2, 2 / 3, 3 / 5])


def test_a_measure_whose_terms_are_no_products_has_bars():
    terms = measure_terms(LABELS, parse("nDCG"))._replace(rectangles=None)
    picture = terms_figure(terms, LABELS, "ABCDE", "Hits")
    picture.figure()

    (bars,) = picture.data
    assert bars["width"].tolist() == [1.0] * 5
    assert bars["y"].tolist() == terms.terms.tolist()


def test_a_list_without_relevant_documents_draws_nothing_and_says_so():
    _, picture = drawn(parse("nDCG@3"), (0, 0, 0))

    assert picture.alt == "nDCG@3 is undefined."
    assert not np.any(trace(picture, "list")["y"])
