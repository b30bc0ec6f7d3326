"""``rankscope search``."""

import re
from contextlib import closing

import pandas as pd
import pytest

from rankcore.data.catalogue import load
from rankcore.studies.searches import Range, search
from rankcore.studies.store import open_store
from rankcore.training import Stop

BRIEF = ("--max-iter", 5, "--models", 9)
TWO = ("--over", "g=0..50", "--over", "eta=0.001,0.01,0.1")


def test_it_finds_what_the_package_finds(rankscope, letor, tmp_path):
    out = tmp_path / "found.csv"
    ended = rankscope("search", letor, "RSRank", *TWO, *BRIEF, "--out", out)
    assert ended.code == 0
    assert "The search has ended. 9 models" in ended.out
    assert "Importance (fANOVA, 95% interval): " in ended.out
    assert re.search(r"Choosing the best of \d models by \d+ queries makes", ended.out)
    assert ended.err.count(" of 9: g = ") == 9
    train, valid, _ = load(str(letor))
    over = {"g": Range(0, 50), "learning_rate": [0.001, 0.01, 0.1]}
    stop = Stop(max_iterations=5)
    result = search("RSRank", train, valid, over, models=9, stop=stop)
    wanted = [(c.settings["g"], c.value) for c in result]
    table = pd.read_csv(out)
    measure = "train nDCG@10" if valid is None else "valid nDCG@10"
    assert table["g"].tolist() == pytest.approx([g for g, _ in wanted], abs=0)
    assert table[measure].tolist() == pytest.approx([v for _, v in wanted], abs=0)


@pytest.mark.parametrize(
    "by",
    ["halving", *(pytest.param(b, marks=pytest.mark.soak) for b in ("random", "grid"))],
)
def test_json_has_the_best_and_its_test(rankscope, letor, by):
    words = ("search", letor, "RSRank", *TWO, *BRIEF, "--by", by, "--json")
    report = rankscope(*words).json
    assert report["by"] == by
    assert report["best"] == report["rows"][0]
    assert report["test"]["low"] <= report["test"]["estimate"] <= report["test"]["high"]


def test_train_gives_the_best_again_at_its_iteration(rankscope, letor):
    words = ("search", letor, "RSRank", "--over", "g=0", "--by", "grid")
    result = rankscope(*words, "--max-iter", 64, "--json").json
    at = result["best"]["best iteration"]
    assert result["measured every"] == 4
    assert int(at) % 4 == 0
    out = rankscope(*words, "--max-iter", 64).out
    assert (
        "Models are evaluated every 4 iterations, and chosen among these. "
        f"`train --at {at}` reproduces the best model."
    ) in out
    again = ("train", letor, "RSRank", "--g", 0, "--max-iter", 64, "--at", at)
    report = rankscope(*again, "--json").json
    assert report["measures"]["test"]["nDCG@10"] == result["test"]["estimate"]
    over = rankscope(*words, "--max-iter", 64, "--folds", 3)
    assert over.code == 0
    assert "chosen among these." in over.out


def test_a_study_goes_on(rankscope, letor, tmp_path):
    study = tmp_path / "study.log"
    words = ("search", letor, "RSRank", *TWO, "--max-iter", 5, "--study", study)
    first = rankscope(*words, "--models", 4, "--json").json
    both = rankscope(*words, "--models", 6, "--json").json
    assert (first["models"], both["models"]) == (4, 6)
    other = rankscope(*words, "--models", 6, "--prune")
    assert other.code == 2
    assert "contains another search, with another pruning" in other.err


def test_it_is_one_entry_of_the_store(rankscope, letor, tmp_path):
    def kept():
        with closing(open_store(quiet=True)) as store:
            return store.sweeps()

    before = len(kept())
    words = ("search", letor, "RSRank", *TWO, *BRIEF)
    rankscope(*words)
    assert len(kept()) == before + 1
    assert kept()[["cells", "ended"]].iloc[0].tolist() == [9, 9]
    rankscope(*words, "--no-store")
    study = ("--study", tmp_path / "study.log")
    rankscope(*words, "--no-store", *study)
    # A search that is refused leaves none.
    assert rankscope(*words, *study, "--prune").code == 2
    assert len(kept()) == before + 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--over", "foo"), "RSRank has no hyperparameter 'foo'; it has g"),
        (("--over", "g=5..1"), "The range of g must have its end above its start"),
        (("--over", "g", "--by", "guess"), "Search by one of tpe, random"),
        (("--over", "g", "--by", "grid", "--prune"), "requires the method tpe"),
        (("--over", "g", "--budget", "soon"), "--budget must be a time such as 60s"),
    ],
)
def test_misuse_is_said_in_a_sentence(rankscope, letor, words, sentence):
    ended = rankscope("search", letor, "RSRank", *words)
    assert ended.code == 2
    assert sentence in ended.err
