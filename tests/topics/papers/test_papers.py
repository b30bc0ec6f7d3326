"""Papers, claim by claim: every printed value has a card, and every card its check."""

import itertools
import json
import re
from collections import Counter
from dataclasses import replace
from operator import getitem
from pathlib import Path

import numpy as np
import pytest

from rankcore.algorithms import get_algorithm, list_algorithms
from rankcore.base.numbers import signed, three_digits
from rankcore.compute.executors import parse
from rankcore.data.dataset import RankingDataset
from rankcore.data.readers import Splits
from rankcore.mathematics.arithmetic import deviation
from rankcore.measures import CONVENTIONS, evaluate
from rankcore.studies.experiments import choose
from rankcore.studies.paths import CUTOFFS, PathSubject
from rankcore.studies.results import Cell, Result
from rankcore.topics.papers import (
    _approx,
    _rsrank,
    boards,
    cards,
    published,
    report,
    results,
    rules,
)
from rankcore.topics.papers._scores import COUNTED, behind, judged
from rankcore.topics.papers.bench import Bench, paired_error
from rankcore.topics.papers.boards import Standing
from rankcore.topics.papers.card import (
    DATA_SETS,
    KINDS,
    NO_MEASURE,
    ONE_RUN,
    OVER_FOLDS,
)
from rankcore.topics.papers.entry import LeaderboardEntry
from rankcore.topics.papers.ranking import Ranking
from rankcore.topics.papers.results import Results
from rankcore.topics.papers.value import CardValue
from tests.soaking import soak
from tests.studies.test_experiments import data

README = Path(__file__).parents[3] / "README.md"
RESULTS = Path(__file__).parents[3] / "docs" / "results" / "accuracy.md"
SHIPPED = Results.shipped()
LIVE = [card for card in cards.CARDS if not card.data]
# Those that take a fraction of a second each; of printed values, all that need no data.
SAMPLE = {
    *(card.key for card in LIVE if card.rows),
    "approx-theorem-1", "approx-equation-10", "rsrank-lemma-1", "rsrank-theorem-1",
    "conerank-clipping", "rsrank-equation-4", "rsrank-procedure-1",
    "structured-reciprocal", "fenchelrank-hinge",
}  # fmt: skip
LEAST_SQUARES = LeaderboardEntry("LeastSquares", "LeastSquares", {"l2": 1.0})


def small(seed, queries=6):
    return data(seed, queries, size=12)


@pytest.fixture(scope="module")
def bench():
    """Two folds under a paper's name, of 6 and of 4 test queries."""
    folds = {
        f"Fold{k}": Splits(small(k), small(k + 10), small(k + 20, queries))
        for k, queries in ((1, 6), (2, 4))
    }
    return Bench({"OHSUMED": folds})


def test_every_printed_value_stands_on_one_card():
    rows = published.every()
    assert len(rows) == 421
    counted = Counter(row.number for card in cards.CARDS for row in card.rows)
    assert counted == {row.number: 1 for row in rows}


def test_printed_values_have_a_source_and_a_relation():
    for row in published.every():
        assert row.short_source.startswith(row.source[:3]), row
        assert row.value >= 0.0
    limits = {row.relation for row in published.every()}
    assert limits == {"", "<", "<="}


@pytest.mark.parametrize("card", cards.CARDS, ids=lambda card: card.key)
def test_a_card_is_declared_soundly(card):
    assert card.paper in cards.PAPERS
    assert card.kind in KINDS
    assert cards.card(card.key) is card
    if card.entries:
        unknown = {row.algorithm for row in card.rows} - set(card.entries)
        # FRank is not among the algorithms.
        assert unknown <= {"FRank"}
    for entry in card.entries.values():
        for settings in entry.candidates():
            get_algorithm(entry.algorithm)(**settings)


def test_a_name_of_an_entry_stands_for_one_learner():
    settings = {}
    for card in cards.CARDS:
        for entry in card.entries.values():
            assert settings.setdefault(entry.name, entry) == entry


ERRATA = {
    "E1": "approx-theorem-1", "E2": "approx-equation-17", "E3": "approx-equation-10",
    "E4": "rsrank-equation-4", "E5": "rsrank-theorem-1", "E6": "rsrank-procedure-1",
    "E7": "rsrank-equation-12", "E8": "rsrank-algorithm-1", "E9": "conerank-clipping",
    "E10": "conerank-negative", "E11": "structured-combo-bound",
    "E12": "structured-second-form", "E13": "structured-reciprocal",
}  # fmt: skip
# Those in which < stands for ≤ and nothing else is wrong.
SIGNS = {"approx-theorem-1", "approx-corollary-1", "rsrank-bound"}


@pytest.mark.parametrize("key", sorted({*ERRATA.values(), *SIGNS}))
def test_an_erratum_is_shown_by_a_live_card(key):
    card = cards.card(key)
    assert not card.data
    expected = rules.NOT_STRICT if key in SIGNS else rules.FALSE
    assert SHIPPED.of(card).verdict == expected


