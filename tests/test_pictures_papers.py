"""Pictures of the papers' claims and of the leaderboard."""

from pages.views.papers import _found
from rankcore.charts.leaderboard import leaderboard_figure
from rankcore.charts.papers import card_figure, claims_figure
from rankcore.papers import cards
from rankcore.papers.boards import Board, Place, Standing
from rankcore.papers.card import VERDICTS
from rankcore.papers.results import Results, printed_beside


def test_figures_of_cards_hold_their_values():
    shipped = Results.read(_found.SHIPPED)
    for card in cards.CARDS:
        found = shipped.of(card)
        if not found.values:
            continue
        picture = card_figure(card, found)
        assert picture.alt.endswith(".")
        assert len(picture.numbers()) == len(found.values)
        picture.figure()


def test_the_overview_has_a_mark_for_every_claim():
    shipped = Results.read(_found.SHIPPED)
    groups = {
        paper.title: [(c, shipped.of(c).verdict) for c in cards.of_paper(key)]
        for key, paper in cards.PAPERS.items()
    }
    picture = claims_figure(groups)
    assert [trace["name"] for trace in picture.data] == list(VERDICTS)
    assert sum(len(trace["x"]) for trace in picture.data) == len(cards.CARDS)


def test_the_leaderboard_names_the_best_and_draws_printed_values():
    def place(mean):
        return Place(mean, mean - 0.1, mean + 0.1, 1.0 if mean > 0.4 else 0.01)

    own = {"ListNet": place(0.45), "RankSVM": place(0.30)}
    board = Board((), dict.fromkeys(own, Standing("ListNet", 12.0, 3.0)))
    printed = {"OHSUMED": printed_beside("OHSUMED", "nDCG@10")}
    picture = leaderboard_figure(
        {"OHSUMED": board}, {"OHSUMED": own}, list(own), "nDCG@10", printed
    )
    picture.figure()
    assert "on OHSUMED ListNet is best" in picture.alt
    rows = {row["learner"]: row for row in picture.numbers()}
    assert rows["ListNet"]["printed"] == "0.441"
    hollow = picture.data[-1]
    assert sorted(hollow["x"]) == [0.4140, 0.4410]
