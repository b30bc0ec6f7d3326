"""The Papers page: its filter, its cards, and the links to other views."""

import pytest

from pages.ui.catalogue import pages, setting
from rankcore.papers import results
from rankcore.papers.bench import CONVENTIONS, MEASURES
from rankcore.papers.card import FALSE
from rankcore.papers.cards import CARDS, card
from rankcore.papers.results import Place, Results, Standing
from rankcore.views import Act, Go, Table, Words, flat
from tests.viewing import shown, view

CLAIMS = view("papers", "Claims")


@pytest.mark.parametrize("one", CARDS, ids=lambda one: one.key)
def test_a_card_leads_to_a_view_that_there_is(one):
    if one.scene is None:
        return
    assert one.scene.page in pages()
    for key, value in one.scene.settings.items():
        row = setting(key)
        assert row is not None, key
        assert row.check(value) == value


def test_the_filter_leaves_the_claims_of_its_verdict():
    found = shown(CLAIMS, papers_verdict=FALSE)
    _, *heads = [b.text for b in flat(found.blocks) if isinstance(b, Words)]
    assert len(heads) > 3
    assert all(FALSE in head for head in heads)


def test_a_click_selects_a_claim_and_its_values_are_shown():
    overview = shown(CLAIMS).panels()[0]
    reached = overview.picture.data[0]
    assert reached["name"] == "reached"
    changes = overview.on_click("reached", 0, reached["x"][0], reached["y"][0])
    chosen = card(changes["papers_card"])
    found = shown(CLAIMS, **changes)
    assert found.panels()[1].title == chosen.title


def test_every_printed_value_is_in_the_table():
    (table,) = (b for b in flat(shown(CLAIMS).blocks) if isinstance(b, Table))
    assert len(table.rows) == 421


def test_a_live_claim_is_computed_again_on_the_page():
    key = "rsrank-lemma-1"
    before = flat(shown(CLAIMS, papers_card=key).blocks)
    (again,) = (b for b in before if isinstance(b, Act) and b.label == "Run again")
    after = shown(CLAIMS, papers_card=key, **again.changes)
    assert any("computed now" in getattr(b, "text", "") for b in flat(after.blocks))
    assert any(isinstance(b, Go) for b in before)


def test_the_leaderboard_has_every_learner_of_a_user_s_results(tmp_path, monkeypatch):
    place = Place(0.4, 0.3, 0.5, 1.0)
    places = {f"{c} {m}": place for c in CONVENTIONS for m in MEASURES}
    own = {name: Standing(name, 3.0, 1.0, places) for name in ("ListNet", "RankSVM")}
    made = Results("today", {}, {"TD2003": own})
    made.write(tmp_path / results.FILE)
    monkeypatch.setenv(results.VARIABLE, str(tmp_path))
    board = shown(view("papers", "Leaderboard")).panels()[0].picture.numbers()
    assert {r["learner"] for r in board if r["data"] == "TD2003"} == set(own)
