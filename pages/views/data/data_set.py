"""One split of a data set: its size, labels, list lengths, features and a query."""

from functools import lru_cache

import numpy as np

from pages.ui import shared, texts
from pages.ui.data import datasets
from rankcore.catalogue import DatasetInfo
from rankcore.charts.data import labels_figure, lengths_figure, spread_figure
from rankcore.dataset import RankingDataset
from rankcore.insight import data as insight
from rankcore.views import (
    Ask,
    Block,
    Caption,
    DocumentTiles,
    Fact,
    Fold,
    Notice,
    Panel,
    Row,
    Shown,
    Table,
    Values,
    View,
    Words,
)

MOST_TILES = 18

READING = """
- **Labels** are grades of relevance. Where nearly all labels are 0, few documents
  decide the measures, and the measures change in large steps.
- **List lengths** differ: a query with many documents has many pairs, and algorithms
  that do not weight pairs let it dominate the short ones.
- **Feature spread**: a hollow mark is a feature that is constant within each query and
  cannot affect the ranking. Where ranges differ by powers of ten, normalise.
- The **column on the right** is one query in the order of the file.

**Try.** Compare *Web search* with *Web search, raw scales*, then train RSRank on both.
"""

SCALING = r"""
For each query and feature, with its lowest, highest, mean and standard deviation there:

$$
\text{minmax: } x' = \frac{x - x_{\min}}{x_{\max} - x_{\min}}, \qquad
\text{zscore: } x' = \frac{x - \bar x}{\sigma_x}
$$

A feature that is constant within the query becomes 0. Documents must be scaled in the
same way before a model scores them; LETOR's *QueryLevelNorm* files are minmax-scaled
already.
"""

OWN = """
**One file** on this page: LETOR or SVMlight text, CSV or Parquet, divided by query
60 : 20 : 20. Or **up to three files at once** whose names say which split they are,
such as `train.txt`, `vali.txt`, `test.txt`. They stay in memory until the server stops.

**To keep data:** put LETOR folders under `data/letor/<name>/Fold1` …, or name the
folder that holds them in the environment variable `RANKSCOPE_DATA`; they are then
listed here and for `rankscope train`.
"""

PRESETS = {
    "Web search": {"data": "mslr10k-sample", "normalise": "as given"},
    "Web search, raw scales": {"data": "mslr10k-sample-raw", "normalise": "as given"},
    "Synthetic data with known weights": {"data": "planted", "normalise": "as given"},
    "Two features": {"data": "toy-2d", "normalise": "as given"},
}


@lru_cache(maxsize=16)
def _spread(chosen: tuple[tuple[str, str], ...]) -> insight.Spread:
    return insight.feature_spread(shared.split(Values(dict(chosen))))


def show(values: Values) -> Shown:
    """Facts and figures of the chosen split, and one query."""
    dataset = shared.split(values)
    spread = _spread(values.only("data", "normalise", "part"))
    query = shared.query(values)
    columns = {"document": query.doc_ids, "label": query.y} | {
        feature: query.X[:, j] for j, feature in enumerate(dataset.feature_names)
    }
    info = datasets.infos()[values.data]
    left: list[Block] = [
        Row([[_labels(dataset, values)], [_lengths(dataset, values)]]),
        _features(spread, values),
        *_warnings(dataset, spread),
        Fold("Compare the splits", "splits_table", lambda: [_sizes(values)]),
        Fold(
            "This query as a table",
            "query_table",
            lambda: [Table("query_documents", f"Query {query.id}", "", columns)],
        ),
    ]
    right: list[Block] = [
        Ask([shared.QUERY.beside()]),
        DocumentTiles(
            f"Query {query.id}",
            "in the order of the file",
            list(zip(query.doc_ids, query.y.tolist(), strict=True)),
            int(dataset.y.max()),
            MOST_TILES,
        ),
    ]
    return Shown(
        _facts(insight.size(values.part, dataset)),
        [
            Words(f"**{texts.literal(info.title)}.** {info.description}"),
            _origin(info),
            Ask([shared.PART.beside()]),
            Row([left, right], widths=(4, 1)),
        ],
        tables={f"{values.data}-{values.part}": dataset.to_frame},
        command=_command(values),
    )


