"""Texts of the Explain panel, made from declarations."""

import pytest
from markdown_it import MarkdownIt

from pages.ui import shared, texts
from rankcore.algorithms import FAMILIES, by_family, get_algorithm, list_algorithms
from rankcore.base.hyperparameters import hyperparameters
from rankcore.measures import CONVENTIONS, list_measures, parse
from rankcore.topics.train.explanation import explanation, markdown
from rankcore.views import Values
from tests.odd_texts import outcome

NAMES = [f"{k.name}@7" if k.cutoffs == "always" else k.name for k in list_measures()]


@pytest.mark.parametrize("name", list_algorithms())
def test_every_algorithm_is_explained(name):
    algorithm = get_algorithm(name)
    text = texts.algorithm(algorithm, {}) + texts.background(algorithm)

    assert algorithm.equation in text
    assert algorithm.paper in text
    assert ":math:" not in text
    assert ".. math::" not in text
    assert "``" not in text


@pytest.mark.parametrize("name", list_algorithms())
def test_every_symbol_that_counts_is_explained_with_its_value(name):
    algorithm = get_algorithm(name)
    declared = hyperparameters(algorithm)
    defaults = {key: row.default for key, row in declared.items()}
    text = texts.algorithm(algorithm, {})

    for row in declared.values():
        words = f"- ${row.symbol}$ = **{row.short(row.default)}**"
        assert (words in text) == bool(row.symbol and row.applies(defaults)), row.name


@pytest.mark.parametrize("name", list_algorithms())
def test_the_story_has_a_title_and_a_paper(name):
    story = explanation(get_algorithm(name))

    assert story.title
    assert story.about


def test_a_docstring_becomes_markdown():
    text = "A :math:`x\n  + y` and\n\n.. math::\n\n    z^2\n    + 1\n\nafter ``it``."

    assert markdown(text) == "A $x + y$ and\n\n$$\nz^2\n+ 1\n$$\n\nafter `it`."


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("name", NAMES)
def test_every_measure_has_a_formula_its_letters_and_its_paper(name, convention):
    measure = parse(name)
    formula = measure.formula(CONVENTIONS[convention])
    text = texts.measure(name, convention)

    assert formula.count("{") == formula.count("}")
    assert measure.name in formula
    assert measure.letters
    assert formula in text
    assert measure.letters in text
    assert f"Paper: {measure.paper}" in text


def test_the_formula_of_ndcg_follows_the_convention():
    measure = parse("nDCG@5")

    assert r"\log_2(1 + r)" in measure.formula(CONVENTIONS["standard"])
    assert r"\log_2 r" in measure.formula(CONVENTIONS["letor3"])
    assert r"\le 5" in measure.formula(CONVENTIONS["standard"])


def test_every_algorithm_is_in_one_family_and_listed_there():
    families = by_family()
    names = [name for members in families.values() for name in members]
    text = texts.all_algorithms()

    assert sorted(names, key=str.lower) == list_algorithms()
    assert set(families) <= set(FAMILIES)
    assert all(f"- {get_algorithm(name).title}. " in text for name in names)


def test_every_kind_of_measure_that_judges_models_is_suggested():
    offered = list(shared.MEASURE.labels(Values({})))

    assert offered[0] == "nDCG@10"
    judging = {kind.name for kind in list_measures() if kind.judges_models}
    assert {parse(name).name for name in offered} == judging
    assert {k.name for k in list_measures()} - judging == {"DCG", "Judged"}


def test_any_other_measure_may_be_typed_and_a_wrong_one_is_explained():
    assert shared.MEASURE.parse("ndcg@7") == "nDCG@7"
    assert "Did you mean nDCG" in outcome(shared.MEASURE.parse, "nDGC@7")[1]


def test_algorithms_are_offered_by_family():
    offered = shared.ALGORITHM.labels(Values({"data": "planted"}))
    families = [label.partition(" · ")[0].lower() for label in offered.values()]

    assert sorted(offered, key=str.lower) == list_algorithms()
    assert families == [f for f, names in by_family().items() for _ in names]


@pytest.mark.parametrize(
    "text", ["**x**", "[a](b)", "`c`", "a_b_c", "$x$", ":red[x]", "# t", "<b>", "1. a"]
)
def test_words_of_a_file_are_shown_as_they_are(text):
    (inline,) = MarkdownIt("commonmark").parseInline(texts.literal(text))
    assert {child.type for child in inline.children} <= {"text", "text_special"}
    assert "".join(child.content for child in inline.children) == text


@pytest.mark.parametrize("name", ["home", "measures", "data"])
def test_the_panel_is_closed_at_first(run_page, name):
    page = run_page(name, data="toy-2d")
    assert [e.proto.expanded for e in page.expander if e.label == "Explain"] == [False]
    assert not page.tabs


def test_the_link_holds_the_name_and_the_box_shows_the_title(run_page):
    page = run_page("data", data="toy-2d")
    box = page.selectbox(key="data#0")

    assert "Planted sparse model" in box.options
    box.select("planted").run()
    page.run()
    assert page.query_params == {"data": "planted"}
    page.selectbox(key="data#0").select("mslr10k-sample").run()
    page.run()
    assert page.query_params == {}


def test_tabs_are_the_headings_of_a_file_beside_a_module(tmp_path):
    text = "# One\n\nFirst.\n\n## Inside\n\n# Two\n\n$x$ # no heading\n"
    (tmp_path / "module.md").write_text(text, "utf-8")

    tabs = texts.tabs(str(tmp_path / "module.py"))
    assert list(tabs) == ["One", "Two"]
    assert "## Inside" in tabs["One"]
    assert tabs["Two"].strip() == "$x$ # no heading"
