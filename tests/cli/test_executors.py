"""``--executor``: one model wherever its sums are computed."""

import json
import multiprocessing

import pytest

from rankcore.base import blocks
from rankcore.compute.executors import allowed_threads
from tests.browser.conftest import free_port
from tests.soaking import soak

QUICK = ("--max-iter", 5, "--no-store", "--json")


@pytest.mark.parametrize("name", ["threads:2", soak("processes:2")])
def test_the_model_is_the_same_wherever_it_is_trained(
    rankscope, letor, tmp_path, monkeypatch, name
):
    monkeypatch.setattr(blocks, "CELLS", 60)
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


@pytest.mark.parametrize("given", [(), ("--threads", 1)])
def test_the_app_may_have_fewer_threads(rankscope, monkeypatch, given):
    monkeypatch.setenv("RANKSCOPE_THREADS", "2")
    monkeypatch.setattr("rankcore.base.cores._cores", lambda: 8)
    values = []
    monkeypatch.setattr(
        "rankcore.cli.commands.serve._served",
        lambda: values.append(allowed_threads()) or 0,
    )
    monkeypatch.setattr("sys.argv", [])
    assert rankscope("serve", "--port", free_port(), *given).code == 0
    assert values == [1 if given else 2]


def test_a_number_of_threads_that_is_none_starts_no_app(rankscope, monkeypatch):
    monkeypatch.setenv("RANKSCOPE_THREADS", "many")
    ended = rankscope("serve", "--port", free_port())
    assert (ended.code, ended.out) == (2, "")
    assert "RANKSCOPE_THREADS is 'many'" in ended.err
    ended = rankscope("serve", "--threads", 0)
    assert ended.code == 2
    assert "--threads" in ended.err


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


RUNS = {
    "sweep": ("--over", "g=0,5", "--seeds", "0,1", "--no-store"),
    "search": ("--over", "g", "--models", 4, "--by", "random"),
    "path": ("--over", "g", "--values", "0,5"),
}
OF_TRAINING = {"seconds", "table"}


def without_times(report):
    """A report, without what depends on the time that it took."""
    if isinstance(report, dict):
        return {k: without_times(v) for k, v in report.items() if k not in OF_TRAINING}
    if isinstance(report, list):
        return sorted(map(without_times, report), key=str)
    return report


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("sweep", "threads:2"),
        soak("sweep", "processes:2"),
        ("search", "threads:2"),
        soak("search", "processes:2"),
        ("path", "threads:2"),
        soak("path", "processes:2"),
    ],
)
def test_many_models_are_the_same_wherever_they_are_trained(
    rankscope, letor, monkeypatch, command, name
):
    if command == "path":
        # Other processes divide data of whole runs themselves.
        monkeypatch.setattr(blocks, "CELLS", 60)
    words = (command, letor, "RSRank", *RUNS[command], "--max-iter", 5, "--json")
    values = [
        rankscope(*words, "--executor", executor).json for executor in ("serial", name)
    ]
    assert without_times(values[0]) == without_times(values[1])
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("command", ["sweep", "search"])
def test_models_are_trained_by_one_of_two_options(rankscope, letor, command):
    words = (command, letor, "RSRank", *RUNS[command])
    both = ("--processes", 2, "--executor", "serial")
    ended = rankscope(*words, *both)
    assert (ended.code, ended.out) == (2, "")
    assert "--processes or --executor, not both" in ended.err
    ended = rankscope(*words, "--executor", "abacus")
    assert ended.code == 2
    assert "There is no executor 'abacus'" in ended.err


@pytest.mark.parametrize("name", ["threads:2", soak("processes:2")])
def test_the_budget_ends_runs_under_way(rankscope, letor, name):
    words = ("--over", "g=0,5", "--max-iter", 10**9, "--no-store", "--budget", "0.5s")
    ended = rankscope("sweep", letor, "RSRank", *words, "--executor", name)
    assert ended.code == 0
    assert "The time of 0.5 s is over; the runs so far are kept." in ended.out
    assert not multiprocessing.active_children()
