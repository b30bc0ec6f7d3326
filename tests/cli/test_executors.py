"""``--executor``: one model wherever its sums are computed."""

import json
import multiprocessing

import pytest

from rankcore import _blocks

QUICK = ("--max-iter", 5, "--no-store", "--json")


@pytest.mark.parametrize("name", ["threads:2", "processes:2"])
def test_the_model_is_the_same_wherever_it_is_trained(
    rankscope, letor, tmp_path, monkeypatch, name
):
    monkeypatch.setattr(_blocks, "CELLS", 60)
    models = []
    for number, executor in enumerate(("serial", name)):
        out = tmp_path / f"{number}.json"
        command = ("train", letor, "RSRank", *QUICK, "--out", out)
        assert rankscope(*command, "--executor", executor).code == 0
        models.append(json.loads(out.read_text()))
    assert models[0] == models[1]
    assert not multiprocessing.active_children()


def test_a_name_of_no_executor_gets_a_sentence(rankscope, letor):
    ended = rankscope("train", letor, "RSRank", *QUICK, "--executor", "ftp://a:1")
    assert ended.code == 2
    assert "There is no executor 'ftp://a:1'; use serial, threads" in ended.err


def test_a_limit_of_threads_that_is_none_gets_a_sentence(rankscope, letor, monkeypatch):
    monkeypatch.setenv("RANKSCOPE_THREADS", "many")
    ended = rankscope("train", letor, "RSRank", *QUICK)
    assert ended.code == 2
    assert "RANKSCOPE_THREADS is 'many'" in ended.err


def test_an_algorithm_that_is_not_divided_says_so(rankscope, letor, caplog):
    ended = rankscope("train", letor, "RankBoost", *QUICK, "--executor", "threads:2")
    assert ended.code == 0
    assert "RankBoost does not divide its work" in caplog.text


def test_folds_take_one_of_two_options(rankscope, tmp_path):
    both = ("--workers", 2, "--executor", "serial")
    ended = rankscope("reproduce", tmp_path, "--algorithm", "ListNet", *both)
    assert (ended.code, ended.out) == (2, "")
    assert "--workers or --executor, not both" in ended.err
    ended = rankscope("reproduce", tmp_path, "--executor", "abacus")
    assert ended.code == 2
    assert "There is no executor 'abacus'" in ended.err
