"""One query under a model: swaps, forces, contributions, edits."""

import itertools

import numpy as np
import pytest
from scipy import stats

from rankcore import measures
from rankcore.algorithms import Ranker, get_algorithm
from rankcore.data.dataset import RankingDataset
from rankcore.topics.inspect import edits, inspection, ranking
from rankcore.topics.inspect.edits import DocumentEdit
from rankcore.topics.inspect.why import why

RNG = np.random.default_rng(3)
PLACE = "toy/train/1"


@pytest.fixture
def data():
    return RankingDataset.from_arrays(
        RNG.uniform(size=(17, 3)),
        [2, 0, 1, 0, 0, 1, *RNG.integers(0, 3, 10), 1],
        [1] * 6 + [2] * 10 + [3],
        query_texts=["red Shoes", "Boats", "trees"],
    )


@pytest.mark.parametrize("name", ["nDCG@3", "AP", "RR", "P@2", "ERR"])
@pytest.mark.parametrize("convention", ["standard", "letor3"])
def test_a_swap_has_the_effect_of_measuring_the_swapped_list(data, name, convention):
    query, measure = data.query(1), measures.parse(name)
    scores, one = RNG.normal(size=10), np.array([0, 10])
    order = ranking.order_by(scores, query.y, measure, convention)
    effects = inspection.swap_effects(order, query.y, measure, convention)
    assert np.isnan(effects[0])
    for place in range(1, 10):
        swapped = scores.copy()
        above, below = order.rows[place - 1], order.rows[place]
        swapped[above], swapped[below] = scores[below], scores[above]
        ranks = measures.exact_ranks(swapped, one)
        value = measure(ranks, query.y, one, convention)[0]
        assert effects[place] == pytest.approx(value - order.value, abs=1e-12)
    first = inspection.swap_effects(order, query.y, measure, convention, most=4)
    np.testing.assert_array_equal(first, effects[:4])


def test_swaps_of_one_document_or_without_relevant_ones_have_no_effect():
    measure = measures.parse("nDCG")
    order = ranking.order_by([0.5], [1], measure)
    assert np.isnan(inspection.swap_effects(order, np.array([1]), measure)).all()
    order = ranking.order_by([0.5, 0.2], [0, 0], measure)
    assert np.isnan(inspection.swap_effects(order, np.zeros(2, int), measure)).all()


def test_no_order_beats_the_ideal_one(data):
    query, measure = data.query(0), measures.parse("nDCG")
    model = ranking.order_by(query.X[:, 0], query.y, measure)
    ideal = ranking.ideal_order(model, query.y, measure)
    values = [
        ranking.order_by(-np.array(places), query.y, measure).value
        for places in itertools.permutations(range(6))
    ]
    assert ideal.value == pytest.approx(max(values)) == 1.0
    zeros = [row for row in model.rows if query.y[row] == 0]
    assert [row for row in ideal.rows if query.y[row] == 0] == zeros


def test_forces_move_the_documents_of_one_query(data):
    query, scores = data.query(0), data.query(0).X[:, 0]
    for name in ("RSRank", "ApproxNDCG", "SVMMAP"):
        forces = inspection.forces(get_algorithm(name)(), query, scores)
        assert forces.shape == (6,)
        # Only differences of scores matter, so a list as a whole is not moved.
        assert forces.sum() == pytest.approx(0.0, abs=1e-9)
        assert forces[0] > 0.0, name
    assert inspection.forces(get_algorithm("CoordinateAscent")(), query, scores) is None


def test_labels_that_an_algorithm_cannot_count_exert_no_forces():
    one = RankingDataset.from_arrays([[0.0], [1.0]], [0, 40])
    forces = inspection.forces(get_algorithm("LambdaRank")(), one.query(0), one.X[:, 0])
    assert forces is None


def test_the_surrogates_are_those_of_algorithms_that_offer_forces():
    names = inspection.surrogates()
    assert {"RSRank", "ApproxNDCG", "LambdaRank", "RankSVM", "ListNet"} <= set(names)
    assert all(cls.forces is not Ranker.forces for cls in names.values())
    assert "AdaRank" not in names


