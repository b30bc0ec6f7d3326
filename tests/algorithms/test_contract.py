"""What holds for every algorithm that is found, without naming any."""

import doctest
import inspect
import re
import threading
import warnings
from functools import partial

import joblib
import numpy as np
import pytest
import sklearn
from joblib.externals.loky import get_reusable_executor
from sklearn import model_selection
from sklearn.base import clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import rankcore
from rankcore.algorithms import LinearRanker, is_offered
from rankcore.base.errors import MissingQueryWarning
from rankcore.base.hyperparameters import hyperparameters
from rankcore.data.dataset import RankingDataset
from rankcore.studies.models import load_model, save_model
from rankcore.training import Stop, drive
from tests.algorithms.scored import ALGORITHMS, every

every_algorithm = every()


def planted(seed=0, queries=12, size=9, features=4, levels=3):
    """Rows in random order whose labels follow a linear truth with noise."""
    rng = np.random.default_rng(seed)
    n = queries * size
    X = rng.uniform(size=(n, features))
    truth = X @ np.array([3.0, -2.0, 1.0, 0.0][:features])
    truth += rng.normal(scale=0.3, size=n)
    y = np.digitize(truth, np.quantile(truth, np.linspace(0, 1, levels + 1)[1:-1]))
    qid = rng.permutation(np.repeat(np.arange(queries), size))
    return X, y, qid


def dataset(*arrays):
    return RankingDataset.from_arrays(*arrays)


def records(algorithm, data, passes=3, **details):
    return list(drive(algorithm, data, stop=Stop(max_iterations=passes), **details))


OF_QUERIES = "weights are of queries, and the check gives the rows of one others"


def scikit_learn(algorithms):
    return parametrize_with_checks(
        [algorithm(max_iter=4) for algorithm in algorithms],
        expected_failed_checks=lambda model: {
            "check_sample_weight_equivalence_on_dense_data": OF_QUERIES,
            "check_sample_weights_not_overwritten": OF_QUERIES,
            **(
                {}
                if model.query_weights.taken
                else {"check_sample_weights_list": "it takes no weights"}
            ),
        },
    )


# scikit-learn's checks call fit without queries.
@pytest.mark.filterwarnings("ignore::rankcore.base.errors.MissingQueryWarning")
# Four passes over little data may be too few to leave the zero model.
@pytest.mark.filterwarnings("ignore:.*The best model is the zero model:UserWarning")
@scikit_learn(ALGORITHMS[::4])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.soak
@pytest.mark.filterwarnings("ignore::rankcore.base.errors.MissingQueryWarning")
@pytest.mark.filterwarnings("ignore:.*The best model is the zero model:UserWarning")
@scikit_learn(ALGORITHMS)
def test_scikit_learn_checks_of_every_algorithm(estimator, check):
    check(estimator)


@every_algorithm
def test_it_presents_itself(algorithm):
    for text in ("title", "family", "summary", "equation", "paper"):
        assert getattr(algorithm, text).strip(), text
    assert algorithm.paper in " ".join(inspect.getdoc(algorithm).split())
    assert inspect.getmodule(algorithm).__doc__
    declared = hyperparameters(algorithm)
    constructor = inspect.signature(algorithm).parameters
    assert set(declared) == set(constructor), "each argument is a hyperparameter"
    assert list(declared)[-2:] == ["max_iter", "random_state"]
    for parameter in declared.values():
        assert parameter.meaning.endswith(".")
        assert parameter.check(parameter.default) == parameter.default
        for value in parameter.sweep:
            assert parameter.check(value) == value
        before = list(declared)[: list(declared).index(parameter.name)]
        assert set(parameter.shown_when) <= set(before), "a control asks those above"


@every_algorithm
def test_the_example_of_its_docstring_says_what_is_so(algorithm):
    finder = doctest.DocTestFinder(recurse=False)
    (test,) = finder.find(algorithm, algorithm.__name__, globs={})
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


@every_algorithm
def test_its_presets_only_set_hyperparameters(algorithm):
    declared = hyperparameters(algorithm)
    for name, settings in algorithm.presets.items():
        assert name.strip()
        for key, value in settings.items():
            declared[key].check(value)


