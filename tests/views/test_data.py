"""The Data page: what it shows of a data set, and the data sets there are."""

from pathlib import PurePath

import numpy as np
import pytest

from pages.ui.data import datasets
from pages.ui.data.datasets import PREFIX, Files
from pages.ui.serving import visitor
from rankcore.data import uploads
from rankcore.data.catalogue import Splits, load_dataset
from rankcore.data.dataset import RankingDataset
from rankcore.data.readers.converting import convert
from rankcore.data.uploads import FullError, Newest
from rankcore.topics.datasets import description as insight
from rankcore.views import Act, Caption, DocumentTiles, Go, Notice, Popover, Values
from tests.viewing import blocks, shown, values, view

DATA = view("data", "Data set")


def upload(X, y, qid=None, title="mine"):
    """The name of an upload of one split."""
    dataset = RankingDataset.from_arrays(np.array(X, dtype=float), y, qid)
    return datasets.upload(Splits(dataset), Files({"train": title}))


def test_the_facts_are_those_of_the_chosen_split():
    facts = {
        f.meaning: f.number for f in shown(DATA, data="planted", part="test").facts
    }
    test = load_dataset("planted").test

    assert facts["Queries"] == f"{test.n_queries:,}"
    assert facts["Documents"] == f"{test.n_documents:,}"
    assert facts["Features"] == f"{test.n_features}"
    assert facts["Relevant documents"] == f"{100 * (test.y > 0).mean():.1f}%"


def test_the_facts_say_that_a_converted_folder_is_a_sample(tmp_path, monkeypatch):
    path, folder = tmp_path / "shop.csv", tmp_path / "data" / "shop"
    rows = [f"{k % 3},{k // 4},{k / 7}" for k in range(80)]
    path.write_text("\n".join(["label,qid,price", *rows]))
    convert(path, folder)
    monkeypatch.setenv("RANKSCOPE_DATA", str(folder))
    queries = shown(DATA, data="shop-sample").facts[0]
    assert queries == ("Queries", "12", "sampled from 20")
    assert shown(DATA, data="toy-2d").facts[0].note == ""


def test_the_query_is_shown_in_the_order_of_the_file():
    result = shown(DATA, data="planted", part="test", query=2)
    query = load_dataset("planted").test.query(1)
    (tiles,) = blocks(result, DocumentTiles)

    assert tiles.title == f"Query {query.id}"
    assert list(tiles.documents) == list(zip(query.doc_ids, query.y, strict=True))
    (table,) = blocks(result, Popover)[1].blocks()
    assert list(table.rows)[:2] == ["document", "label"]
    assert len(table.rows) == 2 + load_dataset("planted").test.n_features


def test_every_split_is_a_row_of_the_comparison():
    (table,) = blocks(shown(DATA, data="planted"), Popover)[0].blocks()
    sizes = insight.sizes(load_dataset("planted"))

    assert [row["split"] for row in table.rows] == ["Training", "Validation", "Test"]
    assert [row["queries"] for row in table.rows] == [size.queries for size in sizes]


def test_a_query_beyond_the_last_one_is_the_first():
    last = load_dataset("planted").test.n_queries

    assert values(DATA, data="planted", part="test", query=last).query == last
    assert values(DATA, data="planted", part="test", query=last + 1).query == 1


def test_a_split_that_the_data_lacks_is_training():
    name = upload([[0.0], [1.0]], [0, 1])
    assert values(DATA, data=name, part="test").part == "train"


def test_scaling_changes_the_figures_and_the_python():
    result, scaled = (
        shown(DATA, data="mslr10k-sample-raw", normalise=how)
        for how in ("as given", "minmax")
    )
    (spread,) = (p for p in scaled.panels() if p.key == "spread")
    table = spread.picture.numbers()

    assert "load_dataset('mslr10k-sample-raw').train\n" in result.python
    assert ".train.normalise('minmax')\n" in scaled.python
    assert min(table["lowest"]) == 0
    assert max(table["highest"]) == 1


@pytest.mark.parametrize("how", ["as given", "minmax", "zscore"])
def test_the_python_gives_the_data_that_is_exported(how):
    result = shown(DATA, data="toy-2d", normalise=how)
    (export,) = (
        table for name, table in result.exports().items() if name == "toy-2d-train"
    )
    names: dict = {}
    exec(result.python, names)

    assert export().equals(names["dataset"].to_frame())


def test_features_that_cannot_affect_the_ranking_are_named():
    name = upload([[0.5, 3], [0.1, 3], [0.9, 3]], [2, 0, 1])
    (panel,) = (p for p in shown(DATA, data=name).panels() if p.key == "spread")
    warnings = " ".join(block.text for block in blocks(shown(DATA, data=name), Notice))

    assert panel.picture.numbers()["cannot affect the ranking"].tolist() == [0, 1]
    assert "f2" in warnings


def test_data_with_nothing_to_warn_of_is_said_to_be_ready():
    (notice,) = blocks(shown(DATA, data="planted"), Notice)
    assert notice.text == "The data is ready for training."


def test_an_upload_says_whose_it_is():
    name = upload([[0.0], [1.0]], [0, 1])
    result = shown(DATA, data=name)

    assert blocks(result, Caption)[0].text == (
        "Uploaded by you; stays on this computer."
    )


def test_names_in_a_file_are_shown_as_they_are():
    wild = RankingDataset.from_arrays(
        np.array([[1.0, 2.0], [1.0, 3.0]]), [0, 1], feature_names=["*a*", "b"]
    )
    name = datasets.upload(Splits(wild), Files({"train": "**x** [y](z)"}))
    items = [getattr(block, "text", "") for block in shown(DATA, data=name).blocks]
    warnings = [notice.text for notice in blocks(shown(DATA, data=name), Notice)]

    assert any(r"\*\*x\*\* \[y\]\(z\)" in text for text in items)
    assert any(r"\*a\*" in text for text in warnings)


