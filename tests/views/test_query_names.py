"""A query has one name, and a document its title: in headings, tables, hovers and
choosers of every view."""

import itertools
import json
import re

import numpy as np
import pytest

from pages.ui.catalogue import pages
from pages.ui.data import datasets
from rankcore.data.dataset import LONGEST_QUERY_TEXT, RankingDataset, query_name
from rankcore.data.readers import Splits
from rankcore.topics.sparsity.paths import changed
from rankcore.views import (
    DocumentTiles,
    Number,
    Panel,
    Popover,
    Row,
    Table,
    Tiles,
    flat,
    read,
)
from rankcore.views.stored import plain
from tests.viewing import at_first


def worded(begin, seed):
    """Three queries with words, whose numbers are not their places, and documents with
    titles."""
    rng = np.random.default_rng(seed)
    ids = [f"zz{begin + i}" for i in (5, 3, 9)]
    documents = [f"zd{begin + i}" for i in range(18)]
    return RankingDataset.from_arrays(
        rng.random((18, 4)),
        rng.integers(0, 3, 18),
        np.repeat(ids, 6),
        query_texts=[f"words of {one}" for one in ids],
        doc_ids=documents,
        doc_texts=[f"title of {one}" for one in documents],
        feature_names=["a", "b", "c", "d"],
        name="worded",
    )


DATA = Splits(worded(0, 0), worded(10, 1), worded(20, 2))
WITH_QUERIES = [
    pytest.param(view, id=f"{page.name} {view.name}")
    for page in pages().values()
    for view in page.views.values()
    if any(row.key == "query" for row in view.every_row())
]


@pytest.fixture(scope="module")
def data():
    return datasets.upload(DATA, datasets.Files({"train": "Worded"}))


def texts(blocks):
    """All that blocks say, pictures and opened folds included, as text."""
    for block in blocks:
        if isinstance(block, Row):
            yield from itertools.chain.from_iterable(map(texts, block.columns))
        elif isinstance(block, Popover):
            yield from texts(block.blocks())
        elif isinstance(block, Panel):
            picture = block.picture
            yield from (block.title, block.note, picture.alt)
            yield json.dumps(plain(picture.data), ensure_ascii=False, default=str)
        elif isinstance(block, Table):
            yield block.title
            yield json.dumps(plain(block.rows), ensure_ascii=False, default=str)
        elif isinstance(block, Tiles | DocumentTiles):
            yield block.title
            yield json.dumps(plain(_documents(block)), ensure_ascii=False)
        else:
            yield from (str(part) for part in block if isinstance(part, str))


def _documents(block):
    if isinstance(block, DocumentTiles):
        return [name for name, _ in block.documents]
    return list(block.table()["document"])


@pytest.mark.parametrize("view", WITH_QUERIES)
def test_every_view_calls_a_query_by_its_name(view, data):
    raw = {"data": data, "query": 2, "red_source": "a query of the data"}
    chosen = read(view.rows(raw), raw)
    (row,) = (row for row in view.rows(raw) if row.key == "query")
    assert isinstance(row, Number)
    low, high = row.range(chosen)
    names = row.names(chosen)
    assert len(names) == high - low + 1
    assert set(names) <= {n for part in DATA for n in part.query_names}

    words = " ".join(texts(at_first(view, chosen).blocks))
    for item in re.finditer(r"zz\d+", words):
        around = words[max(0, item.start() - 10) : item.end() + 20]
        result = re.search(rf"uery {item[0]} \S+words of {item[0]}", around)
        assert result or words[: item.start()].endswith("words of "), around


@pytest.mark.parametrize("view", WITH_QUERIES)
def test_every_view_shows_documents_by_their_titles(view, data):
    raw = {"data": data, "query": 2, "red_source": "a query of the data"}
    words = " ".join(texts(at_first(view, read(view.rows(raw), raw)).blocks))
    titles = re.findall(r"title of (zd\d+)", words)
    # An id may stand beside its title.
    assert set(re.findall(r"zd\d+", words)) <= set(titles)


def test_the_lists_of_training_show_titles(data):
    view = pages()["train"].views["Run"]
    raw = {"data": data, "query": 2}
    result = at_first(view, read(view.rows(raw), raw))
    (tiles,) = (block for block in flat(result.blocks) if isinstance(block, Tiles))
    assert all(name.startswith("title of zd") for name in _documents(tiles))
    (why,) = tiles.on_click(_documents(tiles)[2], 0).values()
    assert why == _documents(tiles)[2]


def test_rankings_that_change_name_queries_so():
    coef = np.array([1.0, 0.5, 0.0, 0.0])
    result = changed(DATA.train, coef, -coef)
    assert set(result.columns()["query"]) == set(DATA.train.query_names)
    for key, name in result.names(3).items():
        assert name.startswith(f"query {key} “words of {key}”: ")


def test_long_words_are_cut():
    name = query_name("1", "very " * 40)
    assert len(name) < LONGEST_QUERY_TEXT + 15
    assert name.endswith("very…”")
    assert query_name("1", "") == query_name("1") == "query 1"
    assert worded(0, 0).query(1).title == "Query zz3 “words of zz3”"