@every_algorithm
def test_training_improves_the_ranking_of_planted_data(algorithm):
    data = dataset(*planted(queries=30, size=12))
    history = records(algorithm(), data, passes=200)
    first, last = history[0].train["nDCG@10"], history[-1].train["nDCG@10"]
    assert last > first
    assert last > 0.9


@every_algorithm
def test_labels_that_are_fractions_are_learnt_or_refused_with_the_reason(algorithm):
    X, y, qid = planted(queries=30, size=12)
    labels = np.array([0.0, 0.5, 2.25])[y]
    data, model = dataset(X, labels, qid), algorithm()
    if (refusal := model.fractions_refusal) is not None:
        assert refusal[0].isupper()
        assert refusal.endswith(".")
        with pytest.raises(ValueError, match=re.escape(refusal)) as error:
            model.fit(X, labels, qid=qid)
        assert model.title in str(error.value)
        return
    history = records(model, data, passes=30)
    first, last = history[0].train["nDCG@10"], history[-1].train["nDCG@10"]
    assert last > max(first, 0.9)
    fitted = algorithm(max_iter=2).fit(X, labels, qid=qid)
    assert fitted.score(X, labels, qid=qid) == fitted.score(data) > 0.0


@every_algorithm
def test_the_seed_decides(algorithm):
    data = dataset(*planted())
    coefs = [
        [record.coef for record in records(algorithm(random_state=seed), data)]
        for seed in (5, 5)
    ]
    assert len(coefs[0]) > 1
    for one, other in zip(*coefs, strict=True):
        np.testing.assert_array_equal(one, other)


@every_algorithm
def test_rows_may_come_in_any_order(algorithm):
    X, y, qid = planted()
    order = np.argsort(qid, kind="stable")
    model = algorithm(max_iter=5).fit(X, y, qid=qid)
    grouped = algorithm(max_iter=5).fit(X[order], y[order], qid=qid[order])
    assert model.predict(X)[order] == pytest.approx(model.predict(X[order]))
    assert model.score(X, y, qid=qid) == pytest.approx(
        model.score(X[order], y[order], qid=qid[order])
    )
    assert grouped.score(X, y, qid=qid) > 0


EDGE_CASES = {
    "one document": ([[1.0, 2.0]], [1], None),
    "one query": (np.eye(4), [0, 1, 2, 0], None),
    "no relevant document": (np.eye(3), [0, 0, 0], None),
    "equal labels": (np.eye(3), [1, 1, 1], None),
    "single documents only": (np.eye(3), [0, 1, 2], [1, 2, 3]),
    "constant features": (np.ones((6, 2)), [0, 1, 2, 2, 1, 0], [1, 1, 1, 2, 2, 2]),
    "labels with a gap": (np.arange(6.0)[:, None], [0, 2, 0, 2, 2, 0], None),
    "duplicate rows": (np.ones((4, 3)) * [[1], [1], [2], [2]], [0, 1, 0, 1], None),
    "tied and shared by queries": (np.zeros((4, 2)), [0, 1, 1, 0], [1, 1, 2, 2]),
    "huge features": (np.arange(8.0)[:, None] * 1e12, np.arange(8) % 3, None),
    "tiny features": (np.arange(8.0)[:, None] * 1e-12, np.arange(8) % 3, None),
    "mixed scales": (
        np.column_stack([np.arange(8.0) * 1e9, np.arange(8.0)[::-1]]),
        np.arange(8) % 3,
        None,
    ),
}


@every_algorithm
@pytest.mark.parametrize("case", EDGE_CASES)
def test_edge_cases_give_finite_models(algorithm, case):
    X, y, qid = EDGE_CASES[case]
    data = dataset(np.asarray(X, dtype=float), np.asarray(y), qid)
    if algorithm().unsupported_reason(data):
        pytest.skip("the algorithm says it cannot train on this")
    run = drive(algorithm(), data, stop=Stop(max_iterations=5))
    history = list(run)
    assert history[0].iteration == 0
    for record in history:
        assert np.isfinite(record.coef).all()
        assert np.isfinite(record.objective)
    assert "no longer finite" not in (run.reason or "")


