"""``rankscope sweep``."""

from contextlib import closing

import pandas as pd
import pytest

from rankcore import get_algorithm, list_algorithms
from rankcore.base.hyperparameters import hyperparameter, hyperparameters
from rankcore.cli import _budget
from rankcore.cli._failures import Misused
from rankcore.data.catalogue import load
from rankcore.studies.store import open_store
from rankcore.studies.sweeps import sweep

BRIEF = ("--max-iter", 5)
TWO = ("--over", "g=0,5", "--over", "eta=0.001,0.01,0.1")


def test_it_trains_every_combination_and_writes_a_row_each(rankscope, letor, tmp_path):
    out = tmp_path / "sweep.parquet"
    ended = rankscope("sweep", letor, "RSRank", *TWO, *BRIEF, "--out", out)
    assert ended.code == 0
    assert "All runs have ended. 6 of 6" in ended.out
    assert ended.err.count(" of 6: g = ") == 6
    table = pd.read_parquet(out)
    assert table[["g", "learning_rate"]].values.tolist() == [
        [g, eta] for g in (0.0, 5.0) for eta in (0.001, 0.01, 0.1)
    ]
    assert table["valid nDCG@10"].between(0.0, 1.0).all()


def test_json_has_the_same_rows_as_the_package_the_best_first(rankscope, letor):
    words = ("sweep", letor, "RSRank", *TWO, *BRIEF, "--seeds", "0,1", "--json")
    report = rankscope(*words).json
    train, valid, _ = load(str(letor))
    over = {"g": [0, 5], "learning_rate": [0.001, 0.01, 0.1]}
    model = get_algorithm("RSRank")(max_iter=5)
    rows = [row.to_row() for row in sweep(model, train, valid, over, (0, 1))]
    keys = ("g", "learning_rate", "seed")

    def figures(rows):
        return {
            tuple(row[key] for key in keys): (row["valid nDCG@10"], row["nonzeros"])
            for row in rows
        }

    assert figures(report["rows"]) == figures(rows)
    reached = [row["valid nDCG@10"] for row in report["rows"]]
    assert reached == sorted(reached, reverse=True)
    assert (report["runs"], report["chosen by"]) == (12, "valid nDCG@10")


def test_the_budget_ends_it_and_keeps_what_is_done(rankscope, letor, tmp_path):
    out = tmp_path / "sweep.csv"
    words = ("--over", "g", "--values", 900, *BRIEF, "--budget", "0.3s")
    ended = rankscope("sweep", letor, "RSRank", *words, "--out", out)
    assert ended.code == 0
    assert "The time of 0.3 s is over; the runs so far are kept." in ended.out
    assert 0 < len(pd.read_csv(out)) < 900


def test_the_time_left_is_that_of_the_runs_or_of_the_budget():
    assert _budget.Budget(None, None).left(None) is None
    assert _budget.Budget(None, None).left(7.0) == 7.0
    budget = _budget.Budget(None, 100.0)
    assert budget.left(7.0) == 7.0
    assert 0.0 < budget.left(900.0) <= 100.0
    assert 0.0 < budget.left(None) <= 100.0
    assert _budget.Budget(None, 1e-9).left(5.0) == 0.0


def test_it_is_one_entry_of_the_store(rankscope, letor):
    def kept():
        with closing(open_store(quiet=True)) as store:
            return store.sweeps()

    before = len(kept())
    rankscope("sweep", letor, "RSRank", *TWO, *BRIEF)
    assert len(kept()) == before + 1
    assert kept()["cells"].iloc[0] == 6
    rankscope("sweep", letor, "RSRank", *TWO, *BRIEF, "--no-store")
    assert len(kept()) == before + 1


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("60s", 60), ("5m", 5 * 60), ("1h30m", 5400), ("2.5", 2.5), ("1min 5s", 65)],
)
def test_times(text, seconds):
    assert _budget.seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["soon", "5 days", "-3s", "0s", "", "5s!"])
def test_times_that_are_none(text):
    with pytest.raises(Misused):
        _budget.seconds_of(text)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--over", "foo"), "RSRank has no hyperparameter 'foo'; it has g"),
        (("--over", "g=-1"), "g must be a number of at least 0"),
        (("--over", "g", "--seeds", "one"), "one"),
        (("--over", "g", "--budget", "soon"), "--budget must be a time such as 60s"),
        (("--over", "random_state"), "declares no values for a sweep"),
        ((), "Missing option '--over'"),
    ],
)
def test_misuse_is_said_in_a_sentence(rankscope, letor, words, sentence):
    ended = rankscope("sweep", letor, "RSRank", *words)
    assert ended.code == 2
    assert sentence in ended.err


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("learning-rate", "learning_rate"), ("Learning_Rate", "learning_rate"),
        ("η", "learning_rate"), ("eta", "learning_rate"), (r"\eta", "learning_rate"),
        ("K", "truncation_interval"), ("seed", "random_state"), ("g", "g"),
    ],
)  # fmt: skip
def test_names_and_symbols(text, name):
    assert hyperparameter(get_algorithm("RSRank"), text).name == name


@pytest.mark.parametrize("name", list_algorithms())
def test_every_hyperparameter_is_found_by_its_name_and_symbol(name):
    algorithm = get_algorithm(name)
    for item in hyperparameters(algorithm).values():
        assert hyperparameter(algorithm, item.name) == item
        assert (
            not item.symbol
            or hyperparameter(algorithm, item.symbol).symbol == item.symbol
        )