@pytest.mark.parametrize("card", cards.CARDS, ids=lambda card: card.key)
def test_a_card_states_the_rule_from_which_its_verdict_follows(card):
    assert card.rule.text.startswith(("Reached", "False", "Holds", "Needs"))
    assert card.rule.text.endswith(".")
    result = SHIPPED.of(card)
    assert result.verdict in rules.VERDICTS
    if result.made:
        assert card.verdict(result.values, result.facts) == result.verdict
    else:
        assert result.verdict == rules.ABSENT


def changed(found):
    """The figures of a card, made otherwise in several ways; of the paper's data."""
    settings = {name: n for name, n in found.facts.items() if name != "stand-in"}

    def put(change, of, at):
        return [
            value._replace(**{of: change(getattr(value, of))})
            if at in (i, None) and getattr(value, of) is not None
            else value
            for i, value in enumerate(found.values)
        ]

    small, changes = 1e-9, (lambda n: 3.0 * n + 9.0, lambda n: 1.0 / (9.0 + abs(n)))
    for change in (*changes, lambda n: small, lambda n: -n, lambda n: 0.0):
        changed = {name: change(n) for name, n in settings.items()}
        equal = (dict.fromkeys(settings, n) for n in (small, 0.0))
        for facts in (settings, changed, *equal):
            for of, at in itertools.product(("ours", "printed"), (None, 0, -1, 1)):
                yield put(change, of, at), facts
    # As printed, and in the opposite order.
    yield [v if v.printed is None else v._replace(ours=v.printed, low=v.printed)
           for v in found.values], settings  # fmt: skip
    turned = zip(found.values, reversed(found.values), strict=True)
    yield [v._replace(ours=other.ours) for v, other in turned], settings


@pytest.mark.parametrize("card", cards.CARDS, ids=lambda card: card.key)
def test_other_figures_have_another_verdict_by_the_same_rule(card):
    result = SHIPPED.of(card)
    if not result.made or card.rule.text.startswith("Needs the"):
        return
    verdicts = {card.verdict(*figures) for figures in changed(result)}
    assert verdicts <= set(rules.VERDICTS)
    assert verdicts - {result.verdict}


def test_theorems_are_found_by_their_numbers():
    places = {(card.paper, card.place) for card in cards.CARDS}
    assert ("approx", "Corollary 1") in places
    assert {("conerank", "Theorem 1"), ("conerank", "Theorem 2")} <= places
    assert "second theorem" in cards.card("rsrank-bound").title.lower()


def test_the_sums_of_lemma_1_hold_its_bound():
    result = results.check(cards.card("rsrank-lemma-1"), Bench())
    gained, weighed = (
        sum(getattr(value, name) for value in result.values)
        for name in ("ours", "printed")
    )
    assert gained <= weighed
    assert f"holds for the sums: {gained:.4f} ≤ {weighed:.4f}." in result.why


def test_half_of_the_pairs_and_signed_weights_lose_the_bound():
    half = results.check(cards.card("rsrank-equation-4"), Bench()).values
    # Labels 0, 1 from the top: 1 - 1/log2(3), and no pair with i < j.
    assert half[0].ours == pytest.approx(1.0 - 1.0 / np.log2(3.0))
    assert half[0].printed == 0.0
    signed = results.check(cards.card("rsrank-equation-12"), Bench())
    assert min(value.printed for value in signed.values) < 0.0


def test_the_bound_of_the_risk_is_that_of_the_formula():
    result = results.check(cards.card("conerank-theorem-1"), Bench())
    (one,) = (value for value in result.values if value.x == "0.01")
    rho, change = np.sqrt(46.0), 0.01
    beta = 2 * change * (rho + np.sqrt(10.0) * 2 * rho) + change**2
    loss = (3 * rho) ** 2
    spread = np.sqrt(np.log(20.0) / (2 * 1017))
    assert one.ours == pytest.approx(2 * beta + (4 * 1017 * beta + loss) * spread)
    assert one.printed == pytest.approx(loss)


@pytest.mark.parametrize(
    ("steps", "verdict"),
    [
        ([("a", 0.02, 0.01), ("b", 0.03, 0.01)], rules.EXCEEDED),
        ([("a", 0.02, 0.01), ("b", -0.01, 0.01)], rules.REACHED),
        ([("a", 0.02, 0.01), ("b", -0.011, 0.01)], rules.MISSED),
    ],
)
def test_values_are_judged_by_their_tolerance(steps, verdict):
    result, why = judged(steps)
    assert result == verdict
    assert why.endswith(".")


def test_the_protocol_is_that_of_cross_validation(bench):
    tested = bench.tested("OHSUMED", LEAST_SQUARES)
    for fold, splits in bench.data["OHSUMED"].items():
        expected = choose("LeastSquares", fold, splits, LEAST_SQUARES.candidates())
        ((result, ranking),) = (
            one
            for one in zip(tested.folds, tested.rankings, strict=True)
            if one[0].cell.fold == fold
        )
        for measure, value in expected.test.items():
            values = ranking.values(measure, "letor3")
            assert values.mean() == pytest.approx(value)
        assert result.settings == expected.settings
        assert result.iteration == expected.iteration


