"""Data with fractional labels on every page: shown, or refused with the sentence."""

import numpy as np
import pytest

from pages.ui.data import datasets
from pages.ui.data.datasets import Files
from rankcore import RankingDataset, load_dataset, measures
from rankcore.data.readers import Splits
from rankcore.topics.datasets.description import MANY_LABELS, label_counts
from rankcore.topics.inspect.ranking import order_by
from rankcore.topics.reduction.pair_losses import list_pairs
from rankcore.views import Act, Caption, Notice, Popover, flat
from tests import viewing
from tests.soaking import soak
from tests.views.uploads.test_missing_values import VIEWS, trains_on_data

SENTENCE = "Some labels are fractions, and "
QUICK = {"data", "inspect", "measures", "reduction", "train"}
RNG = np.random.default_rng(0)


def fractional(part):
    """The same data with labels of three decimals; irrelevant documents stay so."""
    y = np.where(part.y > 0, np.round(part.y + RNG.random(len(part.y)), 3), 0.0)
    query = np.repeat(part.query_ids, part.lengths)
    return RankingDataset.from_arrays(part.X, y, query)


@pytest.fixture(scope="module")
def data():
    splits = Splits(*map(fractional, load_dataset("toy-2d")))
    return datasets.upload(splits, Files({"train": "shop"}))


@pytest.mark.parametrize(
    ("page", "name"),
    [one if one.values[0] in QUICK else soak(*one.values, id=one.id) for one in VIEWS],
)
def test_a_view_shows_them_or_says_why_not(page, name, data):
    view = viewing.view(page, name)
    values = viewing.values(view, data=data)
    refusal = viewing.refusal(view, values)
    if refusal is not None:
        assert refusal.startswith(SENTENCE)
        return
    assert list(viewing.unsound(viewing.at_first(view, values))) == []
    if trains_on_data(view, values) and (page, name) == ("train", "Run"):
        binary = viewing.values(view, data=data, algorithm="SVMMAP")
        assert view.work_for(binary).refuses(binary).startswith(SENTENCE)


def test_one_query_is_measured_by_its_fractions(data):
    train = datasets.load(data).train
    query, scores = train.query(0), RNG.random(train.query(0).X.shape[0])
    alone = RankingDataset.from_arrays(query.X, query.y, ["q"] * len(query.y))
    wanted = measures.means(alone, scores, ["nDCG", "nDCG@3"])
    order = order_by(scores, query.y, measures.parse("nDCG@3"))
    assert order.value == pytest.approx(wanted["nDCG@3"])
    assert 1.0 - list_pairs(query.y, scores).lost == pytest.approx(wanted["nDCG"])


def test_many_labels_are_counted_in_ranges(data):
    train = datasets.load(data).train
    names, ends, counts = label_counts(train)
    assert len(names) == MANY_LABELS
    assert counts.sum() == train.n_documents
    assert counts[0] == (train.y == 0).sum()
    assert counts[-1] == (train.y > ends[-2]).sum()
    few = RankingDataset.from_arrays(np.zeros((4, 1)), [0.5, 0.5, 2, 0.25], ["q"] * 4)
    names, _, counts = label_counts(few)
    assert (names, counts.tolist()) == (("0", "0.25", "0.5", "2"), [0, 1, 2, 1])


def test_what_has_whole_labels_says_so(data):
    shown = viewing.shown(viewing.view("inspect", "Query"), data=data)
    captions = [
        block.text for block in flat(shown.blocks) if isinstance(block, Caption)
    ]
    assert any("Labels cannot be changed here" in text for text in captions)
    judged = shown.files["labels.qrels"]()
    assert judged.startswith("# Some labels are fractions, and judgements of trec_eval")
    view = viewing.view("reduction", "Pairs")
    (act,) = (
        block
        for block in viewing.blocks(
            viewing.shown(view, data=data, red_source="a query of the data"), Act
        )
        if block.key == "red_by_hand"
    )
    assert act.disabled
    taking = viewing.shown(viewing.view("measures", "One list"), data=data)
    folded = [
        inner
        for block in viewing.blocks(taking, Popover)
        for inner in flat(block.blocks())
    ]
    notices = [block.text for block in folded if isinstance(block, Notice)]
    assert any("lists by hand have whole ones" in text for text in notices)