@every_algorithm
def test_every_limit_of_a_control_can_be_trained(algorithm):
    data = dataset(*planted(queries=4))
    for name, parameter in hyperparameters(algorithm).items():
        limits = [parameter.low, parameter.high]
        values = parameter.choices or [parameter.check(v) for v in limits]
        extras = [*parameter.special, *([None] if parameter.optional else [])]
        for value in [*values, *extras]:
            model = algorithm(**{name: value})
            if model.unsupported_reason(data):
                continue
            history = records(model, data, passes=2)
            assert np.isfinite(history[-1].objective), (name, value)


@every_algorithm
def test_a_step_is_never_changed_afterwards(algorithm):
    steps = algorithm().steps(dataset(*planted()), np.random.default_rng(0))
    first = next(steps)
    before = first.coef.copy()
    for _ in range(3):
        next(steps, None)
    steps.close()
    np.testing.assert_array_equal(first.coef, before)


@every_algorithm
def test_it_starts_from_a_given_model(algorithm):
    data = dataset(*planted())
    if not issubclass(algorithm, LinearRanker):
        with pytest.raises(ValueError, match="cannot start from another model"):
            records(algorithm(), data, start=np.ones(4))
        return
    start = np.array([0.5, -0.25, 0.125, 0.0])
    history = records(algorithm(), data, passes=1, start=start)
    np.testing.assert_array_equal(history[0].coef, start)
    np.testing.assert_array_equal(start, [0.5, -0.25, 0.125, 0.0])
    with pytest.raises(ValueError, match="4 finite coefficients"):
        records(algorithm(), data, start=np.ones(3))