@pytest.mark.parametrize("word", ["serial", "threads:2", soak("processes:2")])
def test_every_executor_gives_the_same_models(bench, word):
    entries = [LEAST_SQUARES, LeaderboardEntry("SingleFeature", "SingleFeature")]
    with parse(word) as where:
        other = Bench(bench.data, where)
        for entry in entries:
            here, there = (each.tested("OHSUMED", entry) for each in (bench, other))
            for a, b in zip(here.folds, there.folds, strict=True):
                assert a.settings == b.settings
                assert a.nonzeros == b.nonzeros
            expected = here.values("AP", "letor3").tolist()
            assert there.values("AP", "letor3").tolist() == expected


class Counting:
    """Data that count how often they are sent, as a number."""

    sent = 0

    def __reduce__(self):
        Counting.sent += 1
        return int, (7,)


def test_the_data_are_sent_to_a_process_once():
    Counting.sent = 0
    with parse("processes:1") as where:
        result = Bench({"OHSUMED": Counting()}, where)
        assert [result.run(getitem, [("OHSUMED",)]) for _ in range(3)] == 3 * [[7]]
    assert Counting.sent == 1


def test_queries_weigh_as_in_the_mean_of_the_folds(bench):
    tested = bench.tested("OHSUMED", LEAST_SQUARES)
    values = tested.values("AP", "standard")
    assert len(values) == 6 + 4
    first, second = (
        ranking.values("AP", "standard").mean() for ranking in tested.rankings
    )
    assert tested.mean("AP", "standard") == pytest.approx((first + second) / 2)
    assert values.mean() == pytest.approx((first + second) / 2)


def test_the_tolerance_is_the_error_of_a_paired_difference(bench):
    other = LeaderboardEntry("SingleFeature", "SingleFeature")
    both = [bench.tested("OHSUMED", entry) for entry in (LEAST_SQUARES, other)]
    a, b = (each.values("AP", "letor3") for each in both)
    expected = np.std(a - b, ddof=1) / np.sqrt(len(a))
    assert paired_error(both, "AP", "letor3") == pytest.approx(expected)


def test_a_table_is_computed_and_compared_on_its_data(bench):
    result = results.check(cards.card("approx-table-4-ranksvm"), bench)
    assert result.verdict in (rules.REACHED, rules.EXCEEDED, rules.MISSED)
    here = {value.x: value for value in result.values}
    ranksvm = bench.tested("OHSUMED", LeaderboardEntry("RankSVM", "RankSVM"))
    assert here["nDCG@3"].ours == pytest.approx(ranksvm.mean("nDCG@3", "letor3"))
    assert here["nDCG@3"].printed == 0.4207


def two_paths():
    """Paths of two folds over the card's penalties, with known figures."""
    values = []
    for shift in (0.0, 0.1):
        points = [
            Result(
                Cell((("g", g),), "", 0),
                seconds=1.0,
                coef=np.array([1.0] * (10 - i) + [0.0] * i),
                nonzeros=10 - i,
                train=dict.fromkeys(CUTOFFS, 0.5 + shift - 0.01 * i),
                test=dict.fromkeys(CUTOFFS, 0.5 + shift - 0.01 * i),
            )
            for i, g in enumerate(_rsrank.PENALTIES)
        ]
        subject = PathSubject("g", _rsrank.PENALTIES, tuple("abcdefghij"))
        values.append(subject.path(points))
    return values


@pytest.mark.parametrize(
    "key",
    ["figure-3-ohsumed", "figure-4", "figure-5", "features", "table-1-ohsumed",
     "first-rank-ohsumed"],
)  # fmt: skip
def test_the_cards_of_paths_have_their_spread_over_folds(bench, monkeypatch, key):
    monkeypatch.setattr(_rsrank, "_trained", lambda *asked: two_paths())
    result = results.check(cards.card(f"rsrank-{key}"), Bench(bench.data))
    assert result.spread == OVER_FOLDS
    for value in result.values:
        if value.ours is not None:
            assert value.low <= value.ours <= value.high, value
    if key == "figure-4":
        # Both folds lie 0.05 to either side of their mean.
        first = result.values[0]
        assert first.ours == pytest.approx(0.55)
        assert first.high - first.ours == pytest.approx(0.05 * 2**0.5)


def test_a_change_over_penalties_says_what_does_not_explain_it(bench, monkeypatch):
    values = []

    def trained(dataset, bench, *how):
        values.append(how)
        return two_paths()

    monkeypatch.setattr(_rsrank, "_trained", trained)
    result = results.check(cards.card("rsrank-figure-4"), Bench(bench.data))
    assert result.verdict == rules.MISSED
    # 1% of 0.5 and of 0.6 at the first penalty above 0: more than 0.75%.
    assert "Up to g = 0, with 10.0 features, the change is below that" in result.why
    assert values[1:] == [(_rsrank.SHORT, "auto"), (_rsrank.SHORT, 0.001)]
    # Three times two folds, a second for each penalty.
    assert result.seconds == 3 * 2 * len(_rsrank.PENALTIES)


