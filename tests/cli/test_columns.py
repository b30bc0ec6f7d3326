"""Naming the columns of a table, and data from standard input."""

import io
import sys

import pytest

SHOP = (
    "sku,search,stars,title,words,note,price\n"
    "A-1,s1,2,Blue mug,mug,new,9.5\n"
    "A-2,s1,0,Red mug,mug,new,12\n"
    "B-7,s2,1,Plate,dish,,3\n"
    "B-8,s2,0,Cup,dish,,5\n"
)
NAMED = (
    *("--label", "stars", "--query", "search", "--document", "sku"),
    *("--text", "title", "--query-text", "words", "--ignore", "note"),
)


@pytest.fixture
def shop(tmp_path):
    path = tmp_path / "shop.csv"
    path.write_text(SHOP)
    return path


def test_columns_are_named(rankscope, shop, tmp_path):
    out = tmp_path / "model.json"
    trained = rankscope("train", shop, "LeastSquares", *NAMED, "--out", out, "--json")
    assert trained.code == 0, trained.err
    run = tmp_path / "run.txt"
    measured = rankscope("evaluate", shop, out, *NAMED, "--run-out", run, "--json")
    assert measured.code == 0, measured.err
    words = [line.split() for line in run.read_text().splitlines()]
    assert {word[2] for word in words} == {"A-1", "A-2", "B-7", "B-8"}


def test_a_column_of_words_is_named_with_what_to_do(rankscope, shop):
    ended = rankscope("train", shop, "LeastSquares", *NAMED[:-2])
    assert ended.code == 3
    assert f"{shop}, line 2, column note" in ended.err
    assert "--ignore" in ended.err


def test_only_tables_have_columns(rankscope, letor):
    for data, problem in [
        (letor, "LETOR text has no columns"),
        ("planted", "whose columns are known"),
    ]:
        ended = rankscope("train", data, "LeastSquares", "--ignore", "x")
        assert ended.code == 3
        assert problem in ended.err


@pytest.mark.parametrize("kind", ["letor", "csv"])
def test_standard_input(rankscope, shop, letor, kind, monkeypatch):
    path, options = (shop, NAMED) if kind == "csv" else (letor / "train.txt", ())
    stream = io.TextIOWrapper(io.BytesIO(path.read_bytes()))
    monkeypatch.setattr(sys, "stdin", stream)
    piped = rankscope("train", "-", "LeastSquares", *options, "--json")
    filed = rankscope("train", path, "LeastSquares", *options, "--json")
    assert piped.code == 0, piped.err
    assert piped.json["fingerprint"] == filed.json["fingerprint"]
    assert piped.json["data"] == "standard input"


def test_standard_input_with_nothing_in_it(rankscope, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    ended = rankscope("train", "-", "LeastSquares")
    assert ended.code == 3
    assert "standard input, line 1" in ended.err
    assert "no rows" in ended.err
