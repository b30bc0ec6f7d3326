"""Commands on the files of tests/inputs."""

from pathlib import Path

import pytest

from rankcore import RankingDataset, get_algorithm

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
    found = [
        rankscope("evaluate", file, out, *how)
        for file in (train, FOLDER / "B23_columns_in_other_order.csv")
    ]
    first, second = (one.json["queries"]["mug"] for one in found)
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