def test_a_rival_that_leads_is_named_with_the_paired_error(bench):
    first, second = LEAST_SQUARES, LeaderboardEntry("SingleFeature", "SingleFeature")
    measures = ("nDCG@1", "nDCG@3")
    both = [bench.tested("OHSUMED", one) for one in (first, second)]
    both.sort(key=lambda one: one.mean("nDCG@3", "letor3"))
    result = behind("OHSUMED", both, measures)
    gaps = [
        both[1].mean(name, "letor3") - both[0].mean(name, "letor3") for name in measures
    ]
    assert f"at most {max(gaps):.3f} behind ({both[1].entry.name}" in result
    assert "over 10 queries" in result
    rival = both[1].mean("nDCG@1", "letor3")
    assert ("more than the 0.5613 printed for RSRank" in result) == (rival > 0.5613)


def test_a_card_without_its_data_keeps_its_printed_values():
    card = cards.card("approx-table-3-td2003")
    result = results.check(card, Bench())
    assert result.verdict == rules.ABSENT
    assert [value.printed for value in result.values] == [
        row.value for row in card.rows
    ]
    assert all(value.ours is None for value in result.values)


@pytest.mark.parametrize("card", cards.CARDS, ids=lambda card: card.key)
def test_no_card_promises_data_that_the_command_refuses(card):
    able = not card.data or set(card.data) & set(DATA_SETS)
    assert bool(able) == (not card.unobtainable)
    why = card.absent.why
    assert ("--data" in why) == (bool(card.data) and not card.unobtainable)
    assert why.startswith((*card.data, "It has not been computed", card.unobtainable))
    assert SHIPPED.of(card).why.count("--data") <= bool(able)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_the_labels_in_their_order_are_all_that_measures_read(bench, convention):
    test = bench.data["OHSUMED"]["Fold1"].test
    # Ties too: features rounded to whole numbers.
    scores = np.round(3.0 * test.X[:, 0])
    ranking = Ranking.of(test, scores)
    for measure in ("nDCG@20", "MeanNDCG", "AP", "ERR", "RR", "P@5", "AUC", "WTA"):
        table = evaluate(test, scores, measure, convention, ties="input")
        expected = table[measure].to_numpy()
        assert ranking.values(measure, convention) == pytest.approx(expected, 1e-12)


@pytest.mark.parametrize("name", ["ListMLE", soak("XGBoost")])
def test_an_algorithm_of_no_card_comes_onto_the_board(bench, name, monkeypatch):
    monkeypatch.setattr(results, "list_algorithms", lambda: [name])
    result = results.compute(Bench(bench.data), "fenchelrank-none", others=True)
    assert list(result.boards["OHSUMED"].standings) == [name]


@pytest.mark.parametrize("name", list_algorithms())
def test_every_algorithm_has_settings_to_choose_from(name):
    assert [
        get_algorithm(name)(**row) for row in LeaderboardEntry(name, name).candidates()
    ]


def two_on(bench):
    entries = (LEAST_SQUARES, LeaderboardEntry("SingleFeature", "SingleFeature"))
    tested = [bench.tested("OHSUMED", entry) for entry in entries]
    return boards.Board.of(bench, "OHSUMED", tested, "today")


def test_the_board_gives_each_learner_an_interval_and_a_test(bench):
    places = two_on(bench).places("ERR@7", "standard")
    for name, place in places.items():
        assert place.low <= place.mean <= place.high
        assert 0.0 < place.p <= 1.0
        tested = bench.all_tested()["OHSUMED", name]
        assert place.mean == pytest.approx(tested.mean("ERR@7", "standard"))
    best = max(places, key=lambda name: places[name].mean)
    assert places[best].p == 1.0


def test_entries_of_two_computations_are_tested_together(bench, tmp_path):
    board = two_on(bench)
    for name in board.standings:
        alone = board._replace(standings={name: board.standings[name]})
        Results({}, {"OHSUMED": alone}).write(tmp_path / f"{name}.json")
    first, second = (Results.read(tmp_path / f"{n}.json") for n in board.standings)
    joined = first.joined(second).boards["OHSUMED"]
    assert joined.places("AP", "letor3") == board.places("AP", "letor3")
    assert second.boards["OHSUMED"].places("AP", "letor3") != joined.places(
        "AP", "letor3"
    )


def test_a_board_of_other_queries_takes_the_place_of_the_whole_one(bench):
    board = two_on(bench)
    other = board._replace(
        folds=(board.folds[0]._replace(fingerprint="another"), *board.folds[1:]),
        standings={"ListNet": Standing("ListNet", 1.0, 1.0, "later")},
    )
    assert board.joined(other) == other
    result = board._replace(folds=())
    assert result.joined(board) == board


