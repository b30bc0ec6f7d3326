"""Runs to train for a comparison: their number, values, folds, and what goes wrong."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold

from rankcore.algorithms import get_algorithm, list_algorithms
from rankcore.base.hyperparameters import hyperparameters
from rankcore.data.catalogue import Splits
from rankcore.data.dataset import RankingDataset
from rankcore.topics.compare.comparison import compare, contenders
from rankcore.topics.compare.comparison_plan import (
    ComparisonPlan,
    Swept,
    pooled,
    pooled_folds,
    spread_values,
)
from rankcore.topics.train.entries import main_hyperparameter
from rankcore.training import Stop, drive

FEW = Stop(max_iterations=3)


def planned(small, *swept, folds=None, **details):
    return ComparisonPlan(
        "small", folds or {"": Splits(small, small)}, swept, **details
    )


def test_every_value_and_seed_is_the_run_it_says(small):
    ranker = get_algorithm("RSRank")()
    plan = planned(small, Swept(ranker, {"g": (0.0, 10.0)}), seeds=(0, 4), stop=FEW)
    study = plan.study()
    assert len(list(study)) == study.done == study.total == plan.runs == 4
    assert study.reason == "All 4 runs have ended."
    for item in study.found:
        settings = item.settings
        run = drive(
            get_algorithm("RSRank")(random_state=item.cell.seed, g=settings["g"]),
            small, small, stop=FEW,
        )  # fmt: skip
        list(run)
        np.testing.assert_array_equal(item.coef, run.best.coef)
    assert {(one.settings["g"], one.cell.seed) for one in study.found} == {
        (0.0, 0), (0.0, 4), (10.0, 0), (10.0, 4)
    }  # fmt: skip


def test_a_run_that_fails_says_why_and_the_others_go_on(small):
    good = get_algorithm("ListNet")()
    bad = get_algorithm("SingleFeature")(feature="nowhere")
    study = planned(small, Swept(bad, {}), Swept(good, {}), stop=FEW).study()
    list(study)
    failed, trained = study.found
    assert failed.failed
    assert "nowhere" in failed.reason
    assert not trained.failed
    assert study.reason == "All 2 runs have ended; 1 could not be trained."


def test_it_can_be_stopped_between_two_runs(small):
    ranker = get_algorithm("ListNet")()
    study = planned(small, Swept(ranker, {}), seeds=(0, 1, 2), stop=FEW).study()
    next(study)
    study.close()
    assert study.done == 1
    assert study.ended


def test_folds_have_each_query_once_and_no_test_query(small):
    first, second = small.subset(range(8)), small.subset(range(8, 12))
    folds = pooled_folds(Splits(first, second, small), 3)
    validated = [q for fold in folds.values() for q in fold.valid.query_ids]
    assert sorted(validated) == sorted(small.query_ids)
    for fold in folds.values():
        assert fold.test is None
        assert not set(fold.train.query_ids) & set(fold.valid.query_ids)
    both = pooled(Splits(first, second))
    np.testing.assert_array_equal(both.X, small.X)
    assert both.query_ids == small.query_ids
    assert pooled(Splits(first, second).normalise("zscore")).normalisation == "zscore"
    assert both.doc_texts is None
    titled = [
        replace(
            one,
            doc_texts=tuple(f"title of {doc}" for doc in one.doc_ids),
            query_texts=tuple(f"words of {query}" for query in one.query_ids),
        )
        for one in (first, second)
    ]
    both = pooled(Splits(*titled))
    assert both.query_texts == titled[0].query_texts + titled[1].query_texts
    assert both.doc_texts == titled[0].doc_texts + titled[1].doc_texts
    assert both.judged is None
    flags = (first.y > 0) | (np.arange(first.n_documents) % 3 > 0)
    some = pooled(Splits(replace(first, judged=flags), second))
    assert some.judged.tolist() == [*flags, *[True] * second.n_documents]
    assert not all(flags)
    assert both.document_weights is None
    heavy = second.with_document_weights(np.arange(1.0, second.n_documents + 1.0))
    some = pooled(Splits(first, heavy)).document_weights
    assert some.tolist() == [*[1.0] * first.n_documents, *heavy.document_weights]


@pytest.mark.parametrize("count", [2, 5])
def test_folds_are_those_of_group_k_fold(count):
    rng = np.random.default_rng(0)
    query = np.repeat(np.arange(40), rng.integers(1, 9, 40))
    X, y = rng.random((len(query), 3)), rng.integers(0, 3, len(query))
    whole = RankingDataset.from_arrays(X, y, query)
    first, second = whole.subset(range(25)), whole.subset(range(25, 40))
    folds = pooled_folds(Splits(first, second, None), count)
    parts = list(GroupKFold(count).split(X, y, query))
    assert len(folds) == len(parts) == count
    for fold, (train, valid) in zip(folds.values(), parts, strict=True):
        np.testing.assert_array_equal(fold.train.X, X[train])
        np.testing.assert_array_equal(fold.train.y, y[train])
        np.testing.assert_array_equal(fold.valid.X, X[valid])


def test_folds_are_compared_on_all_queries(small):
    folds = pooled_folds(Splits(small), 3)
    swept = [Swept(get_algorithm(name)(), {}) for name in ("ListNet", "RankSVM")]
    study = planned(small, *swept, folds=folds, stop=FEW).study()
    list(study)
    result = compare(contenders(study.found), "nDCG@10")
    assert [len(one.runs) for one in result.contenders] == [3, 3]
    assert sorted(result.ids) == sorted(small.query_ids)
    assert result.pairs[0].difference.queries == small.n_queries


@pytest.mark.parametrize("name", list_algorithms())
def test_values_are_permitted_distinct_and_start_with_the_default(name):
    algorithm = get_algorithm(name)
    main = main_hyperparameter(algorithm)
    row = hyperparameters(algorithm)[main]
    assert spread_values(row, 1) == (row.default,)
    for count in (2, 5, 9):
        values = spread_values(row, count)
        assert len(set(values)) == len(values) <= count
        assert [row.check(value) for value in values] == list(values)


def test_five_values_lie_in_the_range_of_the_sweep():
    row = hyperparameters(get_algorithm("RSRank"))["g"]
    values = spread_values(row, 5)
    assert len(values) == 5
    assert set(row.sweep) <= set(values)
    assert (min(values), max(values)) == (min(row.sweep), max(row.sweep))
