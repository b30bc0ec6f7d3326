"""The Explain panel, and controls whose link holds names while people read labels."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.controls import measures
from rankcore.algorithms import FAMILIES, by_family, get_algorithm, list_algorithms
from rankcore.insight.explanation import explanation, markdown
from rankcore.measures import CONVENTIONS, list_measures, parse


def parts(name):
    from pages.ui import explain
    from rankcore.algorithms import get_algorithm
    from rankcore.hyperparameters import hyperparameters

    chosen = get_algorithm(name)
    declared = hyperparameters(chosen)
    explain.algorithm(chosen, {key: row.default for key, row in declared.items()})
    explain.background(chosen)
    explain.measure("nDCG@10", "letor3")
    explain.all_algorithms()


@pytest.mark.parametrize("name", list_algorithms())
def test_every_algorithm_is_explained(name):
    page = AppTest.from_function(parts, args=(name,), default_timeout=60).run()

    assert not page.exception
    shown = " ".join(block.value for block in page.markdown)
    formulas = [block.value.strip("$\n") for block in page.latex]
    assert get_algorithm(name).equation in formulas
    assert get_algorithm(name).paper in " ".join(line.value for line in page.caption)
    assert ":math:" not in shown
    assert ".. math::" not in shown
    assert "``" not in shown


@pytest.mark.parametrize("name", list_algorithms())
def test_the_story_has_a_title_and_a_paper(name):
    story = explanation(get_algorithm(name))

    assert story.title
    assert story.about


def test_a_docstring_becomes_markdown():
    text = "A :math:`x\n  + y` and\n\n.. math::\n\n    z^2\n    + 1\n\nafter ``it``."

    assert markdown(text) == "A $x + y$ and\n\n$$\nz^2\n+ 1\n$$\n\nafter `it`."


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("kind", list_measures(), ids=lambda kind: kind.name)
def test_every_measure_has_a_formula_and_says_what_its_letters_mean(kind, convention):
    at = "@7" if kind.cutoffs == "always" else ""
    measure = parse(f"{kind.name}{at}")
    formula = measure.formula(CONVENTIONS[convention])

    assert formula.count("{") == formula.count("}")
    assert kind.name in formula
    assert measure.letters


def defined(name):
    from pages.ui import explain

    explain.measure(name)


@pytest.mark.parametrize("kind", list_measures(), ids=lambda kind: kind.name)
def test_every_measure_is_shown_with_its_paper(kind):
    at = "@7" if kind.cutoffs == "always" else ""
    page = AppTest.from_function(defined, args=(f"{kind.name}{at}",)).run()

    assert not page.exception
    assert f"Paper: {kind.paper}" in [line.value for line in page.caption]


def test_the_formula_of_ndcg_follows_the_convention():
    measure = parse("nDCG@5")

    assert r"\log_2(1 + r)" in measure.formula(CONVENTIONS["standard"])
    assert r"\log_2 r" in measure.formula(CONVENTIONS["letor3"])
    assert r"\le 5" in measure.formula(CONVENTIONS["standard"])


def test_every_kind_of_measure_is_suggested():
    offered = measures()

    assert offered[0] == "nDCG@10"
    assert {parse(name).name for name in offered} == {k.name for k in list_measures()}


def test_every_algorithm_is_in_one_family():
    families = by_family()
    names = [name for members in families.values() for name in members]

    assert sorted(names, key=str.lower) == list_algorithms()
    assert set(families) <= set(FAMILIES)


def test_the_panel_is_closed_at_first(run_page):
    page = run_page("train", data="planted")

    assert not page.latex[1:]


def test_a_typed_measure_is_used_and_a_wrong_one_explained(run_page):
    page = run_page("train", data="planted", measure="ndcg@7")
    assert not page.exception
    captions = [html.proto.body for html in page.get("html")]
    assert any("nDCG@7" in body for body in captions)

    page = run_page("train", data="planted", measure="nDGC@7")
    assert not page.exception
    assert "Did you mean nDCG" in page.warning[0].value


def test_the_link_holds_the_name_and_the_box_shows_the_title(run_page):
    page = run_page("train", data="planted")
    box = page.selectbox(key="choose_data")

    assert box.value == "planted"
    assert "Planted sparse model" in box.options
    box.select("toy-2d").run()
    assert page.query_params["data"] == "toy-2d"
    page.selectbox(key="choose_data").select("mslr10k-sample").run()
    assert "data" not in page.query_params


def test_algorithms_are_offered_by_family(run_page):
    page = run_page("train", data="planted")
    options = page.selectbox(key="choose_algorithm").options
    families = [option.rpartition(" · ")[2] for option in options]

    assert len(options) == len(list_algorithms())
    assert families == [f for f, names in by_family().items() for _ in names]
