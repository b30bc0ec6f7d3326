"""Commands on the files of tests/inputs."""

import math
from pathlib import Path

import pytest

from rankcore import RankingDataset, get_algorithm
from rankcore.data.readers import read

FOLDER = Path(__file__).parents[1] / "inputs"
LABELS_TO_100 = FOLDER / "B7_labels_to_100.txt"
LINEAR = "nDCG(dcg='log2')"


L2 = ("--over", "l2=0.1,1")


@pytest.mark.parametrize(
    ("words", "measure"),
    [
        (["train", "RankSVM"], f"{LINEAR}@10"),
        (["train", "RankNet", "--measure", "AP"], "AP"),
        (["path", "RankSVM", "--over", "l2", "--values", "0.1,1"], f"{LINEAR}@10"),
        (["sweep", "RankSVM", *L2, "--no-store"], f"{LINEAR}@10"),
        (
            ["search", "RankSVM", *L2, "--no-store", "--valid", LABELS_TO_100],
            f"{LINEAR}@10",
        ),
    ],
)
def test_labels_to_100_need_only_the_linear_gain(rankscope, words, measure):
    command, *others = words
    words = [command, LABELS_TO_100, *others]
    ended = rankscope(*words, "--label-gain", "linear")
    assert ended.code == 0, ended.err
    assert measure in ended.out

    refused = rankscope(*words)
    assert refused.code == 3
    assert "line 1, column 1" in refused.err
    assert "--label-gain linear" in refused.err


def test_a_model_of_labels_to_100_is_measured_by_the_linear_gain(rankscope, tmp_path):
    out, gain = tmp_path / "model.json", ("--label-gain", "linear")
    assert rankscope("train", LABELS_TO_100, "RankSVM", *gain, "--out", out).code == 0
    measured = rankscope("evaluate", LABELS_TO_100, out, *gain, "--json")
    assert set(measured.json["measures"]) == {
        *(f"{LINEAR}@{cutoff}" for cutoff in (1, 3, 5, 10)),
        "AP",
    }


def test_large_labels_choose_a_model_by_the_linear_gain():
    data = RankingDataset.from_arrays([[1.0], [2], [3]], [90, 40, 0])
    model = get_algorithm("RankSVM")().fit_dataset(data, data)
    assert list(model.provenance_.measures) == [
        f"{split} {LINEAR}@10" for split in ("train", "valid")
    ]


def test_columns_in_another_order_are_matched_by_name(rankscope, tmp_path):
    out = tmp_path / "model.json"
    train = FOLDER / "A3_scores_in_use.csv"
    assert rankscope("train", train, "LeastSquares", "--out", out).code == 0
    how = ("--measure", "nDCG@10", "--per-query", "--json")
    values = [
        rankscope("evaluate", file, out, *how)
        for file in (train, FOLDER / "B23_columns_in_other_order.csv")
    ]
    first, second = (one.json["queries"]["mug"] for one in values)
    assert first == second


def test_labels_are_mapped_to_grades(rankscope):
    words = ("train", FOLDER / "B4_fraction_labels.txt", "RankSVM", "--json")
    assert rankscope(*words).code == 3
    ended = rankscope(*words, "--labels", "0.3,0.6")
    assert ended.code == 0, ended.err
    assert ended.json["measures"]["train"] == {"nDCG@10": 1.0}
    assert rankscope(*words, "--labels", "much").code == 2


def test_the_encoding_is_named(rankscope):
    words = ("train", FOLDER / "B14_windows_1252.csv", "RankSVM", "--json")
    refused = rankscope(*words)
    assert refused.code == 3
    assert "--encoding" in refused.err
    assert rankscope(*words, "--encoding", "windows-1252").code == 0


def test_sizes_of_queries_are_converted(rankscope, tmp_path):
    file, sizes = FOLDER / "B8_no_qid.txt", FOLDER / "B8_no_qid.txt.query"
    ended = rankscope("convert", file, tmp_path / "parts", "--groups", sizes, "--json")
    assert ended.code == 0, ended.err
    assert (ended.json["queries"], ended.json["documents"]) == (2, 4)


def test_scores_in_use_are_measured_as_they_are(rankscope):
    file = FOLDER / "A3_scores_in_use.csv"
    words = "--feature", "prod", "--measure", "nDCG@10", "--measure", "AP", "--json"
    result = rankscope("train", file, "SingleFeature", *words).json
    second = 1 / math.log2(3)
    assert result["measures"]["train"] == pytest.approx(
        {"nDCG@10": (1 + second) / 2, "AP": (1 + 1 / 2) / 2}
    )


@pytest.mark.parametrize("command", ["train", "sweep", "search", "convert"])
def test_row_numbers_without_a_name_are_left_out(rankscope, tmp_path, command):
    file = FOLDER / "A4_unnamed_row_numbers.csv"
    divided = "--divide", "60/20/20", "--no-store"
    words = {
        "train": ["RSRank", *divided],
        "sweep": ["RSRank", "--over", "g=0", *divided],
        "search": ["RSRank", "--over", "g=0,1", "--by", "grid", *divided],
        "convert": [tmp_path / "parts"],
    }
    ended = rankscope(command, file, *words[command])
    assert ended.code == 0, ended.err
    assert "The first column has no name and is left out" in ended.out + ended.err
    assert read(file).feature_names == ("a", "b")


@pytest.mark.parametrize("split", ["--test", "--valid"])
@pytest.mark.parametrize("names", [("train", "test"), ("test", "train")])
def test_a_feature_of_one_split_alone_is_named(rankscope, split, names):
    first, second = (FOLDER / f"A7_test_has_more_features_{name}.txt" for name in names)
    ended = rankscope("train", first, "RSRank", split, second, "--no-store")
    assert ended.code == 0, ended.err
    assert "A7_test_has_more_features_train has no f3" in ended.out + ended.err