def test_results_read_back_and_newer_ones_replace_older(tmp_path):
    card, file = cards.card("rsrank-lemma-1"), tmp_path / results.FILE
    made = Results({card.key: results.check(card, Bench())}, {})
    made.write(file)
    again = Results.read(file)
    assert again.outcomes[card.key].verdict == made.outcomes[card.key].verdict
    lacking = Results({card.key: card.absent}, {})
    assert again.joined(lacking).outcomes == again.outcomes
    assert lacking.joined(again).outcomes == again.outcomes


def test_each_card_keeps_its_own_date():
    first, second = cards.card("rsrank-lemma-1"), cards.card("conerank-votes")
    old = Results({first.key: results.check(first, Bench())._replace(made="old")}, {})
    new = Results({second.key: results.check(second, Bench())._replace(made="new")}, {})
    joined = old.joined(new)
    assert joined.of(first).made == "old"
    assert joined.of(second).made == "new"
    assert joined.made == "new, old"


WRONG = (None, [1], 5, "text", 10**400)
DAMAGED = [
    "[]",
    "[" * 10_000,
    *(
        json.dumps(content)
        for value in WRONG
        for content in (
            {"found": value, "boards": {}},
            {"found": {"card": value}, "boards": {}},
            {"found": {"card": {"values": value}}, "boards": {}},
            {"found": {}, "boards": value},
            {"found": {}, "boards": {"data": value}},
            {"found": {}, "boards": {"data": {"folds": [], "standings": value}}},
        )
    ),
]


@pytest.mark.parametrize("text", DAMAGED, ids=range(len(DAMAGED)))
def test_a_file_of_another_kind_is_refused_by_its_name(text, tmp_path):
    """Visitors of a served app read it: they are not told where the file is."""
    file = tmp_path / results.FILE
    file.write_text(text)
    with pytest.raises(ValueError, match=r"^results\.json holds no results of papers"):
        Results.read(file)


def test_the_report_replaces_its_own_part_of_a_file(tmp_path):
    file = tmp_path / "RESULTS.md"
    file.write_text("# Results\n\nBefore.\n")
    report.put("one", file)
    file.write_text(file.read_text() + "\nAfter.\n")
    report.put("two", file)
    text = file.read_text()
    assert "Before." in text
    assert "After." in text
    assert "two" in text
    assert "one" not in text
    assert text.count(report.BEGIN) == text.count(report.END) == 1


def test_the_report_lists_the_cards_of_its_results_and_no_other():
    lacking = cards.card("fenchelrank-early-stopping")
    outcomes = results.compute(Bench(), "fenchelrank").outcomes
    text = report.report(Results(outcomes, {}))
    assert re.findall("^### (.+)$", text, re.M) == ["FenchelRank 2011"]
    assert text.count("**needs data.**") == 1
    assert f"**needs data.** {lacking.absent.why}" in text


def test_the_report_says_how_each_number_was_found(bench):
    card = cards.card("approx-table-4-ranksvm")
    result = results.check(card, bench)
    text = report.report(Results({card.key: result}, {}))
    (row,) = (line for line in text.splitlines() if "RankSVM on OHSUMED" in line)
    first = result.values[0]
    assert f"{first.ours:.4g} ({first.low:.4g} to {first.high:.4g})" in row
    assert f"(1), {three_digits(result.seconds)} s" in row
    assert (
        f"1. {result.protocol}; {result.convention}; spread: {result.spread}." in text
    )
    assert f"**{result.verdict}.** {result.why} *{card.rule.text}*" in row


def test_the_report_has_a_leaderboard_and_paired_tests(bench):
    board = two_on(bench)
    text = report.report(Results({}, {"OHSUMED": board}))
    _, result = text.split("### Leaderboard of OHSUMED")
    places = board.places("nDCG@10", "letor3")
    best = max(places, key=lambda name: places[name].mean)
    (other,) = set(places) - {best}
    rows = result.splitlines()
    assert any(r.startswith(f"| {best} | {places[best].mean:.4f} |") for r in rows)
    gap = signed(places[other].mean - places[best].mean, 4)
    tested = f"| {other} | {gap} | {places[other].p:.2g} |"
    assert any(r.startswith(tested) for r in rows)
    assert any(r.startswith(f"| {best} | – | – |") for r in rows)


@pytest.mark.parametrize("card", cards.CARDS, ids=lambda card: card.key)
def test_each_number_says_protocol_convention_spread_and_seconds(card):
    result = SHIPPED.of(card)
    if not result.made:
        assert result.verdict == rules.ABSENT
        return
    assert result.protocol
    assert result.convention in (*CONVENTIONS, NO_MEASURE)
    measured = re.search(r"NDCG|\bAP\b|MAP", f"{card.axis} {card.title}", re.I)
    assert not measured or result.convention != NO_MEASURE
    assert result.seconds > 0.0
    ends = [v for v in result.values if v.ours is not None and v.low is not None]
    assert result.spread
    assert bool(ends) == (result.spread not in (ONE_RUN, COUNTED))


