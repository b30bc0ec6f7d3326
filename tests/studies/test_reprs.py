"""What runs, sweeps, searches, stores and tests print as."""

from rankcore import RSRank, Stop, drive, load_dataset
from rankcore.mathematics.statistics import (
    mean_interval,
    minimal_detectable_difference,
    randomisation_test,
)
from rankcore.studies.searches import Range, search
from rankcore.studies.store import open_store
from rankcore.studies.sweeps import sweep

TRAIN, VALID, _ = load_dataset("toy-2d")


def test_a_run_says_how_far_it_is():
    run = drive(RSRank(max_iter=2), TRAIN, VALID)
    assert repr(run) == "<Run of RSRank: iterate to train>"
    next(run)
    assert repr(run) == "<Run of RSRank: 0 iterations, the best is 0; iterate to go on>"
    list(run)
    assert repr(run).endswith(". Reached the limit of 2 iterations.>")
    assert repr(run.history) == "<History of 3 records, the last of iteration 2>"


def test_a_sweep_says_how_far_it_is_and_goes_on_when_asked_again():
    cells = sweep("RSRank", TRAIN, VALID, {"g": [0, 1, 10]}, stop=Stop(2))
    assert len(cells) == 3
    first = next(cells)
    assert repr(first).startswith("<Result g=0.0: finished, valid nDCG@10 0.")
    assert repr(cells) == "<Sweep of RSRank: 1 of 3 done; iterate to go on>"
    assert cells.run() is cells
    assert repr(cells.run()) == "<Sweep of RSRank: 3 of 3 done>"
    assert len(cells.to_frame()) == 3


def test_a_search_says_how_far_it_is_and_goes_on_when_asked_again():
    result = search(
        "RSRank", TRAIN, VALID, {"g": Range(0, 9)}, "random", 2, stop=Stop(2)
    )
    assert (len(result), repr(result)) == (
        2,
        "<Search of RSRank: 0 of 2 done; iterate to go on>",
    )
    assert repr(result.run()) == "<Search of RSRank: 2 of 2 done>"


def test_a_store_says_where_it_is(tmp_path):
    with open_store(f"sqlite:///{tmp_path / 'runs.sqlite'}") as store:
        assert repr(store) == f"<Store sqlite:///{tmp_path / 'runs.sqlite'}>"


def test_findings_print_as_sentences():
    a, b = [0.1, 0.2, 0.3, 0.5], [0.2, 0.2, 0.5, 0.4]
    gaps = [y - x for x, y in zip(a, b, strict=True)]
    for item in (
        randomisation_test(a, b),
        mean_interval(gaps),
        minimal_detectable_difference(gaps),
    ):
        assert str(item) == item.text
