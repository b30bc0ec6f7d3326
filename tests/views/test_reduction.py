"""Reduction: what its views show of a list and of random labels, and what they say."""

import pytest

from rankcore.data.catalogue import load_dataset
from rankcore.topics.measuring import hand_list
from rankcore.views import Act, Notice, Words, flat
from tests.viewing import page, panel, shown, values, view

VIEWS = {
    "Pairs": ["red_weights", "red_plane"],
    "Losses": ["red_curves", "red_totals"],
    "Swaps": ["red_swaps"],
    "Regrets": ["red_regrets", "red_along"],
}
QUERY = {"red_source": "a query of the data", "data": "planted"}


def seen(name, **chosen):
    """What a view shows."""
    return shown(view("reduction", name), **chosen)


def preset(title):
    """What is shown after a preset was pressed."""
    chosen = dict(page("reduction").scenarios()[title])
    return seen(chosen.pop("red_view"), **chosen)


def said(found) -> str:
    """All words of what is shown, those of facts too."""
    words = [block.text for block in flat(found.blocks) if isinstance(block, Words)]
    return " ".join([*words, *(" ".join(fact) for fact in found.facts)])


@pytest.mark.parametrize("iterations", [0, 60])
@pytest.mark.parametrize("name", ["Pairs", "Losses", "Swaps"])
def test_a_query_of_the_data_is_ranked_by_rsrank(name, iterations):
    result = seen(name, red_steps=iterations, **QUERY)

    expected = [key.replace("plane", "queries") for key in VIEWS[name]]
    assert [panel.key for panel in result.panels()] == expected
    assert len(result.exports()) > len(result.panels())


def test_training_improves_what_is_shown():
    first, last = (seen("Pairs", red_steps=n, **QUERY).facts for n in (0, 60))

    assert float(first[1].number) > float(last[1].number)


def test_a_query_goes_to_the_list_by_hand():
    result = seen("Pairs", **QUERY)
    (act,) = (block for block in flat(result.blocks) if isinstance(block, Act))
    value = view("reduction", "Pairs")
    taken = values(value, **act.changes)

    assert taken.red_source == "by hand"
    assert len(hand_list.read(taken.ranking)) == 12
    assert "12" in act.label


@pytest.mark.parametrize(
    ("title", "digits"),
    [
        ("Two documents: equality", ["0.369", "0 instead of 0.369"]),
        (
            "A swap that exceeds its bound",
            ["0.369", "0.131", "0.413", "0.587"],
        ),
        ("NDCG regret exceeds pair regret", ["0.131 > 0.0404", "0.254"]),
        ("NDCG regret exceeds pair regret", ["0.877 − 0.746"]),
        ("NDCG regret exceeds pair regret", ["0.254 − 0.213"]),
        ("Optimal for pairs, wrong for NDCG", ["0.101 > 0", "0.239"]),
        ("Cyclic preferences have zero pair regret", ["L = 0$", "0.413"]),
        (
            "As in the paper: upside down",
            ["reverses the list: 1 − NDCG = 0.413", "it is 0."],
        ),
    ],
)
def test_presets_show_the_known_digits(title, digits):
    words = said(preset(title))

    for number in digits:
        assert number in words


@pytest.mark.parametrize("title", list(page("reduction").scenarios()))
def test_a_preset_leaves_nothing_of_the_list_as_it_was(title):
    """A list of the data and one by hand do not mix."""
    changes = page("reduction").scenarios()[title]

    assert ("red_source" in changes) == (changes["red_view"] != "Regrets")
    assert preset(title).panels()


def test_labels_of_two_lengths_are_refused_with_a_sentence():
    value = view("reduction", "Regrets")
    result = values(value, red_first="0011", red_second="11")

    assert "same number of digits" in value.refusal(result)


def test_an_order_of_other_documents_gives_way_to_one_that_breaks_the_theorem():
    result = seen("Regrets", red_first="0011", red_second="1100", red_order="132")
    refuted = panel(result, "red_regrets").picture.numbers()

    name = result.facts[0].number
    place = refuted["order or cycle"].index(name)
    excess = [
        n - p
        for n, p in zip(
            refuted["regret in NDCG"], refuted["regret in pairs"], strict=True
        )
    ]
    assert excess[place] == max(excess)


