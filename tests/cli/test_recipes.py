"""Recipes of remedies, as a command and as Python."""

import warnings

from rankcore.data.readers import Shares, Splits, read
from rankcore.data.readers.recipes import Files
from rankcore.topics.datasets.findings import chosen_options, combined
from tests.sick import defaults, examine, numbered, sick_table


def executed(code):
    names: dict = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(code, names)
    return Splits(*names["data"])


def test_the_recipe_is_a_command_and_python(rankscope, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sick.csv").write_bytes(sick_table())
    result = examine("sick.csv")
    remedies = chosen_options(result.findings, defaults(result.findings))
    assert remedies.pop("normalise") == "standard"
    files = Files({"train": "sick.csv"}, combined({}, remedies), Shares())
    data = executed(files.splits())
    trained = rankscope("train", *files.words(), "LeastSquares", "--json")
    assert trained.code == 0, trained.err
    assert trained.json["fingerprint"] == data.train.fingerprint
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        applied = read("sick.csv", **combined({}, remedies))
    assert Shares().divide(applied).train.fingerprint == data.train.fingerprint


def test_shared_queries_are_left_out_by_the_command(rankscope, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, ids in (("train", "abc"), ("test", "cde")):
        frame = numbered(list(ids), seed=len(name)).to_frame()
        frame.to_csv(f"{name}.csv", index=False)
    files = Files({"train": "train.csv", "test": "test.csv"}, shared="drop")
    assert executed(files.splits()).test.query_ids == ("d", "e")
    trained = rankscope("train", *files.words(), "LeastSquares", "--json")
    assert trained.code == 0, trained.err
