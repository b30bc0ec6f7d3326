"""``rankscope path``."""

import pandas as pd
import pytest

from rankcore.studies.store import open_store


def test_a_path_shows_each_value_and_what_is_left(rankscope, letor):
    words = ("--over", "g", "--values", "0,2,40", "--max-iter", 20)
    ended = rankscope("path", letor, "RSRank", *words)
    assert ended.code == 0
    assert "test nDCG@10" in ended.out
    assert (
        "Smallest model within 3% of the best nDCG@10 (validation): g = " in ended.out
    )
    assert "of 4 features" in ended.out
    assert "for the full model" in ended.out
    assert ended.err.count("iteration 20, last") == 3


def test_files_and_json_hold_the_same_figures(rankscope, letor, tmp_path):
    out, weights = tmp_path / "path.csv", tmp_path / "weights.csv"
    report = rankscope(
        *("path", letor, "FenchelRank", "--over", "radius", "--values", "0.5,1"),
        *("--measure", "AP", "--out", out, "--coefficients", weights, "--json"),
    ).json
    assert [point["radius"] for point in report["points"]] == [0.5, 1.0]
    table = pd.read_csv(out)
    assert table["test AP"].tolist() == pytest.approx(
        [point["test AP"] for point in report["points"]]
    )
    sizes = pd.read_csv(weights, index_col="radius").abs().sum(axis=1)
    assert sizes.tolist() == pytest.approx(
        [point["l1 norm"] for point in report["points"]]
    )


def test_the_smallest_model_is_chosen_on_validation_by_the_last_measure(
    rankscope, letor
):
    report = rankscope(
        *("path", letor, "RSRank", "--over", "g", "--values", "0,2,10,40,100"),
        *("--max-iter", 20, "--measure", "ap", "--measure", "ndcg@5"),
        *("--tolerated-loss", 0.05, "--json"),
    ).json
    points, result, test = report["points"], report["smallest"], report["test"]
    best = max(point["valid nDCG@5"] for point in points)
    near = [point for point in points if point["valid nDCG@5"] >= (1 - 0.05) * best]
    least = min(point["nonzeros"] for point in near)
    assert (result["part"], result["measure"]) == ("valid", "nDCG@5")
    assert (result["left"], result["best"]) == (least, best)
    chosen, full = points[result["at"]], max(points, key=lambda p: p["nonzeros"])
    assert chosen["nonzeros"] == least
    assert test["after"] == pytest.approx(chosen["test nDCG@5"])
    assert test["before"] == pytest.approx(full["test nDCG@5"])


def test_without_other_data_training_data_choose(rankscope, letor):
    words = ("--over", "g", "--values", "0,2", "--max-iter", 5)
    ended = rankscope("path", letor / "train.txt", "RSRank", *words)
    assert ended.code == 0
    assert "of the best nDCG@10 (training, no validation data): g = " in ended.out
    assert "full model" not in ended.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--over", "shrinkage"), "no numeric hyperparameter 'shrinkage'"),
        (("--over", "g", "--values", "1,x"), "g must be a number of at least 0"),
        (("--over", "max-iter", "--values", "9" * 400), "max_iter must be a whole"),
        (("--over", "g", "--tolerated-loss", "nan"), "--tolerated-loss must be a"),
        (("--over", "g", "--values", "-1"), "at least 0"),
    ],
)
def test_wrong_usage_gets_a_sentence(rankscope, letor, words, message):
    ended = rankscope("path", letor, "RSRank", *words)
    assert ended.code == 2
    assert message in ended.err


def test_it_is_one_entry_of_the_store(rankscope, letor, monkeypatch):
    words = ("path", letor, "RSRank", "--over", "g", "--values", "0,5", "--max-iter", 2)

    def kept():
        with open_store(quiet=True) as store:
            return store.sweeps()

    before = len(kept())
    rankscope(*words)
    assert len(kept()) == before + 1
    assert kept().iloc[0]["title"] == "RSRank, path over g"
    rankscope(*words, "--no-store")
    assert len(kept()) == before + 1
    monkeypatch.setenv("RANKSCOPE_STORE_LIMIT", "1 KB")
    full = rankscope(*words)
    assert full.code == 0
    assert full.err.count("The path is not stored: The run store takes") == 1


@pytest.mark.parametrize("command", ["path", "sweep"])
def test_without_a_store_it_works_and_says_so(rankscope, letor, monkeypatch, command):
    monkeypatch.setenv("RANKSCOPE_DATABASE_URL", "sqlite:////nowhere/at/all.sqlite")
    words = ("--over", "g", "--values", "0,5" if command == "path" else 2)
    ended = rankscope(command, letor, "RSRank", *words, "--max-iter", 2)
    assert ended.code == 0
    assert f"The {command} is not stored: The run store sqlite:///" in ended.err