def _origin(info: DatasetInfo) -> Caption:
    if not info.licence:
        return Caption(f"{info.origin}.")
    return Caption(f"Origin: {info.origin}. Licence: {info.licence}.")


def _command(values: Values) -> str:
    """What gives the split in Python; nothing gives an upload."""
    if values.data.startswith(datasets.PREFIX):
        return ""
    scaling = datasets.scaling(values.normalise)
    scaled = f".normalise({scaling!r})" if scaling else ""
    return f"load_dataset({values.data!r}){scaled}.{values.part}"


def _facts(size: insight.Size) -> list[Fact]:
    length = f"{size.shortest:,} to {size.longest:,} per query"
    return [
        Fact("Queries", f"{size.queries:,}"),
        Fact("Documents", f"{size.documents:,}", length),
        Fact("Features", f"{size.features:,}"),
        Fact("Labels", f"0–{size.highest_label}", "0 is irrelevant"),
        Fact("Relevant documents", f"{size.relevant:.1%}", "label above 0"),
    ]


def _labels(dataset: RankingDataset, values: Values) -> Panel:
    counts = insight.label_counts(dataset)
    picture = labels_figure(counts, values.palette).described(
        f"{counts[0] / counts.sum():.0%} of the documents have label 0.",
        {"label": np.arange(len(counts)), "documents": counts},
    )
    note = "documents with each label; bluer is more relevant"
    return Panel("labels", "Labels", note, picture)


def _lengths(dataset: RankingDataset, values: Values) -> Panel:
    histogram = insight.list_lengths(dataset)
    size = insight.size("", dataset)
    picture = lengths_figure(histogram, values.palette).described(
        f"Queries have {size.shortest} to {size.longest} documents; the median is "
        f"{size.median_length:g}.",
        {
            "from": histogram.edges[:-1],
            "to": histogram.edges[1:] - 1,
            "queries": histogram.counts,
        },
    )
    note = f"half of the queries have {size.median_length:g} documents or more"
    return Panel("lengths", "List lengths", note, picture)


def _features(spread: insight.Spread, values: Values) -> Panel:
    picture = spread_figure(spread, values.palette).described(
        f"{len(spread.names)} features range from {spread.low.min():.3g} to "
        f"{spread.high.max():.3g}; {int(spread.useless.sum())} of them cannot affect "
        "the ranking.",
        {
            "feature": spread.names,
            "lowest": spread.low,
            "median": spread.median,
            "highest": spread.high,
            "share of zeros": spread.zeros,
            "constant": spread.constant,
            "cannot affect the ranking": spread.useless,
        },
    )
    note = (
        "line: lowest to highest; thick: middle half; dot: median; hollow: constant "
        "within each query"
    )
    return Panel("spread", "Feature spread", note, picture)


def _warnings(dataset: RankingDataset, spread: insight.Spread) -> list[Block]:
    sentences = insight.warnings(dataset, spread)
    if not sentences:
        return [Notice("The data is ready for training.", "check")]
    return [Notice(texts.literal(sentence), warns=True) for sentence in sentences]


def _sizes(values: Values) -> Table:
    rows = [
        {
            "split": shared.SPLITS[size.part],
            "queries": size.queries,
            "documents": size.documents,
            "features": size.features,
            "highest label": size.highest_label,
            "share of relevant documents": size.relevant,
            "shortest list": size.shortest,
            "median list": size.median_length,
            "longest list": size.longest,
        }
        for size in insight.sizes(datasets.of(values))
    ]
    return Table("sizes", "Splits", "sizes side by side", rows)


VIEW = View(
    "Data set",
    "Sizes, labels, features and queries of one split.",
    [
        shared.DATA,
        shared.NORMALISE.plain(),
        shared.PART.beside(),
        shared.QUERY.beside(),
    ],
    show,
    presets=PRESETS,
    explain={"How to read this": READING, "Scaling": SCALING, "Your own data": OWN},
)