def test_an_upload_that_comes_back_is_refused_to_the_same_algorithms(monkeypatch):
    """Its name is in a link before the file is here."""
    X, labels = [[float(n)] for n in range(40)], list(range(40))
    splits = Splits(RankingDataset.from_arrays(X, labels))
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(datasets, "UPLOADS", Newest(1, 9))
        name = datasets.upload(splits, Files({"train": "mine"}))
    assert datasets.refusals(Values({"data": name})) == {}

    assert datasets.upload(splits, Files({"train": "mine"})) == name
    assert "McRank" in datasets.refusals(Values({"data": name}))


def test_a_visitor_s_oldest_upload_makes_room_and_no_one_else_s():
    store = Newest(2, 9)
    store.keep("0", 0, "another")
    for value in (1, 2, 1, 3):
        store.keep(str(value), value, "me")

    assert store.get("2") is None
    assert store.newest("me") == [3, 1]
    assert store.newest("another") == [0]


def test_an_upload_of_two_visitors_stays_until_both_have_left_it():
    store = Newest(1, 9)
    store.keep("same", 1, "me")
    store.keep("same", 1, "another")
    store.keep("mine", 2, "me")
    assert store.get("same") == 1
    store.keep("other", 3, "another")
    assert store.get("same") is None


def test_each_visitor_has_a_value_of_the_same_name():
    store = Newest(1, 1)
    store.keep("same", 1, "me")
    store.keep("same", 2, "another")
    assert (store.get("same", "me"), store.get("same", "another")) == (1, 2)
    assert store.get("same", "a guest") in (1, 2)
    assert store.newest("me") == [1]


def test_each_visitor_sees_the_name_of_the_own_file(monkeypatch):
    """Of two files with the same content, of which one is kept."""
    names = {"her": "hers.csv", "me": "mine.csv"}
    for who, file in names.items():
        monkeypatch.setattr(visitor, "current", lambda who=who: who)
        X = np.array([[0.0], [1.0]])
        data = RankingDataset.from_arrays(X, [0, 1], name=PurePath(file).stem)
        name = datasets.upload(Splits(data), Files({"train": file}))
    parts = {}
    for who, file in names.items():
        monkeypatch.setattr(visitor, "current", lambda who=who: who)
        assert datasets.infos()[name].title == datasets.info(name).title == file
        assert datasets.words(name) == [file]
        assert repr(file) in datasets.python(name, "train")
        parts[who] = datasets.load(name).train
        assert parts[who].name == PurePath(file).stem
    assert np.shares_memory(parts["her"].X, parts["me"].X)


def test_a_full_server_says_so_until_what_is_idle_makes_room(monkeypatch):
    store = Newest(2, 2)
    store.keep("a", 1, "me")
    store.keep("b", 2, "me")
    with pytest.raises(FullError, match="no room"):
        store.keep("c", 3, "another")
    assert store.newest("me") == [2, 1]
    assert store.newest("another") == []
    store.get("a")
    monkeypatch.setattr(uploads, "IDLE_SECONDS", 0.0)
    assert store.keep("c", 3, "another") == 3
    assert store.newest("me") == [1]


def test_a_preset_chooses_data_and_the_link_follows(run_page):
    page = run_page("data", data="toy-2d", normalise="minmax")
    page.radio(key="preset#0").set_value("Synthetic data with known weights").run()
    page.run()

    assert page.selectbox(key="data#1").value == "planted"
    assert page.query_params == {"data": "planted"}


def test_a_link_to_a_missing_upload_asks_for_the_file(run_page):
    missing = f"{PREFIX}0123abcd"
    page = run_page("data", data=missing)

    assert not page.exception
    assert missing in page.warning[0].value
    assert "Upload the same file again" in page.warning[0].value
    assert page.selectbox(key="data#0").value == missing


def test_the_data_leads_to_training_and_normalises_at_a_click():
    raw = shown(DATA, data="mslr10k-sample-raw")
    (act,) = (act for act in blocks(raw, Act) if act.key == "normalise_now")
    (go,) = (go for go in blocks(raw, Go) if go.page == "train")

    assert act.changes == {"normalise": "standard"}
    assert go.settings == {"data": "mslr10k-sample-raw", "normalise": "as given"}
    scaled = shown(DATA, data="mslr10k-sample-raw", **act.changes)
    assert not [a for a in blocks(scaled, Act) if a.key == "normalise_now"]
    (undo,) = (a for a in blocks(scaled, Act) if a.key == "normalise_undo")
    assert undo.changes == {"normalise": "as given"}
    result = load_dataset("mslr10k-sample-raw").train
    unit = result.normalise("standard").standardised
    ranges = [np.ptp(s.X, axis=0) for s in (unit, result)]
    ratios = [item[item > 0].max() / item[item > 0].min() for item in ranges]
    (value,) = (c.text for c in blocks(scaled, Caption) if "Features are" in c.text)
    assert value == (
        f"Features are standardised. The widest feature spans {ratios[0]:.3g} times "
        f"the range of the narrowest; unscaled, {ratios[1]:.3g} times."
    )
    planted = shown(DATA, data="planted", normalise="zscore")
    assert not [a for a in blocks(planted, Act) if a.key == "normalise_undo"]


def test_each_feature_alone_is_a_row():
    folds = blocks(shown(DATA, data="toy-3d"), Popover)
    (fold,) = (fold for fold in folds if fold.key == "features_alone")
    (table,) = fold.blocks()
    values = [row["nDCG@10 alone"] for row in table.rows]

    assert len(values) == 3
    assert values == sorted(values, reverse=True)
