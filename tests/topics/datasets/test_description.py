"""Numbers and pictures of ranking data."""

import numpy as np
import pytest

from rankcore.data.catalogue import Splits
from rankcore.data.dataset import RankingDataset
from rankcore.plot.palette import DARK, LIGHT, contrast, mix, palette, shade
from rankcore.plot.style import cells
from rankcore.topics.datasets import description as insight
from rankcore.topics.datasets.description_figure import (
    spread_figure,
)
from rankcore.topics.inspect.ranking import labels_in_order


def dataset(X, y, qid):
    return RankingDataset.from_arrays(np.array(X, dtype=float), y, qid)


@pytest.fixture
def small():
    X = [[0, 5, 1], [1, 5, 1], [0, 7, 1], [3, 7, 1], [2, 7, 1]]
    return dataset(X, [2, 0, 0, 0, 0], [1, 1, 2, 2, 2])


@pytest.fixture
def random():
    rng = np.random.default_rng(1)
    lengths = rng.integers(1, 90, 40)
    n = lengths.sum()
    X = rng.normal(size=(n, 4)) * [1, 1e6, 1, 1]
    return dataset(X, rng.integers(0, 5, n), np.repeat(np.arange(40), lengths))


def test_sizes_are_those_of_each_part(small):
    only, *none = insight.sizes(Splits(small))

    assert not none
    assert (only.part, only.queries, only.documents, only.features) == (
        "train",
        2,
        5,
        3,
    )
    assert only.relevant == 1 / 5
    assert (only.shortest, only.median_length, only.longest) == (2, 2.5, 3)


def test_label_counts_add_up(random):
    counts = insight.label_counts(random).counts

    assert counts.sum() == random.n_documents
    assert counts[3] == sum(label == 3 for label in random.y.tolist())


def test_list_lengths_put_each_query_in_one_bin(random):
    counts, edges = insight.list_lengths(random)

    assert counts.sum() == random.n_queries
    assert len(counts) <= insight.MANY_BINS + 1
    for start, end, count in zip(edges, edges[1:], counts, strict=False):
        assert count == sum(start <= length < end for length in random.lengths)


def test_list_lengths_of_equal_lists(small):
    counts, edges = insight.list_lengths(small.subset([0]))

    assert counts.tolist() == [1]
    assert edges.tolist() == [2, 3]


def test_spread_agrees_with_each_column(random):
    spread = insight.feature_spread(random)
    column = np.sort(random.X[:, 2])

    assert spread.low[2] == column[0]
    assert spread.high[2] == column[-1]
    assert spread.median[2] == pytest.approx(np.median(column))
    assert spread.zeros[2] == np.mean(column == 0)


def test_a_feature_that_changes_no_order_is_useless(small):
    spread = insight.feature_spread(small)

    assert spread.constant.tolist() == [False, False, True]
    assert spread.useless.tolist() == [False, True, True]


def warnings_of(data):
    return " ".join(insight.warnings(data, insight.feature_spread(data)))


def test_warnings_name_what_stands_in_the_way(small):
    result = warnings_of(small)

    assert "2 features are constant within each query" in result
    assert "f2, f3" in result
    assert "1 query has no relevant document" in result
    assert "2 queries have fewer than 10 documents" in result


def test_warnings_name_single_documents_and_scales():
    X = np.column_stack([np.arange(13.0), 1e6 * np.arange(13.0)])
    result = warnings_of(dataset(X, [1] * 13, [1] + [2] * 12))

    assert "1 query has a single document" in result
    assert "1e+06 times the range" in result


def test_fine_data_has_no_warning():
    X = np.random.default_rng(0).random((20, 3))

    assert warnings_of(dataset(X, [1, 0] * 10, [1] * 10 + [2] * 10)) == ""


def test_wide_scales_get_an_axis_with_readable_ends(random):
    axis = spread_figure(insight.feature_spread(random)).figure().layout.yaxis
    placed = dict(zip(axis.ticktext, axis.tickvals, strict=True))

    assert placed["0"] == 0
    assert placed["100"] == pytest.approx(np.log10(101))
    assert placed["−100"] == -placed["100"]


def test_feature_names_are_text_in_a_figure():
    data = RankingDataset.from_arrays(
        [[0.0], [1.0]], [0, 1], feature_names=["<b>f</b>"]
    )
    figure = spread_figure(insight.feature_spread(data)).figure()

    assert "<b>" not in str(figure.to_json())


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=lambda colours: colours.kind)
def test_text_can_be_read(colours):
    for text in (colours.ink, colours.secondary, colours.primary):
        assert contrast(text, colours.background) >= 4.5
    for run in colours.runs:
        assert contrast(colours.readable(run), colours.background) >= 4.5
    for fill in colours.relevance:
        assert contrast(colours.on(fill), fill) >= 4.5


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_words_read_on_every_cell(colours):
    scales = colours.relevance, (colours.runs[1], colours.panel, colours.runs[2])
    for scale in scales:
        z = np.linspace(0.0, 1.0, 101)[None, :]
        trace = cells(z, (0.0, 1.0), scale, colours, [["1"] * 101])
        for share, text in zip(z[0], trace["text"][0], strict=True):
            ink = text.removeprefix('<span style="color:').split('"')[0]
            assert contrast(ink, shade(scale, share)) >= 4.5
    assert shade(("#000000", "#808080", "#ffffff"), 0.25) == "#404040"


def test_relevance_rises_with_the_label():
    assert LIGHT.label(0) == LIGHT.relevance[0]
    assert LIGHT.label(2, highest=2) == LIGHT.label(4) == LIGHT.relevance[4]
    assert LIGHT.label(1, highest=2) == LIGHT.relevance[2]
    assert len({LIGHT.label(label) for label in range(5)}) == 5


def test_colours_mix_and_contrast():
    assert mix("#000000", "#ffffff", 0.5) == "#808080"
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#0b5cad", "#0b5cad") == 1
    assert palette("dark") is DARK
    assert palette(None) is LIGHT


def test_labels_of_a_query_in_the_order_of_a_feature():
    X, names = [[9.0], [1.0], [3.0], [3.0]], ["a"]
    two = RankingDataset.from_arrays(X, [1, 0, 2, 3], [1, 2, 2, 2], feature_names=names)

    assert labels_in_order(two, 1).tolist() == [0, 2, 3]
    assert labels_in_order(two, 1, "a").tolist() == [2, 3, 0]
    with pytest.raises(ValueError, match="b"):
        labels_in_order(two, 1, "b")


def test_splits_are_normalised_part_by_part():
    part = RankingDataset.from_arrays([[1.0], [3.0], [2.0]], [1, 0, 0])
    normalise = Splits(part, test=part).normalise()

    assert normalise.train.X.ravel().tolist() == [0.0, 1.0, 0.5]
    assert normalise.valid is None
    assert normalise.test.X.ravel().tolist() == [0.0, 1.0, 0.5]
    assert Splits(part).normalise(None).train is part