@every_algorithm
def test_it_runs_off_the_main_thread(algorithm):
    data = dataset(*planted())
    expected = records(algorithm(), data)[-1].coef
    values = []
    threads = [
        threading.Thread(target=lambda: values.append(records(algorithm(), data)[-1]))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [record.coef.tolist() for record in values] == [expected.tolist()] * 2


@every_algorithm
def test_an_abandoned_run_leaves_no_thread_behind(algorithm):
    before = threading.active_count()
    run = drive(algorithm(), dataset(*planted()))
    next(run)
    next(run)
    run.close()
    assert threading.active_count() == before


@every_algorithm
def test_it_works_with_scikit_learn(algorithm):
    X, y, qid = planted(queries=6)
    model = algorithm(max_iter=3)
    with sklearn.config_context(enable_metadata_routing=True):
        model.set_fit_request(qid=True, coef_init=False).set_score_request(qid=True)
        search = model_selection.GridSearchCV(
            model, {"random_state": [1, 2]}, cv=model_selection.GroupKFold(3)
        )
        search.fit(X, y, qid=qid, groups=qid)
        assert search.best_score_ == max(search.cv_results_["mean_test_score"]) > 0
        assert search.best_estimator_.score(X, y, qid=qid) > 0
        pipeline = make_pipeline(StandardScaler(), model).fit(X, y, qid=qid)
    scaled = StandardScaler().fit_transform(X)
    alone = algorithm(max_iter=3).fit(scaled, y, qid=qid)
    np.testing.assert_array_equal(pipeline.predict(X), alone.predict(scaled))
    assert clone(model).get_params() == model.get_params()


@every_algorithm
def test_missing_queries_are_noticed(algorithm):
    X, y, qid = planted(queries=6)
    with pytest.warns(MissingQueryWarning, match=r"^fit .*qid=.*set_fit_request"):
        model = algorithm(max_iter=2).fit(X, y)
    with pytest.warns(MissingQueryWarning, match=r"^score .*qid="):
        of_one_query = model.score(X, y)
    assert of_one_query == model.score(X, y, qid=None)
    assert of_one_query == algorithm(max_iter=2).fit(X, y, None).score(X, y, None)

    model.fit(X, y, qid=qid)
    with pytest.raises(ValueError, match="fitted to queries"):
        model.score(X, y)


WITHOUT_QUERIES = "Model selection calls fit without queries"
RANGE = {"param_name": "rsrank__g", "param_range": [0.0, 10.0]}
SPACE = {"rsrank__g": [*map(float, range(10))]}
# What scikit-learn's model selection does with an estimator.
SELECTIONS = {
    **{
        function.__name__: function
        for function in (
            model_selection.cross_val_predict,
            model_selection.cross_val_score,
            model_selection.cross_validate,
            model_selection.learning_curve,
            model_selection.permutation_test_score,
        )
    },
    "validation_curve": partial(model_selection.validation_curve, **RANGE),
    "LearningCurveDisplay": model_selection.LearningCurveDisplay.from_estimator,
    "ValidationCurveDisplay": partial(
        model_selection.ValidationCurveDisplay.from_estimator, **RANGE
    ),
    **{
        search.__name__: lambda ranker, X, y, groups, search=search, **options: search(
            ranker, SPACE, **options
        ).fit(X, y, groups=groups)
        for search in (
            model_selection.GridSearchCV,
            model_selection.HalvingGridSearchCV,
            model_selection.HalvingRandomSearchCV,
            model_selection.RandomizedSearchCV,
        )
    },
    "RFECV": lambda ranker, X, y, groups, **options: RFECV(
        ranker, importance_getter="steps[-1][1].coef_", **options
    ).fit(X, y, groups=groups),
    "SequentialFeatureSelector": lambda ranker, X, y, groups, cv, **options: (
        SequentialFeatureSelector(
            ranker, n_features_to_select=1, cv=list(cv.split(X, y, groups)), **options
        ).fit(X, y)
    ),
}


def test_all_of_model_selection_is_tried():
    """Functions and searches that take groups; others are of classifiers."""
    settings = set(SELECTIONS) | {
        "FixedThresholdClassifier",
        "TunedThresholdClassifierCV",
    }
    functions = {
        name
        for name in model_selection.__all__
        if inspect.isfunction(one := getattr(model_selection, name))
        and {"estimator", "cv"} <= {*inspect.signature(one).parameters}
    }
    fitted = {
        name
        for name in model_selection.__all__
        if hasattr(one := getattr(model_selection, name), "fit")
        or hasattr(one, "from_estimator")
    }
    assert functions | fitted - {"BaseSearchCV"} <= settings


@pytest.mark.parametrize(
    ("select", "jobs"),
    [*((name, 1) for name in SELECTIONS), ("GridSearchCV", 2), ("learning_curve", 2)],
)
def test_model_selection_without_queries_is_an_error(select, jobs, request):
    ranker = make_pipeline(StandardScaler(), rankcore.RSRank(max_iter=2))
    X, y, qid = planted(queries=6)
    # joblib's processes wait five minutes for more work.
    if jobs > 1:
        request.addfinalizer(lambda: get_reusable_executor().shutdown())
    with pytest.raises((ValueError, RuntimeError), match=WITHOUT_QUERIES):
        SELECTIONS[select](
            ranker, X, y, groups=qid, cv=model_selection.GroupKFold(3), n_jobs=jobs
        )


CURVES = ["learning_curve", "validation_curve"]


@pytest.mark.parametrize("curve", CURVES)
def test_curves_need_queries_to_fit_and_score(curve):
    """scikit-learn gives nan where fit ends in an error, and says nothing."""
    X, y, qid = planted(queries=6)
    groups = {"groups": qid, "cv": model_selection.GroupKFold(3)}
    draw = partial(SELECTIONS[curve], make_pipeline(rankcore.RSRank(max_iter=2)), X, y)
    queries = {"params": {"rsrank__qid": qid}}
    with pytest.raises(RuntimeError, match="passes queries to fit, but none to score"):
        draw(**groups, **queries)

    def spread(ranker, X, y):
        return float(np.ptp(ranker.predict(X)))

    assert np.isfinite(draw(**groups, **queries, scoring=spread)[-1]).all()
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = rankcore.RSRank(max_iter=2)
        ranker.set_fit_request(qid=True).set_score_request(qid=True)
        routed = {"params": {"qid": qid, "groups": qid}, "cv": groups["cv"]}
        result = SELECTIONS[curve](make_pipeline(ranker), X, y, **routed)
    assert (result[-1] > 0.0).all()


@pytest.mark.parametrize("curve", CURVES)
def test_curves_of_an_estimator_that_knows_its_queries(curve):
    """One of the user's own may find the query of a row in a column."""
    X, y, qid = planted(queries=6)

    class Own(rankcore.RSRank):
        def fit(self, X, y):
            return super().fit(X[:, 1:], y, qid=X[:, 0].astype(int))

        def score(self, X, y):
            data = dataset(X[:, 1:], y, X[:, 0].astype(int))
            scores = self.scores(data.X, self.coef_)
            return rankcore.measures.means(data, scores, ["nDCG@10"])["nDCG@10"]

    X = np.column_stack([qid, X])
    settings = {"groups": qid, "cv": model_selection.GroupKFold(3)}
    axis = {"param_name": "g"} if curve == "validation_curve" else {}
    result = SELECTIONS[curve](Own(max_iter=2), X, y, **settings, **axis)
    assert (result[-1] > 0.0).all()


@pytest.mark.parametrize("before", [[], [StandardScaler()]])
def test_choosing_by_score_without_queries_is_an_error(before):
    ranker = make_pipeline(*before, rankcore.RSRank())
    X, y, qid = planted(queries=6)
    search = model_selection.GridSearchCV(
        ranker, {"rsrank__g": [0, 10]}, cv=model_selection.GroupKFold(3)
    )
    with pytest.raises(ValueError, match="passes queries to fit, but none to score"):
        search.fit(X, y, groups=qid, rsrank__qid=qid)
    search.scoring = lambda ranker, X, y: float(np.ptp(ranker.predict(X)))
    assert search.fit(X, y, groups=qid, rsrank__qid=qid).best_score_ > 0


def test_queries_are_routed_through_a_pipeline():
    X, y, qid = planted(queries=6)
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = rankcore.RSRank(max_iter=3)
        ranker.set_fit_request(qid=True).set_score_request(qid=True)
        by_pipeline, alone = (
            model_selection.cross_val_score(
                model,
                X,
                y,
                cv=model_selection.GroupKFold(3),
                params={"qid": qid, "groups": qid},
            )
            for model in (make_pipeline("passthrough", ranker), ranker)
        )
    np.testing.assert_array_equal(by_pipeline, alone)


@every_algorithm
def test_a_fitted_model_survives_joblib_and_json(algorithm, tmp_path):
    X, y, qid = planted()
    model = algorithm(max_iter=3).fit(X, y, qid=qid)
    joblib.dump(model, tmp_path / "model.joblib")
    again = joblib.load(tmp_path / "model.joblib")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    for old, new in zip(model.history_, again.history_, strict=True):
        np.testing.assert_array_equal(old.coef, new.coef)
    save_model(model, tmp_path / "model.json")
    read = load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(read.predict(X), model.predict(X))
    assert read.get_params() == model.get_params()


@every_algorithm
def test_each_feature_has_a_weight_in_every_record(algorithm):
    for record in records(algorithm(), dataset(*planted())):
        assert record.weights.shape == (4,)
        assert record.nonzeros == np.count_nonzero(record.weights)


@every_algorithm
def test_scoring_step_after_step_is_scoring_each(algorithm):
    data = dataset(*planted())
    model = algorithm()
    score = model.scorer(data.X)
    history = records(model, data, passes=6)
    for record in [*history, *history[::-1]]:
        expected = model.scores(data.X, record.coef)
        np.testing.assert_array_equal(score(record.coef), expected)


@every_algorithm
def test_a_wrong_hyperparameter_gets_a_sentence_before_training(algorithm):
    X, y, qid = planted()
    with pytest.raises(ValueError, match="max_iter must be a whole number"):
        algorithm(max_iter=-1).fit(X, y, qid=qid)


def test_algorithms_are_found_by_any_case_and_misspelling_is_helped():
    name = rankcore.list_algorithms()[0]
    assert rankcore.get_algorithm(name.upper()).__name__ == name
    with pytest.raises(ValueError, match=f"Did you mean: {name}"):
        rankcore.get_algorithm(name[:-1])
    with warnings.catch_warnings(), pytest.raises(AttributeError):
        rankcore.NoSuchAlgorithm  # noqa: B018


def test_an_algorithm_is_offered_where_its_packages_are_installed():
    algorithm = ALGORITHMS[0]
    lacking = type("Lacking", (algorithm,), {"requires": ("no_such_package",)})
    assert is_offered(algorithm)
    assert not is_offered(lacking)