def same(card):
    """Whether a card's experiment gives what was shipped."""
    shipped = SHIPPED.outcomes[card.key]
    # What is shipped has six digits.
    close = 1e-4 if deviation() else 5e-6
    now = results.check(card, Bench())
    assert now.verdict == shipped.verdict
    assert [value.x for value in now.values] == [value.x for value in shipped.values]
    for answer, outcome in zip(now.values, shipped.values, strict=True):
        for name in ("printed", "ours", "low", "high"):
            expected = getattr(outcome, name)
            if expected is not None:
                result = getattr(answer, name)
                assert result == pytest.approx(expected, rel=close, abs=1e-9), card.key


@pytest.mark.parametrize("key", sorted(SAMPLE))
def test_a_sample_of_the_shipped_numbers_is_what_the_code_gives(key):
    same(cards.card(key))


@pytest.mark.soak
@pytest.mark.parametrize("card", LIVE, ids=lambda card: card.key)
def test_the_shipped_numbers_are_what_the_code_gives(card):
    same(card)


def test_the_report_in_results_is_that_of_the_shipped_results():
    _, _, rest = RESULTS.read_text("utf-8").partition(report.BEGIN)
    part, _, _ = rest.partition(report.END)
    assert part == f"\n\n{report.report(SHIPPED)}\n"


# LETOR's versions, and a step that a paper prints.
ALLOWED = {"3.0", "4.0", "0.001"}


def part_on_accuracy(path):
    """The part of README or of the results that has tables of a few algorithms."""
    return path.read_text("utf-8").partition("\n## Results\n")[2].partition("\n## ")[0]


def results_by_hand():
    """The results without the part that is written by a command."""
    before, _, rest = RESULTS.read_text("utf-8").partition(report.BEGIN)
    return before + rest.partition(report.END)[2]


@pytest.mark.parametrize("text", [part_on_accuracy(README), results_by_hand()])
def test_no_sentence_has_a_number_that_nothing_computes(text):
    sentences = [line for line in text.splitlines() if not line.startswith("|")]
    numbers = re.findall(r"\d*\.\d+|\d+(?:\.\d+)?%", "\n".join(sentences))
    assert set(numbers) <= ALLOWED


@pytest.mark.parametrize("path", [README, RESULTS], ids=lambda path: path.stem)
def test_the_tables_of_texts_are_those_of_the_shipped_results(path):
    shipped, result, dataset = SHIPPED, [], ""
    lines = [line for line in part_on_accuracy(path).splitlines() if line[:1] == "|"]
    for line in lines:
        name, *cells = (cell.strip(" *") for cell in line.strip("|").split("|"))
        if name in shipped.boards:
            dataset, measures = name, cells
        elif name.startswith("published: "):
            printed = {
                f"{row.value:.3f}"
                for row in published.every()
                if row.dataset == dataset and row.measure in measures
            }
            assert set(cells) - {"–"} <= printed, line
        elif name in shipped.boards[dataset].standings:
            folds = report.over_folds(shipped.boards[dataset], name, measures, "letor3")
            assert cells == folds, line
            result.append((dataset, name))
    assert len(result) == 2 * len(shipped.boards)


def named(bench, name):
    """The small data under another name."""
    return Bench({name: bench.data["OHSUMED"]})


def test_a_gain_is_claimed_and_its_reason_is_what_was_found(bench):
    card = cards.card("approx-section-5-3")
    assert [v.printed for v in card.absent.values] == [0.15, 0.20]
    here = named(bench, "TD2003")
    result = results.check(card, here)
    assert result.verdict in (rules.REACHED, rules.MISSED)
    outcome, *others = (
        here.tested("TD2003", card.entries[name]).mean("AP", "letor3")
        for name in ("ApproxAP", "SVMmap", "AdaRank.MAP")
    )
    for value, other, printed in zip(
        result.values, others, (0.2445, 0.2283), strict=True
    ):
        assert value.ours == pytest.approx(outcome / other - 1.0)
        missed = value.ours < value.printed
        words = f"{value.x} is better here, {other:.3f}, than printed, {printed}"
        assert (words in result.why) == (missed and other > printed)


def untuned(key):
    """A card whose learners have one candidate each."""
    card = cards.card(key)
    first = {
        name: entry._replace(settings=entry.candidates()[0])
        for name, entry in card.entries.items()
    }
    return replace(card, entries=first)


def test_one_data_set_shows_no_share_of_data_sets(bench):
    card, folds = untuned("structured-more-accurate"), bench.data["OHSUMED"]
    one = results.check(card, Bench(bench.data))
    two = results.check(card, Bench({"OHSUMED": folds, "TD2003": folds}))
    for result, datasets in ((one, 1), (two, 2)):
        assert len(result.values) == 2 * 3 * datasets
        wins = sum(value.ours > 0.0 for value in result.values)
        assert f"in {wins} of {6 * datasets} comparisons" in result.why
    assert one.verdict == rules.ABSENT
    assert two.verdict == (rules.REACHED if wins / 12 > 0.75 else rules.MISSED)
    # SVMcombo less DORM by MRR10 on OHSUMED.
    assert one.values[0].printed == pytest.approx(0.813 - 0.807)


