"""Hyperparameters that change while an algorithm runs, for every algorithm."""

import itertools

import numpy as np
import pytest

import rankcore
from rankcore.algorithms import LinearRanker
from rankcore.base.hyperparameters import hyperparameters
from rankcore.training import Stop, drive
from rankcore.training.changes import changeable
from tests.algorithms.scored import ALGORITHMS
from tests.algorithms.test_contract import dataset, planted

AT, LAST = 5, 11
# Settings under which a hyperparameter matters that does not by default.
UNDER = {
    "ApproxNDCG.beta": {"cutoff": 5},
    "ConeRank.folding_steps": {"folding": "eg"},
    "ConeRank.learning_rate": {"basis_update": "gradient", "n_basis": 3},
    # The automatic one is drawn by chance, to the last digits.
    "RSRank.g": {"learning_rate": 1e-3},
    "RSRank.truncation_interval": {"learning_rate": 1e-3, "g": 1.0},
    "RSRank.shrinkage": {"learning_rate": 1e-3, "g": 1.0, "truncation_interval": 5},
}
# These decide when training ends.
ENDS = ("tolerance", "patience")
CASES = [
    pytest.param(algorithm, name, id=f"{algorithm.__name__}.{name}")
    for algorithm in ALGORITHMS
    for name in changeable(algorithm)
]
CHANGEABLE = pytest.mark.parametrize(("algorithm", "name"), CASES)


def made(algorithm, name):
    """The algorithm with settings under which the hyperparameter matters."""
    declared = hyperparameters(algorithm)[name]
    needed = {other: values[0] for other, values in declared.shown_when.items()}
    more = UNDER.get(f"{algorithm.__name__}.{name}", {})
    return algorithm(**needed | more)


def another(model, name):
    """A value other than the model's that acts within a few iterations."""
    declared = hyperparameters(model)[name]
    ends = [declared.low, declared.high]
    offered = [*declared.choices, *declared.sweep, *ends]
    kind = int if declared.kind == "integer" else float
    values = [v if isinstance(v, str) or v is None else kind(v) for v in offered]
    return next(v for v in values if v != getattr(model, name))


def coefs(model, **details):
    stop = Stop(max_iterations=details.pop("last", LAST))
    run = drive(model, dataset(*planted()), stop=stop, measures=(), **details)
    list(run)
    return run


def same(one, other):
    assert len(one.history) == len(other.history)
    for a, b in zip(one.history, other.history, strict=True):
        np.testing.assert_array_equal(a.coef, b.coef)


@CHANGEABLE
def test_the_value_it_has_already_changes_nothing_to_the_bit(algorithm, name):
    model = made(algorithm, name)
    changed = coefs(model, changes={AT: {name: getattr(model, name)}})
    same(changed, coefs(model))
    assert changed.history.changes == []


@CHANGEABLE
def test_nothing_differs_before_and_the_run_is_repeated_by_its_changes(algorithm, name):
    model = made(algorithm, name)
    value, before = another(model, name), getattr(model, name)
    run = coefs(model, changes={AT: {name: value}})
    for a, b in zip(run.history, coefs(model, last=AT).history, strict=False):
        np.testing.assert_array_equal(a.coef, b.coef)
    assert getattr(model, name) == before, "the caller's algorithm stays as it is"
    same(run, coefs(model, changes=run.changes))
    if run.history[-1].iteration > AT:
        (change,) = run.history.changes
        assert change == (AT, name, before, value)
        unchanged = coefs(model).history[-1]
        acts = not np.array_equal(run.history[-1].coef, unchanged.coef)
        assert acts or name in ENDS


def test_the_algorithm_after_a_record_has_the_changes_up_to_it():
    model = rankcore.RSRank(g=1.0)
    run = coefs(model, changes={AT: {"g": 2.0}, AT + 2: {"g": 3.0}})
    assert [change.iteration for change in run.history.changes] == [AT, AT + 2]
    penalties = [run.algorithm_after(record).g for record in run.history]
    assert penalties == [1.0] * AT + [2.0] * 2 + [3.0] * (LAST - AT - 1)


@CHANGEABLE
def test_a_live_change_is_the_planned_one(algorithm, name):
    model = made(algorithm, name)
    value = another(model, name)
    run = drive(model, dataset(*planted()), stop=Stop(max_iterations=LAST), measures=())
    list(itertools.islice(run, AT + 1))
    if run.reason is None:
        assert run.change(**{name: value}) == run.history[-1].iteration
    list(run)
    same(run, coefs(model, changes=run.changes))


RESUMABLE = [
    case
    for case in CASES
    if issubclass(case.values[0], LinearRanker)
    and case.values[0].__name__ not in ("ConeRank", "AdaRank", "CoordinateAscent")
]


@pytest.mark.parametrize(("algorithm", "name"), RESUMABLE)
def test_from_then_on_it_trains_as_if_it_had_begun_there(algorithm, name):
    """Where coefficients are all that an algorithm remembers; of the random numbers
    drawn until then the continued run is given the rest."""
    model = made(algorithm, name)
    value = another(model, name)
    rng = np.random.default_rng(0)
    before = coefs(model, last=AT, rng=rng)
    if before.history[-1].iteration < AT:
        pytest.skip("the algorithm has ended by then")
    changed = coefs(model, changes={AT: {name: value}})
    model = made(algorithm, name).set_params(**{name: value})
    after = coefs(model, last=LAST - AT, start=before.history[-1].coef, rng=rng)
    assert len(after.history) > 1
    for a, b in zip(changed.history[AT + 1 :], after.history[1:], strict=True):
        np.testing.assert_array_equal(a.coef, b.coef)


# What was made of it at the start would not agree with another value.
FIXED = {"CoordinateAscent.criterion", "McRank.classes"}
NOT_RESUMING = [algorithm for algorithm in ALGORITHMS if not algorithm.resumes]


@pytest.mark.parametrize(
    "algorithm", NOT_RESUMING, ids=lambda algorithm: algorithm.__name__
)
def test_exactly_what_each_iteration_reads_may_change(algorithm):
    """Where steps do not begin again."""
    names = set(hyperparameters(algorithm))
    read = set()

    class Watching(algorithm):
        def __getattribute__(self, name):
            if name in names:
                read.add(name)
            return super().__getattribute__(name)

    able = set(changeable(algorithm))
    fixed = {name for name in names if f"{algorithm.__name__}.{name}" in FIXED}
    for name in [*able, "max_iter"]:
        model = Watching(**made(algorithm, name).get_params())
        steps = model.steps(dataset(*planted()), np.random.default_rng(0))
        list(itertools.islice(steps, 2))
        read.clear()
        list(itertools.islice(steps, 5))
        assert read <= able | fixed
        assert name in read | {"max_iter"}


def test_what_was_named_can_change():
    """η, g, α, β and C, where the method allows it."""
    can = {
        f"{algorithm.__name__}.{name}"
        for algorithm in ALGORITHMS
        for name in changeable(algorithm)
    }
    assert can >= {
        "RSRank.learning_rate",
        "RSRank.g",
        "LambdaRank.learning_rate",
        "ApproxNDCG.alpha",
        "ApproxNDCG.beta",
        "ApproxNDCG.learning_rate",
        "ConeRank.learning_rate",
        "SVMNDCG.C",
        "RankNet.l2",
    }
    assert "LeastSquares.l2" not in can
    assert not any(row.endswith((".max_iter", ".random_state")) for row in can)
