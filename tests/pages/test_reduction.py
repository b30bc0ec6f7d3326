"""The Reduction page: its views, presets and links, and what its figures are given."""

import pytest

from rankcore.insight import regrets

VIEWS = {
    "Pairs": {"red_weights", "red_plane"},
    "Losses": {"red_curves", "red_totals"},
    "Swaps": {"red_swaps"},
    "Regrets": {"red_regrets", "red_along"},
}


def said(page) -> str:
    return " ".join(text.value for text in page.markdown)


@pytest.mark.parametrize("runner", ["run_page", "run_app"])
def test_reduction_draws_its_figures(request, runner, drawn):
    page = request.getfixturevalue(runner)("reduction")

    assert not page.exception
    assert page.title[0].value == "Reduction"
    figures = drawn(page)
    assert set(figures) == VIEWS["Pairs"]
    assert all(figure["alt"] for figure in figures.values())


@pytest.mark.parametrize("view", VIEWS)
def test_only_the_chosen_view_is_drawn(run_page, drawn, view):
    page = run_page("reduction", red_view=view)

    assert not page.exception
    assert set(drawn(page)) == VIEWS[view]


@pytest.mark.parametrize("view", ["Pairs", "Losses", "Swaps"])
def test_a_query_of_the_data_is_taken_apart(run_page, drawn, view):
    page = run_page(
        "reduction",
        red_view=view,
        red_source="a query of the data",
        data="planted",
        red_steps="0",
    )

    assert not page.exception
    assert drawn(page)
    page.slider(key="red_steps").set_value(60).run()
    assert not page.exception


def test_a_query_goes_to_the_list_by_hand(run_page):
    page = run_page("reduction", red_source="a query of the data", data="planted")
    page.button(key="red_by_hand").click().run()

    assert not page.exception
    assert page.segmented_control(key="red_source").value == "by hand"
    assert len(page.query_params["ranking"].split("-")) == 12


@pytest.mark.parametrize("preset", range(8))
def test_presets_draw(run_page, preset):
    page = run_page("reduction")
    page.pills(key="preset").set_value(page.pills(key="preset").options[preset])
    page.run()

    assert not page.exception
    assert not page.warning


@pytest.mark.parametrize(
    ("preset", "digits"),
    [
        (1, ["0.369070", "0.000000 in place of 0.369070"]),
        (2, ["0.369070", "0.130930", "0.413117", "0.586883"]),
        (3, ["0.130924 > 0.040407", "0.253554"]),
        (4, ["0.101156 > 0.000000", "0.239114"]),
        (5, ["L = 0.000000", "0.413117"]),
        (7, ["upside down: 1 − NDCG = 0.413117", "it is 0.000000"]),
    ],
)
def test_presets_show_the_known_digits(run_page, preset, digits):
    page = run_page("reduction")
    page.pills(key="preset").set_value(page.pills(key="preset").options[preset])
    page.run()
    words = said(page) + " ".join(latex.value for latex in page.latex)

    for number in digits:
        assert number in words


def test_the_best_order_is_told_with_its_value(run_page):
    page = run_page("reduction", red_view="Regrets")
    strip = " ".join(html.proto.body for html in page.get("html"))

    assert "0.877371 − 0.746446" in strip
    assert "0.253554 − 0.213147" in strip


def test_the_hinge_bounds_by_its_sum_and_not_by_its_mean(run_page):
    page = run_page("reduction", red_view="Losses")
    table = page.dataframe[-1].value

    assert table["1 − NDCG"].tolist()[1] == "0.369070"
    assert table["mean"].tolist()[1] == "0.353333"
    assert "0.353333 < 0.369070" in said(page)


def test_a_link_holds_the_distribution(run_page, drawn):
    page = run_page(
        "reduction",
        red_view="Regrets",
        red_first="012",
        red_second="210",
        red_p="0.25",
        red_order="213",
    )
    found = regrets.regrets(((0, 1, 2), (2, 1, 0)), regrets.mixed(0.25))
    points = drawn(page)["red_regrets"]["data"][1]

    assert points["x"] == pytest.approx(found.loss_regret, abs=1e-6)
    assert points["y"] == pytest.approx(found.ndcg_regret, abs=1e-6)
    assert page.selectbox(key="choose_red_order").value == "213"


@pytest.mark.parametrize(
    "nonsense",
    [
        {"red_first": "9x", "red_second": ""},
        {"red_first": "0011", "red_second": "11"},
        {"red_order": "c7", "red_p": "7"},
        {"red_among": "nobody", "red_p": "x"},
    ],
)
def test_nonsense_in_a_link_gives_a_sentence_or_the_default(run_page, drawn, nonsense):
    page = run_page("reduction", red_view="Regrets", **nonsense)

    assert not page.exception
    assert set(drawn(page)) == VIEWS["Regrets"]


@pytest.mark.parametrize(
    "nonsense",
    [
        {"ranking": "A9", "red_gap": "x", "red_phi": "none"},
        {"red_view": "Nothing", "red_source": "nowhere"},
        {"red_source": "a query of the data", "query": "99999", "red_steps": "-4"},
        {"red_source": "a query of the data", "data": "upload-00000000"},
    ],
)
def test_nonsense_about_a_list_does_no_harm(run_page, nonsense):
    assert not run_page("reduction", **nonsense).exception


def test_an_ideal_list_has_nothing_to_swap(run_page):
    page = run_page("reduction", red_view="Swaps", ranking="A2-B1-C0")

    assert not page.exception
    assert "nothing to swap" in page.info[0].value


def test_the_claim_on_regrets_is_explained_as_a_formula_with_its_source(run_page):
    page = run_page("reduction", red_view="Regrets")
    page.session_state["explain"] = True
    page.run()
    told = next(text.value for text in page.markdown if "**Cycles**" in text.value)
    claim = told.partition("**Theorem 1**")[2].partition("- **")[0]

    assert "SIGIR 2009" in claim
    regret = r"\mathrm{E}\,L(\pi) - \min_{\pi'} \mathrm{E}\,L(\pi')"
    assert regret in claim.partition("$$")[2]


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ({"ranking": "A0-B1"}, ["1 of 1 pairs", "−0.50", "RSRank", "value 2.25"]),
        ({"ranking": "A1-B0"}, ["0 of 1 pairs", "0.50", "RSRank", "value 0.25"]),
        ({"ranking": "A0-B1", "red_phi": "hinge"}, ["−0.50", "hinge", "value 1.50"]),
        ({"ranking": "A0-B1", "red_curve": "slope"}, ["−0.50", "slope −3.00"]),
        ({"ranking": "A1-B1"}, ["no pair on the curves"]),
    ],
)
def test_the_curves_are_told_by_where_the_pairs_lie(run_page, drawn, link, words):
    page = run_page("reduction", red_view="Losses", **link)

    assert all(word in drawn(page)["red_curves"]["alt"] for word in words)


def test_a_preset_takes_a_query_of_the_data_apart(run_page, drawn):
    page = run_page("reduction", red_view="Swaps")
    page.pills(key="preset").set_value("A query of web search").run()

    assert not page.exception
    assert set(drawn(page)) == {"red_weights", "red_queries"}