def test_contributions_add_up_to_the_score(data):
    coef = np.array([0.5, -2.0, 0.0])
    result = data.X[4]
    algorithm = get_algorithm("RSRank")()
    parts = inspection.parts(algorithm, coef, result, data)
    assert sum(parts["contribution"]) == pytest.approx(result @ coef)
    assert parts["importance"] == sorted(parts["importance"], key=abs, reverse=True)
    at = [data.feature_names.index(name) for name in parts["feature"]]
    assert sorted(at) == list(range(data.n_features))
    assert parts["importance"] == algorithm.importances(coef, data)[at].tolist()
    assert parts["value"] == result[at].tolist()
    assert parts["contribution"] == (result * coef)[at].tolist()


def test_the_score_of_trees_is_no_sum_over_the_features(data):
    algorithm = get_algorithm("RankBoost")()
    parts = inspection.parts(algorithm, np.zeros((1, 8)), data.X[0], data)
    assert parts.keys() == {"feature", "value", "importance"}


def test_rank_correlations_are_spearman_s(data):
    scores, others = RNG.normal(size=(2, 17))
    result = ranking.rank_correlations(data, scores, others)
    for q in range(2):
        value = data.query(q).slice
        expected = stats.spearmanr(scores[value], others[value]).statistic
        assert result[q] == pytest.approx(expected)
        orders = (
            ranking.order_by(values[value], data.y[value], measures.parse("AP"))
            for values in (scores, others)
        )
        assert ranking.rank_correlation(*orders) == pytest.approx(expected)
    assert result[2] == 1.0


def test_queries_are_found_by_name_and_text(data):
    rows = ranking.worst_queries(data, data.X[:, 0], measures.parse("AP"))
    assert [r.query for r in inspection.matching(data, rows, "SHOES")] == ["1"]
    assert [r.query for r in inspection.matching(data, rows, " 2 ")] == ["2"]
    assert inspection.matching(data, rows, "") == rows
    assert inspection.matching(data, rows, "gardens") == []


def test_edits_are_written_read_and_applied(data):
    query = data.query(0)
    text = edits.with_edit("", PLACE, query, DocumentEdit(2, 1, 0.25))
    text = edits.with_edit(text, PLACE, query, DocumentEdit(2, None, 2))
    assert text == f"{PLACE}?3.2=0.25&3.y=2"
    assert edits.read(text, PLACE) == (
        DocumentEdit(2, 1, 0.25),
        DocumentEdit(2, None, 2.0),
    )
    changed = edits.applied(query, edits.read(text, PLACE))
    assert changed.X[2, 1] == 0.25
    assert changed.y[2] == 2
    assert (changed.X != query.X).sum() == 1
    assert query.y[2] == 1


def test_edits_of_another_query_do_not_count(data):
    text = edits.with_edit("", PLACE, data.query(0), DocumentEdit(0, 0, 0.5))
    assert edits.read(text, "toy/train/2") == ()


def test_a_change_back_is_no_change(data):
    query = data.query(0)
    text = edits.with_edit("", PLACE, query, DocumentEdit(0, None, 1))
    assert edits.with_edit(text, PLACE, query, DocumentEdit(0, None, 2)) == ""


@pytest.mark.parametrize(
    "change",
    ["0.1=1", "1.0=1", "1.y=-1", "1.y=0.5", "1.y=99", "x.1=1", "1.1=nan", "1=2", ""],
)
def test_what_is_no_edit_is_left_out(change):
    assert edits.read(f"{PLACE}?{change}", PLACE) == ()


def test_edits_of_what_a_query_does_not_have_are_left_out(data):
    query = data.query(0)
    result = edits.applied(
        query,
        [DocumentEdit(99, 0, 1.0), DocumentEdit(0, 99, 1.0), DocumentEdit(9, None, 1)],
    )
    np.testing.assert_array_equal(result.X, query.X)
    np.testing.assert_array_equal(result.y, query.y)


def test_why_explains_edited_documents(data):
    coef = np.array([1.0, 0.0, 0.0])
    query = edits.applied(
        data.query(0), [DocumentEdit(0, 0, 5.0), DocumentEdit(1, 0, 4.0)]
    )
    reason = why(get_algorithm("RSRank")(), coef, data, query, 1)
    assert (reason.upper, reason.lower) == (query.doc_ids[0], query.doc_ids[1])
    assert reason.contributions.tolist() == [-1.0, 0.0, 0.0]
