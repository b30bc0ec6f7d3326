"""Weights of queries of uploads: a column or a file, kept with the data and named."""

import shlex

import numpy as np
import pytest

from pages.ui.data import datasets
from rankcore.data.readers import read
from rankcore.views import Watched
from tests import viewing
from tests.views.uploads.test_upload import (
    LETOR,
    SHOP,
    captions,
    choose,
    rankscope,
    said,
    uploaded,
)

__all__ = ["rankscope", "uploaded"]

HEAD, *ROWS = SHOP.split()
WEIGHTED = b"\n".join(
    [HEAD + b",traffic", *(row + b",%d" % (at // 4 + 1) for at, row in enumerate(ROWS))]
)
TRAFFIC = {f"q{query}": query + 1.0 for query in range(30)}


def kept(page):
    return datasets.UPLOADS.get(page.query_params["data"])


def weighs(data, weights):
    return data.weights.tolist() == [weights[name] for name in data.query_ids]


@pytest.fixture
def weighted(uploaded):
    """The Data page with a table, one column of which has weights."""
    page = uploaded(shop__csv=WEIGHTED)
    assert page.selectbox(key="upload_role traffic").value == "feature"
    return choose(page, traffic="weights")


def test_a_column_weighs_the_queries_on_every_page(weighted):
    result = kept(weighted)
    assert all(weighs(part, TRAFFIC) for part in result.splits)
    assert result.splits.train.feature_names == ("price", "stars")
    assert result.splits.train.query_groups is None
    weighting = result.splits.train.weighted_text
    assert weighting.startswith("weighted by traffic, effective number ")
    assert f"Training queries are {weighting}." in captions(weighted)
    assert any("Weight of the query: traffic" in line for line in captions(weighted))
    chosen = {"data": weighted.query_params["data"]}
    queries = viewing.shown(viewing.view("data", "Data set"), **chosen).facts[0]
    assert queries.note == weighting
    assert "weighted by traffic" in datasets.describe(chosen["data"])
    scaled = datasets.load(chosen["data"], "minmax", ("price",))
    assert all(weighs(part, TRAFFIC) for part in scaled)

    train = viewing.view("train", "Run")
    run = train.work.run(viewing.values(train, **chosen, ListNet__max_iter=3))
    list(run)
    watched = Watched("one", "A run", "finished", None, run)
    shown = train.show(viewing.values(train, **chosen), watched)
    (curves,) = (panel for panel in shown.panels() if panel.key == "curves")
    assert curves.note.endswith("; means weighted by traffic")


def test_what_reads_it_again_gives_the_same_weights(
    weighted, tmp_path, monkeypatch, rankscope
):
    (tmp_path / "shop.csv").write_bytes(WEIGHTED)
    monkeypatch.chdir(tmp_path)
    result = kept(weighted)
    assert shlex.join(result.files.words()).startswith("shop.csv --weights traffic")
    _, *words = shlex.split(result.files.command())
    report = rankscope(*words, "--max-iter", 2, "--no-store", "--json").json
    assert report["fingerprint"] == result.splits.train.fingerprint
    assert report["effective queries"]["train"] == result.splits.train.effective_queries
    chosen = {"data": weighted.query_params["data"], "part": "valid"}
    made: dict = {}
    exec(viewing.shown(viewing.view("data", "Data set"), **chosen).python, made)
    assert made["dataset"].fingerprint == result.splits.valid.fingerprint
    exec(result.files.splits(), made)
    assert made["data"][0].fingerprint == result.splits.train.fingerprint


def test_a_file_weighs_the_queries_of_any_data(uploaded, tmp_path, monkeypatch):
    page = uploaded(mine__txt=LETOR)
    box = page.file_uploader(key="upload_weights")
    box.set_value(("w.txt", b"1 3\n2 0.5\n", "text/plain")).run()
    assert not page.exception
    assert "mine.txt loaded: 2 queries" in said(page)
    result = kept(page)
    assert result.splits.train.weights.tolist() == [3.0, 0.5]
    assert result.splits.train.weighting == "weighted by w.txt"
    assert "--weights w.txt" in shlex.join(result.files.words())
    (tmp_path / "mine.txt").write_bytes(LETOR)
    (tmp_path / "w.txt").write_bytes(b"1 3\n2 0.5\n")
    monkeypatch.chdir(tmp_path)
    made: dict = {}
    exec(result.files.splits(), made)
    assert made["data"][0].fingerprint == result.splits.train.fingerprint

    box = page.file_uploader(key="upload_weights")
    box.set_value(("w.txt", b"1 3\n2 none\n", "text/plain")).run()
    assert "w.txt, line 2" in page.error[0].value.replace("\\", "")
    box = page.file_uploader(key="upload_weights")
    box.set_value(("w.txt", b"1 3\n", "text/plain")).run()
    assert "Queries have no weight: 2" in page.error[0].value.replace("\\", "")


def test_weights_that_differ_within_a_query_are_refused(uploaded):
    page = choose(uploaded(shop__csv=SHOP), stars="weights")
    assert not page.exception
    assert "stars" in page.error[0].value
    assert not page.success


def test_an_algorithm_without_weights_says_so_where_it_is_chosen(weighted):
    refusals = datasets.refusals(
        viewing.values(viewing.view("train", "Run"), data=weighted.query_params["data"])
    )
    assert refusals["AdaRank"].startswith("The queries have weights, and AdaRank takes")
    assert "ListNet" not in refusals


def test_a_name_of_a_column_opens_no_file(tmp_path, monkeypatch):
    (tmp_path / "secret.txt").write_text("user password\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        ValueError, match=r"There is no group or weight column 'secret\.txt'"
    ):
        read(SHOP, name="shop.csv", weights="secret.txt")
    with pytest.raises(ValueError, match="LETOR text has no named columns, so"):
        read(LETOR, name="mine.txt", weights="secret.txt")
    (tmp_path / "w.txt").write_text("1 2\n2 1\n")
    by_path = read(LETOR, name="mine.txt", weights=tmp_path / "w.txt")
    by_id = read(LETOR, name="mine.txt", weights={"1": 2.0, "2": 1.0})
    assert by_path.fingerprint == by_id.fingerprint
    assert np.array_equal(by_path.weights, [2.0, 1.0])


def test_documents_are_weighted_by_a_column_or_a_file(
    uploaded, tmp_path, monkeypatch, rankscope
):
    page = uploaded(shop__csv=WEIGHTED.replace(b"traffic", b"weight"))
    detected = page.selectbox(key="upload_role weight")
    assert detected.value == "feature"
    assert any("If they are weights, choose that role" in c for c in captions(page))
    sentence = "The column 'weight' is a feature"
    assert any(sentence in one.value for one in page.warning)
    page = choose(page, weight="document_weights")
    assert not any(sentence in one.value for one in page.warning)
    result = kept(page)
    weights = result.splits.train.document_weights
    assert weights is not None
    assert result.splits.train.feature_names == ("price", "stars")
    assert any("Documents are weighted" in caption for caption in captions(page))
    (tmp_path / "shop.csv").write_bytes(WEIGHTED.replace(b"traffic", b"weight"))
    monkeypatch.chdir(tmp_path)
    _, *words = shlex.split(result.files.command())
    words = ["ListNet" if word == "RSRank" else word for word in words]
    report = rankscope(*words, "--max-iter", 2, "--no-store", "--json").json
    assert report["fingerprint"] == result.splits.train.fingerprint

    page = uploaded(mine__txt=LETOR)
    data = kept(page).splits.train
    ids = zip(np.repeat(data.query_ids, data.lengths), data.doc_ids, strict=True)
    text = "".join(f"{query},{doc},{n}\n" for n, (query, doc) in enumerate(ids))
    box = page.file_uploader(key="upload_document_weights")
    box.set_value(("w.csv", text.encode(), "text/plain")).run()
    result = kept(page)
    assert result.splits.train.document_weights.tolist() == [*range(data.n_documents)]
    (tmp_path / "mine.txt").write_bytes(LETOR)
    (tmp_path / "w.csv").write_text(text)
    made: dict = {}
    exec(result.files.splits(), made)
    assert made["data"][0].fingerprint == result.splits.train.fingerprint
    box = page.file_uploader(key="upload_document_weights")
    box.set_value(("w.csv", b"1,none,3\n", "text/plain")).run()
    assert "Documents have no weight" in page.error[0].value.replace("\\", "")
