"""The leader of a race on validation, and whether the lead exceeds noise."""

import itertools
from functools import partial

import numpy as np
import pytest

from rankcore import measures
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.statistics import (
    difference_interval,
    holm,
    queries_needed,
    randomisation_test,
)
from rankcore.topics.train.race import race_study
from rankcore.topics.train.verdict import verdict
from rankcore.training import Stop, drive
from tests.stub_algorithm import Given, line

pytestmark = pytest.mark.unit

QUERIES = 40


def noisy(queries=QUERIES, noise=(0.0, 0.9, 1.0)):
    """Queries of six documents; each feature is the label with so much noise."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 6 * queries)
    y[::6], y[1::6] = 0, 2
    X = y[:, None] + np.array(noise) * rng.normal(size=(len(y), len(noise)))
    qid = np.repeat(np.arange(queries), 6)
    return RankingDataset.from_arrays(X, y, qid, name="noisy")


def unit(feature, of=3):
    return tuple(float(feature == place) for place in range(of))


def finished(data, valid, measure="nDCG@10", rules=measures.STANDARD, **features):
    """A race of models that rank by one feature each."""

    def begin(coef):
        algorithm = Given(coefs=(unit(-1, len(coef)), coef), objectives=(1.0, 0.0))
        return drive(
            algorithm, data, valid, stop=Stop(), measures=(measure, "RR"), rules=rules
        )

    study = race_study(
        {
            name: partial(begin, unit(feature, data.n_features))
            for name, feature in features.items()
        }
    )
    list(study)
    return study.subject


def values_of(found):
    """The mean of the measure of each model, the best first."""
    return [next(iter(one.valid.values())) for one in found.standings.values()]


def test_a_clear_lead_is_more_than_noise():
    data = noisy()
    result = verdict(finished(data, data, perfect=0, poor=1, poorer=2))

    assert result.leaders == ("perfect",)
    assert values_of(result)[0] == pytest.approx(1.0)
    assert result.pairs[0].significant
    assert result.sentence.startswith("perfect leads ")
    assert "significant on 40 validation queries" in result.sentence
    assert "after Holm over 3 pairs" in result.sentence


def test_the_numbers_are_those_of_the_tests_over_queries():
    data = noisy()
    race = finished(data, data, "AP", a=1, b=2, c=0)
    result = verdict(race)
    values = {
        name: measures.evaluate(data, data.X[:, feature], "AP")["AP"].to_numpy()
        for name, feature in {"a": 1, "b": 2, "c": 0}.items()
    }
    ranked = sorted(values, key=lambda name: -values[name].mean())
    pairs = list(itertools.combinations(ranked, 2))

    assert list(result.standings) == ranked
    assert [(pair.better, pair.other) for pair in result.pairs] == pairs
    tests = [randomisation_test(values[b], values[a]) for a, b in pairs]
    np.testing.assert_allclose(
        [pair.adjusted for pair in result.pairs], holm([t.p_value for t in tests])
    )
    for pair, (a, b), test in zip(result.pairs, pairs, tests, strict=True):
        differences = values[a] - values[b]
        assert pair.difference == pytest.approx(differences.mean())
        assert pair.p_value == test.p_value
        interval = difference_interval(values[a], values[b])
        assert (pair.low, pair.high) == pytest.approx((interval.low, interval.high))
        needed = queries_needed(differences, differences.mean(), level=0.05 / 3)
        assert pair.queries_needed == needed
    assert [row["p"] for row in result.rows()] == [p.adjusted for p in result.pairs]


def test_a_small_lead_is_noise_and_says_how_many_queries_it_takes():
    data = noisy()
    result = verdict(finished(data, data, one=1, other=2))
    (pair,) = result.pairs

    assert not pair.significant
    assert pair.queries_needed > QUERIES
    more = pair.queries_needed - QUERIES
    value = int(result.sentence.split("about ")[1].split()[0])
    assert abs(value - more) <= 0.05 * more
    assert "not significant with 40 validation queries" in result.sentence


def test_equal_models_have_no_leader():
    data = noisy()
    result = verdict(finished(data, data, a=1, b=1, c=1))

    assert result.leaders == ("a", "b", "c")
    value = values_of(result)[0]
    assert result.sentence == (
        f"a, b and c are equal on validation, with {value:.3f} each; none leads."
    )
    assert {pair.adjusted for pair in result.pairs} == {1.0}
    assert {pair.queries_needed for pair in result.pairs} == {None}


def test_a_lead_may_be_shared():
    data = noisy()
    result = verdict(finished(data, data, a=0, b=1, c=0))

    assert result.leaders == ("a", "c")
    assert result.sentence == "a and c share the lead on validation, with 1.000 each."


def test_validation_decides_and_training_does_not():
    train, valid = noisy(noise=(0.0, 3.0)), noisy(noise=(3.0, 0.0))
    result = verdict(finished(train, valid, fits=0, generalises=1))

    assert result.leaders == ("generalises",)


def test_without_validation_queries_nobody_leads():
    data = noisy()
    result = verdict(finished(data, None, a=0, b=1))

    assert result.standings == {}
    assert result.leaders == ()
    assert "no validation queries" in result.sentence
    assert "no validation data" in result.conditions


def test_one_query_proves_nothing():
    y = np.array([2, 0, 1])
    valid = RankingDataset.from_arrays(np.array([y, -y, y], float).T, y)
    result = verdict(finished(noisy(), valid, a=0, b=1))

    assert result.pairs == ()
    assert "one query" in result.sentence


def test_two_queries_may_differ_everywhere_and_still_be_noise():
    result = verdict(finished(noisy(), noisy(2), a=0, b=2))

    assert result.pairs[0].p_value >= 1 / 2
    assert not result.pairs[0].significant
    assert result.sentence.endswith(".")


def test_queries_without_relevant_documents_count_by_the_rule():
    y = [0, 0, 2, 0, 1, 0, 2, 1]
    X = np.array([y, [1, 0, 0, 1, 1, 0, 1, 2]], float).T
    data = RankingDataset.from_arrays(X, y, [1, 1, 2, 2, 3, 3, 4, 4])
    skipped = verdict(
        finished(data, data, rules=measures.Rules(empty="skip"), a=0, b=1)
    )
    counted = verdict(finished(data, data, a=0, b=1))

    assert (skipped.queries, counted.queries) == (3, 4)
    assert values_of(skipped)[0] == pytest.approx(1.0)
    assert values_of(counted)[0] == pytest.approx(3 / 4)


def test_a_model_that_ranks_nothing_takes_no_part():
    """The constant model leaves the rows as they are, which is the ideal order."""
    data = line((2, 1, 0))
    two = RankingDataset.from_arrays(
        np.vstack([data.X, data.X]), np.tile(data.y, 2), np.repeat([0, 1], 3)
    )
    race = finished(two, two, constant=-1, right=0)

    assert verdict(race).leaders == ("right",)
    assert list(verdict(race).standings) == ["right"]


def test_the_conditions_name_measure_convention_data_split_queries_and_seed():
    data = noisy()
    race = finished(data, data, rules=measures.Rules("letor3", "skip"), a=0, b=1)
    race.racers[1].run.algorithm.random_state = 7
    conditions = verdict(race).conditions

    for part in ("nDCG@10", "LETOR 3.0", "left out", "noisy, 40 queries", "0 and 7"):
        assert part in conditions


def test_runs_that_have_not_begun_take_no_part():
    data = noisy()

    def impossible():
        raise ValueError("It cannot.")

    def begin():
        return drive(Given(coefs=(unit(0),), objectives=(0.0,)), data, data)

    study = race_study({"never": impossible, "a": begin, "later": begin})
    next(study)
    result = verdict(study.subject)

    assert list(result.standings) == ["a"]
    assert "no other run" in result.sentence


def test_a_lead_in_few_queries_cannot_be_decided():
    """Two models that order three queries of 40 otherwise."""
    data = noisy()
    X = np.column_stack([data.X[:, 0], data.X[:, 0]])
    X[: data.offsets[3], 1] *= -1.0
    few = RankingDataset.from_arrays(X, data.y, np.repeat(np.arange(QUERIES), 6))
    result = verdict(finished(few, few, one=0, other=1))
    (pair,) = result.pairs
    assert pair.undecided == "Only 3 of 40 queries differ: no test can decide."
    assert result.sentence.endswith(f" on 40 validation queries. {pair.undecided}")


def test_a_verdict_weighs_queries_as_the_data_does():
    data, weights = noisy(), np.linspace(1.0, 5.0, QUERIES)
    heavy = data.with_query_weights(weights, "traffic")
    result = verdict(finished(data, heavy, poor=1, poorer=2))
    first, second = values_of(result)
    values = [one.queries["nDCG@10"] for one in result.standings.values()]
    assert first == pytest.approx(np.average(values[0], weights=weights))
    (pair,) = result.pairs
    test = randomisation_test(values[1], values[0], weights=weights)
    interval = difference_interval(*values, weights=weights)
    assert (pair.difference, pair.p_value) == (test.difference, test.p_value)
    assert (pair.low, pair.high) == (interval.low, interval.high)
    assert pair.difference == pytest.approx(first - second)
    assert "40 queries weighted by traffic, effective number" in result.conditions
    ones = verdict(finished(data, data.with_query_weights(np.ones(QUERIES)), poor=1,
                            poorer=2))  # fmt: skip
    plain = verdict(finished(data, data, poor=1, poorer=2))
    assert ones.pairs == plain.pairs
    assert ones.detectable == plain.detectable
    assert plain.detectable < result.detectable or plain.pairs != result.pairs
