"""Pictures of the papers' claims and of the leaderboard."""

import itertools
import re
from html import unescape

from rankcore.plot.style import shortened
from rankcore.topics.papers import cards
from rankcore.topics.papers.boards import Board, Place, Standing, tied
from rankcore.topics.papers.claims_figure import (
    ACROSS_CARD,
    ACROSS_PLOT,
    AROUND,
    LETTER,
    LONGEST,
    card_figure,
    claims_figure,
)
from rankcore.topics.papers.leaderboard_figure import leaderboard_figure
from rankcore.topics.papers.results import Results, printed_beside
from rankcore.topics.papers.rules import VERDICTS
from rankcore.topics.papers.value import CardValue


def test_figures_of_cards_hold_their_values():
    shipped = Results.shipped()
    for card in cards.CARDS:
        result = shipped.of(card)
        if not result.values:
            continue
        picture = card_figure(card, result)
        assert picture.alt.endswith(".")
        assert len(picture.numbers()) == len(result.values)
        picture.figure()


def test_every_series_of_a_card_is_named_in_the_colour_of_its_marks():
    shipped = Results.shipped()
    for card in cards.CARDS:
        result = shipped.of(card)
        values = {v.series for v in result.values if v.series != v.x}
        picture = card_figure(card, result)
        if len(values) > 1:
            named = picture.layout["annotations"][0]["text"]
            assert all(shortened(name, LONGEST) in unescape(named) for name in values)
            hollow = [t for t in picture.data if t.get("name") == "printed"]
            looks = {(t["marker"]["color"], t["marker"]["symbol"]) for t in hollow}
            assert len(looks) == len(hollow)


def test_lines_of_a_card_fit_its_width():
    shipped = Results.shipped()
    for card in cards.CARDS:
        figure = card_figure(card, shipped.of(card)).layout
        head = re.sub(r"<(?!br)[^>]*>", "", figure["annotations"][0]["text"])
        below = figure["xaxis"]["title"]["text"].split("<br>")
        assert all(len(unescape(line)) <= ACROSS_CARD for line in head.split("<br>"))
        beside = [] if card.curve else figure["yaxis"].get("ticktext", [])
        labels = [unescape(line) for one in beside for line in one.split("<br>")]
        taken = max(map(len, labels), default=0) + AROUND
        assert all(len(line) <= ACROSS_CARD - taken for line in below)


def test_labels_below_a_curve_have_room():
    shipped, drawn = Results.shipped(), {}
    for card in cards.CARDS:
        across = card_figure(card, shipped.of(card)).layout["xaxis"]
        numbers = across.get("type") == "log" or not across.get("ticktext")
        if numbers or not card.curve:
            continue
        low, high = across["range"]
        pixels = ACROSS_PLOT / (high - low)
        texts = [unescape(one) for one in across["ticktext"]]
        wide = [LETTER * (1 + max(map(len, one.split("<br>")))) for one in texts]
        places = zip(across["tickvals"], wide, strict=True)
        for (a, one), (b, other) in itertools.pairwise(places):
            assert (one + other) / 2 < pixels * (b - a), (card.key, texts)
        drawn[card.key] = texts
    assert drawn["approx-table-4-approxndcg"] == ["nDCG@1", "@5", "nDCG"]
    assert drawn["rsrank-figure-1"] == ["@1", "@3", "@5", "@7", "@9"]


def test_numbers_on_the_axis_of_a_curve_stand_where_they_are():
    card = cards.card("approx-figure-1")
    result = card.absent._replace(
        values=(
            CardValue("α = 10", "0", None, 0.1),
            CardValue("α = 10", "30", None, 0.3),
            CardValue("α = 50", "7", None, 0.2),
        )
    )
    traces = [t for t in card_figure(card, result).data if t.get("name") == "here"]
    assert [list(trace["x"]) for trace in traces] == [[0.0, 30.0], [7.0]]


def test_the_overview_has_a_mark_for_every_claim():
    shipped = Results.shipped()
    groups = {
        paper.title: [(c, shipped.of(c).verdict) for c in cards.of_paper(key)]
        for key, paper in cards.PAPERS.items()
    }
    picture = claims_figure(groups)
    assert [trace["name"] for trace in picture.data] == list(VERDICTS)
    assert sum(len(trace["x"]) for trace in picture.data) == len(cards.CARDS)
    # Heads beside each other do not touch on a telephone, in a figure of 350 pixels.
    layout = picture.layout
    column = (350 - layout["margin"]["l"] - layout["margin"]["r"]) / len(VERDICTS)
    letter = LETTER * layout["xaxis"]["tickfont"]["size"] / 12
    heads = [re.split("<.*?>", text) for text in layout["xaxis"]["ticktext"]]
    widths = [letter * max(map(len, lines)) for lines in heads]
    assert all(
        sum(two) / 2 + LETTER / 2 <= column for two in itertools.pairwise(widths)
    )


def test_the_best_stands_before_those_tied_with_it():
    places = {
        "poor": Place(0.1, 0.0, 0.2, 0.01),
        "near": Place(0.3, 0.2, 0.4, 0.06),
        "best": Place(0.4, 0.3, 0.5, 1.0),
    }
    assert tied(places) == ("best", "near")


def test_the_leaderboard_names_the_best_and_draws_printed_values():
    def place(mean):
        return Place(mean, mean - 0.1, mean + 0.1, 1.0 if mean > 0.4 else 0.01)

    settings = {"ListNet": place(0.45), "RankSVM": place(0.30)}
    board = Board((), dict.fromkeys(settings, Standing("ListNet", 12.0, 3.0)))
    printed = {"OHSUMED": printed_beside("OHSUMED", "nDCG@10")}
    picture = leaderboard_figure(
        {"OHSUMED": board}, {"OHSUMED": settings}, list(settings), "nDCG@10", printed
    )
    picture.figure()
    words = "on OHSUMED ListNet has the highest mean, 0 others are tied with it"
    assert words in picture.alt
    rows = {row["algorithm"]: row for row in picture.numbers()}
    assert rows["ListNet"]["printed"] == "0.441"
    hollow = picture.data[-1]
    assert "○ printed" in picture.layout["annotations"][0]["text"]
    assert sorted(hollow["x"]) == [0.4140, 0.4410]
