"""``rankscope reproduce PAPER``."""

import json
import re
import shutil
from pathlib import Path

import pytest

from rankcore.algorithms import list_algorithms
from rankcore.topics.papers import cards, published, report
from rankcore.topics.papers.results import Results
from tests.cli.conftest import write_letor

RESULTS = Path(__file__).parents[2] / "docs" / "results" / "accuracy.md"


def test_a_paper_s_claims_are_computed_and_written(rankscope, tmp_path):
    to, into = tmp_path / "papers", tmp_path / "RESULTS.md"
    into.write_text("# Results\n")
    out = rankscope("reproduce", "liu", "--to", to)
    assert "needs data" in out.out
    assert re.search(r"^Computed in \d+ s\.$", out.err, re.M)
    loads = json.loads((to / "results.json").read_text("utf-8"))
    assert set(loads["found"]) == {"liu-table-11-1", "liu-table-11-8", "liu-table-11-9"}
    assert "LETOR baselines" in (to / "report.md").read_text("utf-8")
    (to / "report.md").unlink()
    out = rankscope("reproduce", "liu", "--to", to, "--results", into)
    for file in (to / "report.md", into):
        assert "LETOR baselines" in file.read_text("utf-8")
        assert str(file) in re.sub(r"\s+", " ", out.out)


def test_a_file_of_all_papers_keeps_the_results_of_the_others(rankscope, tmp_path):
    into, result = tmp_path / "RESULTS.md", "FenchelRank 2011"
    shutil.copy(RESULTS, into)
    rankscope("reproduce", "fenchelrank", "--to", tmp_path, "--results", into)
    before, after = (
        {part.partition("\n")[0]: part for part in written.split("\n### ")[1:]}
        for file in (RESULTS, into)
        for written in [file.read_text("utf-8").partition(report.BEGIN)[2]]
    )
    assert list(after) == list(before)
    assert {k for k in before if before[k] != after[k]} <= {result}
    assert "needs data" not in after[result]
    assert "Approx 2010" not in (tmp_path / "report.md").read_text("utf-8")


def test_a_folder_of_no_known_data_set_gets_a_sentence(rankscope, letor):
    out = rankscope("reproduce", "approx", "--data", letor)
    assert out.code == 2
    assert "names no data set of the papers" in out.err


def test_an_unknown_paper_gets_a_sentence(rankscope, tmp_path):
    out = rankscope("reproduce", "svm", "--data", f"OHSUMED={tmp_path}")
    assert out.code == 2
    assert "There is no paper and no folder 'svm': name one of approx" in out.err


def test_data_without_a_paper_gets_a_sentence(rankscope, letor):
    out = rankscope("reproduce", "--data", f"OHSUMED={letor}", letor)
    assert out.code == 2
    assert "--data requires a paper: name one of approx" in out.err


def test_several_folders_follow_one_option(rankscope, letor, tmp_path):
    out = rankscope(
        "reproduce", "liu", "--to", tmp_path, "--data", f"TD2003={letor}",
        f"TD2004={letor}",
    )  # fmt: skip
    assert out.code == 0
    result = json.loads((tmp_path / "results.json").read_text("utf-8"))["found"]
    assert result["liu-table-11-1"]["verdict"] != "needs data"


def test_an_executor_that_does_not_exist_is_named(rankscope, tmp_path):
    out = rankscope("reproduce", "liu", "--to", tmp_path, "--executor", "fibres")
    assert out.code == 2
    assert "There is no executor 'fibres'" in out.err


def test_a_paper_is_computed_by_an_executor(rankscope, letor, tmp_path):
    data = ("--data", f"TD2003={letor}")
    seen = []
    for name, word in (("a", "serial"), ("b", "threads:2")):
        out = rankscope(
            "reproduce", "liu", "--to", tmp_path / name, *data, "--executor", word
        )
        assert out.code == 0
        text = (tmp_path / name / "results.json").read_text("utf-8")
        seen.append(json.loads(text)["found"]["liu-table-11-1"]["values"])
    assert seen[0] == seen[1]


@pytest.fixture
def folders(tmp_path, small):
    """Two folds of six, three and three queries for each set that is not here."""
    home = tmp_path / "letor"
    for name in ("td2003", "td2004", "mq2007"):
        for fold, shift in (("Fold1", 0), ("Fold2", 3)):
            folder = home / name / fold
            folder.mkdir(parents=True)
            for part, first, last in (("train", 0, 6), ("vali", 6, 9), ("test", 9, 12)):
                values = [(i + shift) % 12 for i in range(first, last)]
                write_letor(folder / f"{part}.txt", small.subset(sorted(values)))
    return [home / name for name in ("td2003", "td2004", "mq2007")]


@pytest.mark.soak
def test_named_folders_fill_the_cards_that_need_them(rankscope, folders, tmp_path):
    out = rankscope("reproduce", "all", "--to", tmp_path, "--data", *folders)
    assert out.code == 0
    result = json.loads((tmp_path / "results.json").read_text("utf-8"))["found"]
    names = {folder.name.upper() for folder in folders}
    rows = {row.number: row for row in published.every()}
    for card in cards.CARDS:
        if not names & set(card.data):
            continue
        assert result[card.key]["verdict"] != "needs data", card.key
        for value in result[card.key]["values"]:
            row = rows.get(value["number"])
            if row is not None and row.dataset in names:
                # FRank is not among the algorithms; parts of McRank are not timed.
                parts = ("FRank", "McRank tree", "McRank boost")
                assert (value["ours"] is None) == (row.algorithm in parts), row


@pytest.mark.soak
def test_every_algorithm_comes_onto_the_board(rankscope, folders, tmp_path):
    result = folders[0]
    out = rankscope("reproduce", "liu", "--to", tmp_path, "--data", result, "--every")
    assert out.code == 0
    board = Results.read(tmp_path / "results.json").boards["TD2003"]
    assert set(list_algorithms()) <= set(board.standings)
    assert set(board.places("ERR@5", "standard")) == set(board.standings)