def binary(data):
    labels = (data.y > 0).astype(int)
    query = np.repeat(np.arange(data.n_queries), data.lengths)
    return RankingDataset.from_arrays(data.X, labels, query)


def test_the_slides_figures_stand_beside_those_of_binary_labels(bench):
    card, outcome = untuned("structured-true-loss-ohsumed"), Bench(bench.data)
    result = results.check(card, outcome)
    assert result.verdict == rules.ABSENT
    assert result.made
    assert "do not say which judgements" in result.why
    folds = {
        fold: Splits(*map(binary, parts))
        for fold, parts in outcome.data["OHSUMED"].items()
    }
    graded = card.entries["SVMmap"]
    same = Bench({"OHSUMED": folds}).tested("OHSUMED", graded)
    here = {v.series: v.ours for v in result.values if v.x == "SVMmap"}
    for measure in ("nDCG@10", "AP", "RR@10"):
        assert here[measure] == same.mean(measure, "letor3")


def test_figures_of_binary_labels_are_on_no_leaderboard(bench):
    result, entry = Bench(bench.data), LEAST_SQUARES
    result.train(("OHSUMED", one) for one in (entry, entry.of_binary_labels()))
    assert list(boards.boards(result, "today")["OHSUMED"].standings) == [entry.name]
    printed = results.printed_beside("OHSUMED", "nDCG@10")
    sources = {row.paper for rows in printed.values() for row in rows}
    assert "structured" not in sources


def test_lists_of_every_length_meet_the_bound_of_given_labels():
    result = results.check(cards.card("rsrank-bound"), Bench())
    # One imperfect order of labels 0, 1; and 1 2 0 and 2 0 1 of labels 0, 1, 2.
    assert result.facts["met"] >= 1 + 2
    assert "lists of two to five documents" in result.why


def test_the_largest_error_of_ndcg_does_not_attain_its_bound():
    result = results.check(cards.card("approx-theorem-3"), Bench())
    assert (result.verdict, result.facts["met"]) == (rules.REACHED, 0)
    assert "does not attain it" in result.why


@pytest.mark.parametrize(
    ("sparse", "verdict"),
    [(0.543, rules.REACHED), (0.5421, rules.REACHED), (0.5419, rules.MISSED)],
)
def test_first_ranks_keep_their_quality_where_they_lose_as_little(sparse, verdict):
    card = cards.card("rsrank-first-rank-ohsumed")
    # Printed: 0.5613 and 0.5605, so 0.0008 may be lost.
    values = [
        CardValue.of(
            row, result, "nDCG@1", "g = 0" if "no" in row.algorithm else "sparse"
        )
        for row, result in zip(card.rows, (0.5428, sparse), strict=True)
    ]
    assert card.verdict(values, {}) == verdict


def test_the_length_of_the_coefficients_is_computed_along_c(bench):
    result = Bench(bench.data)
    gain, norm = (
        results.check(cards.card(f"structured-{key}"), result)
        for key in ("health", "length")
    )
    assert [v.x for v in gain.values] == [v.x for v in norm.values]
    assert norm.seconds == gain.seconds
    assert norm.verdict == rules.REACHED
    svm = [value.ours for value in norm.values if value.series == "SVMMAP"]
    assert svm == sorted(svm)
    assert max(svm) > 1.0 or max(svm) != max(v.ours for v in gain.values)


def test_the_share_behind_the_best_is_that_of_the_better_cone(bench):
    card, here = cards.card("conerank-margin-mq2008"), named(bench, "MQ2008")
    result = results.check(card, here)
    assert [value.printed for value in result.values] == [0.03, 0.03]
    means = {
        name: here.tested("MQ2008", entry).mean("AP", "letor4")
        for name, entry in card.entries.items()
    }
    cone = max(means["ConeRank-EG"], means["ConeRank-SG"])
    assert result.values[0].ours == pytest.approx(1.0 - cone / max(means.values()))
    within = all(value.ours <= 0.03 for value in result.values)
    assert (result.verdict == rules.REACHED) == within


def test_the_ratio_of_figure_3_has_a_card_for_each_data_set(bench, monkeypatch):
    monkeypatch.setattr(_rsrank, "_trained", lambda *asked: two_paths())
    result = results.check(cards.card("rsrank-figure-3-td2003"), named(bench, "TD2003"))
    assert [value.x for value in result.values][:2] == ["@1", "@2"]
    drop = next(value for value in result.values if value.x == "mean drop")
    assert drop.printed == 0.03
    assert (result.verdict == rules.REACHED) == (drop.ours <= drop.printed)