def test_the_marked_swap_is_one_of_the_list():
    """Labels 0, 1, 2 take three swaps; a number beyond them is the start."""
    settings = {now: panel(seen("Swaps", ranking="A0-B1-C2", red_swap=now), "red_swaps")
             for now in (0, 3, 4)}  # fmt: skip
    headings = {
        now: result.picture.layout["annotations"][0]["text"]
        for now, result in settings.items()
    }

    assert "Swap 3 of 3: C over B" in headings[3]
    assert headings[0] == headings[4]
    assert "Before the first of 3 swaps" in headings[0]


def test_an_ideal_list_has_nothing_to_swap():
    result = seen("Swaps", ranking="A2-B1-C0")
    (notice,) = (block for block in flat(result.blocks) if isinstance(block, Notice))

    assert "nothing to swap" in notice.text


def test_the_claim_on_regrets_is_explained_as_a_formula_with_its_source():
    result = view("reduction", "Regrets")
    value = result.explained(values(result))["Paper versus experiment"]
    claim = value.partition("**Theorem 1**")[2].partition("- **")[0]

    assert "SIGIR 2009" in claim
    regret = r"\mathrm{E}\,L(\pi) - \min_{\pi'} \mathrm{E}\,L(\pi')"
    assert regret in claim.partition("$$")[2]


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        (
            {"ranking": "A0-B1"},
            ["1 of 1 pair have no", "−0.50", "RSRank", "value 2.25"],
        ),
        ({"ranking": "A1-B0"}, ["0 of 1 pair have no", "0.50", "RSRank", "value 0.25"]),
        ({"ranking": "A0-B1", "red_phi": "hinge"}, ["−0.50", "hinge", "value 1.50"]),
        ({"ranking": "A0-B1", "red_curve": "slope"}, ["−0.50", "slope −3.00"]),
        ({"ranking": "A1-B1"}, ["no pair on the curves"]),
    ],
)
def test_the_curves_are_told_by_where_the_pairs_lie(chosen, words):
    alt = panel(seen("Losses", **chosen), "red_curves").picture.alt

    assert all(word in alt for word in words)


def test_a_click_on_an_order_puts_the_list_in_it():
    """Documents of equal label keep their order: C is before E."""
    result = panel(seen("Pairs"), "red_plane")
    names = result.picture.numbers()["point"]
    point = names.index("labels 2 1 1 0 0")

    assert result.on_click("points", point, 0.0, 0.0) == {"ranking": "B2-C1-E1-A0-D0"}
    assert result.on_click("chosen", 0, 0.0, 0.0) == {}


def test_clicks_and_drags_choose_a_query_an_order_and_p():
    queries = panel(seen("Pairs", **QUERY), "red_queries")
    plane = panel(seen("Regrets"), "red_regrets")
    along = panel(seen("Regrets"), "red_along")

    assert queries.on_click("points", 4, 0.0, 0.0) == {"query": 5}
    assert plane.on_click("candidates", 0, 0.0, 0.0) == {"red_order": "123"}
    assert plane.on_click("chosen", 0, 0.0, 0.0) == {}
    assert along.on_drag("p", 0, 0.523, 0.1) == {"red_p": 0.52}
    assert along.on_drag("p", 0, 1.4, 0.1) == {"red_p": 1.0}


def test_every_pair_is_exported_with_its_ranks():
    result = seen("Losses", ranking="A0-B1").exports()["Pairs"]()

    assert result["better"] == ["B"]
    assert result["worse"] == ["A"]
    assert result["rank of the better"] == [2]
    assert result["misordered"] == [True]
    assert result["margin"] == [-0.5]


def test_the_numbers_of_a_query_name_its_documents():
    train = load_dataset("planted").train
    numbers = panel(seen("Pairs", **QUERY), "red_weights").picture.numbers()

    assert set(numbers["better"]) <= set(train.query(0).doc_ids)


def test_a_link_of_an_earlier_version_opens_what_it_did(run_page, drawn):
    opened = run_page(
        "reduction", red_view="Regrets", red_among="all classifiers", red_order="c1"
    )

    assert set(drawn(opened)) == set(VIEWS["Regrets"])
    assert opened.selectbox(key="red_order#0").value == "c1"


def test_a_preset_changes_the_view_and_the_source_of_the_list(run_page, drawn):
    opened = run_page("reduction", red_view="Swaps")
    opened.radio(key="preset#0").set_value("A query of web search").run()
    opened.run()

    assert not opened.exception
    assert set(drawn(opened)) == {"red_weights", "red_queries"}
    assert opened.segmented_control(key="red_view#1").value == "Pairs"