def test_figure_1_is_drawn_for_both_sharpnesses(bench):
    outcome, seconds = Bench(bench.data), set()
    for key, series in (
        ("approx-figure-1", ["α = 10", "α = 50", "α = 100", "α = 300"]),
        ("approx-figure-1-beta", ["β = 1", "β = 10", "β = 100"]),
    ):
        result = results.check(cards.card(key), outcome)
        assert list(dict.fromkeys(v.series for v in result.values)) == series
        assert result.convention == "standard"
        seconds.add(result.seconds)
    # Both rest on the same trainings.
    assert len(seconds) == 1


@pytest.mark.parametrize(
    ("last", "verdict", "said"),
    [
        (0.001, rules.REACHED, "falls as β grows."),
        (0.00206, rules.MISSED, "does not fall from β = 10 to β = 100."),
    ],
)
def test_a_rise_along_the_sharpness_is_said(bench, last, verdict, said):
    outcome = named(bench, "TD2004")
    curves = [
        _approx.MeanErrorCurve(100.0, beta, (0, 1), (error, error))
        for beta, error in zip(_approx.BETAS, (0.006, 0.002, last), strict=True)
    ]
    outcome.once("errors of ApproxAP on TD2004", lambda: [curves])
    result = results.check(cards.card("approx-figure-1-beta"), outcome)
    assert result.verdict == verdict
    assert f"it {said}" in result.why


def test_other_data_than_the_paper_s_decide_nothing(bench):
    result, other = named(bench, "TD2004"), Bench(bench.data)
    for key in ("approx-figure-1", "approx-figure-1-beta"):
        card = cards.card(key)
        here, elsewhere = (results.check(card, each) for each in (result, other))
        assert here.verdict in (rules.REACHED, rules.MISSED)
        assert "not at hand" not in here.why
        assert elsewhere.verdict == rules.ABSENT
        assert "TD2004, which is not at hand: OHSUMED decides nothing" in elsewhere.why
        # What is found there is shown, kept and reported.
        assert [v.ours for v in elsewhere.values] == [v.ours for v in here.values]
        assert Results({key: elsewhere}, {}).of(card) == elsewhere


@pytest.mark.parametrize(
    ("many", "agree"), [((0.1, 0.2, 0.3), True), ((0.1, 0.3, 0.2), False)]
)
def test_the_orders_of_table_5_are_judged(many, agree):
    rows = {(row.algorithm, row.note): row for row in cards.card("approx-table-5").rows}
    values = []
    # One start: any order in which the largest α is last.
    for series, note, numbers in (
        (_approx.ONE_START, "K=1 restart", (0.3, 0.2, 0.1)),
        (_approx.BEST_START, "K=100 restarts", many),
    ):
        for alpha, number in zip((50, 100, 300), numbers, strict=True):
            row = rows[f"ApproxNDCG alpha={alpha}", f"Table 5; {note}"]
            values.append(CardValue.of(row, number, series, f"α = {alpha}"))
    result, same = _approx._orders(values)
    assert same == agree
    assert "From one start the order is α = 50, α = 100, α = 300" in result
    assert f"printed: {', '.join(f'α = {a}' for a in (300, 100, 50))}." in result


def test_a_card_without_data_has_its_values_where_those_with_data_have_them():
    for card in cards.CARDS:
        if card.by == "algorithm":
            names = {row.algorithm for row in card.rows}
            assert {value.x for value in card.absent.values} == names


@pytest.mark.parametrize("card", cards.CARDS, ids=lambda card: card.key)
def test_numbers_and_symbols_in_sentences_are_well_written(card):
    result = SHIPPED.of(card)
    texts = (card.title, card.place, result.why, result.protocol)
    for text in (*texts, *(v.series for v in result.values)):
        # Powers as 2e-09, hyphens for minus, percentages with a space, subscripts
        # as _mrr, and six decimals.
        odd = r"\d[eE][-+]\d|(?:^|[\s(])-\d|\d\s%|[φΔ]_|\d\.\d{6,}"
        assert not re.search(odd, text), text


def test_about_ten_directions_are_those_of_most_of_the_energy(bench):
    """Three features: all the energy is in three directions, not in about ten."""
    card = cards.card("conerank-figure-4")
    assert "9 to 11 directions hold 90%" in card.rule.text
    for name, verdict in (("MQ2007", rules.MISSED), ("MQ2008", rules.ABSENT)):
        result = results.check(card, named(bench, name))
        assert result.verdict == verdict
        absent = "MQ2007, which is not at hand" in result.why
        assert absent == (verdict == rules.ABSENT)


def test_what_is_shipped_has_every_card():
    shipped = SHIPPED
    assert set(shipped.outcomes) == {card.key for card in cards.CARDS}
    numbers = Counter(
        value.number
        for item in shipped.outcomes.values()
        for value in item.values
        if value.number is not None
    )
    assert numbers == dict.fromkeys(range(1, 422), 1)
    # NaN and infinity are no JSON.
    json.loads(results.SHIPPED.read_text("utf-8"), parse_constant=pytest.fail)
