"""One split of a data set: its size, labels, list lengths, features and a query."""

from functools import lru_cache
from typing import Any

from pages.ui import shared, texts
from pages.ui.data import datasets
from pages.ui.data.inspecting import inspect
from rankcore import views
from rankcore.base.numbers import label_text, percent, rounded
from rankcore.data.catalogue import DatasetInfo
from rankcore.data.dataset import RankingDataset, scaling_words
from rankcore.topics.datasets import checks as data_checks
from rankcore.topics.datasets import description as insight
from rankcore.topics.datasets import description_figure as charts
from rankcore.views import Ask, Fact, Notice, Panel, Popover, Row, Values

MOST_TILES = 18

PRESETS = {
    "Web search": {"data": "mslr10k-sample", "normalise": "as given"},
    "Web search, raw scales": {"data": "mslr10k-sample-raw", "normalise": "as given"},
    "Synthetic data with known weights": {"data": "planted", "normalise": "as given"},
    "Two features": {"data": "toy-2d", "normalise": "as given"},
}


@lru_cache(maxsize=16)
def _spread(chosen: tuple[tuple[str, str], ...]) -> insight.FeatureSpread:
    values = Values(dict(chosen))
    scaling = datasets.of(values).train.scaling
    return insight.feature_spread(shared.split(values).scaled_by(scaling))


@lru_cache(maxsize=16)
def _repeated(name: str) -> data_checks.Repeated:
    return data_checks.repeated(datasets.load(name))


@lru_cache(maxsize=16)
def _doubtful(name: str) -> dict[str, str]:
    return data_checks.doubtful_features(datasets.load(name).train)


@lru_cache(maxsize=16)
def _alone(chosen: tuple[tuple[str, str], ...]) -> list[data_checks.Feature]:
    return data_checks.features(shared.split(Values(dict(chosen))))


def show(values: Values) -> views.Shown:
    """Return facts and figures of the chosen split, and one query."""
    dataset = shared.split(values)
    spread = _spread(values.only("data", "normalise", "part"))
    query = shared.query(values)
    columns: dict[str, Any] = {"document": query.doc_ids, "label": query.y}
    if query.doc_texts is not None:
        columns = {"document": query.doc_ids, "text": query.doc_texts, "label": query.y}
    columns |= {
        name: scores[query.slice] for name, scores in (dataset.doc_scores or {}).items()
    }
    columns |= dict(zip(dataset.feature_names, query.X.T, strict=True))
    rows = views.Table("query_documents", query.title, "", columns)
    info = datasets.info(values.data)
    left: list[views.Block] = [
        _features(spread, values),
        Row([[_labels(dataset, values)], [_lengths(dataset, values)]]),
        *_warnings(values, dataset, spread),
        *_normalise(values, spread),
        Popover("Compare the splits", "splits_table", lambda: [_sizes(values)]),
        Popover("This query as a table", "query_table", lambda: [rows]),
        Popover("Each feature alone", "features_alone", lambda: [_each_alone(values)]),
    ]
    documents = list(zip(query.doc_names, query.y.tolist(), strict=True))
    right: list[views.Block] = [
        Ask([shared.QUERY.beside()]),
        views.DocumentTiles(
            query.title,
            "in the order of the file",
            documents,
            dataset.y.max().item(),
            MOST_TILES,
        ),
        inspect(values),
    ]
    return views.Shown(
        _facts(
            insight.size(values.part, dataset),
            info.sampled_from,
            dataset.weighted_text,
        ),
        [
            Row([[Ask([shared.PART.beside()])], [_train(values)]], widths=(4, 1)),
            Row([left, right], widths=(4, 1)),
            views.Words(f"**{texts.literal(info.title)}.** {info.description}"),
            _origin(info),
        ],
        tables={f"{values.data}-{values.part}": dataset.to_frame},
        python=_python(values),
    )


def _origin(info: DatasetInfo) -> views.Caption:
    if not info.licence:
        return views.Caption(f"{info.origin}.")
    return views.Caption(f"Origin: {info.origin}. Licence: {info.licence}.")


def _python(values: Values) -> str:
    """Return Python that loads the split; empty if it needs several files."""
    code = datasets.python(values.data, values.part)
    if not code:
        return ""
    scaling = datasets.scaling(values.normalise)
    scaled = f"{code}.normalise({scaling!r})" if scaling else code
    function = code.partition("(")[0]
    module = "rankcore" if function == "load_dataset" else "rankcore.data.readers"
    return f"from {module} import {function}\n\ndataset = {scaled}\nprint(dataset)\n"


def _facts(size: insight.PartSize, sampled_from: int, weighted: str) -> list[Fact]:
    length = f"{size.shortest:,} to {size.longest:,} per query"
    sampled = f"sampled from {sampled_from:,}" if sampled_from else weighted
    return [
        Fact("Queries", f"{size.queries:,}", sampled),
        Fact("Documents", f"{size.documents:,}", length),
        Fact("Features", f"{size.features:,}"),
        Fact("Labels", f"0–{label_text(size.highest_label)}", "0 is irrelevant"),
        Fact("Relevant documents", percent(size.relevant, 1), "label 1 or more"),
    ]


def _labels(dataset: RankingDataset, values: Values) -> Panel:
    picture = charts.labels_figure(insight.label_counts(dataset), values.palette)
    note = "documents with each label"
    return Panel("labels", "Labels", note, picture)


def _lengths(dataset: RankingDataset, values: Values) -> Panel:
    size = insight.size("", dataset)
    picture = charts.lengths_figure(insight.list_lengths(dataset), size, values.palette)
    note = f"Median: {rounded(size.median_length)} documents per query"
    return Panel("lengths", "List lengths", note, picture)


def _features(spread: insight.FeatureSpread, values: Values) -> Panel:
    note = (
        "line: lowest to highest, thick: middle half, dot: median; hollow: constant "
        "within each query"
    )
    picture = charts.spread_figure(spread, values.palette)
    return Panel("spread", "Feature spread", note, picture)


def _train(values: Values) -> views.Go:
    chosen = {row.key: values[row.key] for row in (shared.DATA, shared.NORMALISE)}
    note = "Opens Train with this data and normalisation."
    return views.Go("Train on it", "train", chosen, note, "play_arrow")


def _normalise(values: Values, spread: insight.FeatureSpread) -> list[views.Block]:
    """Return a button if scales differ; after scaling, the effect of it."""
    if values.normalise != datasets.AS_GIVEN:
        undo = {shared.NORMALISE.key: datasets.AS_GIVEN}
        before = _spread((values | undo).only("data", "normalise", "part"))
        if not insight.differ_in_scale(before):
            return []
        effect = insight.scaling_effect(before, spread)
        return [
            views.Caption(f"Features are {scaling_words(values.normalise)}. {effect}"),
            views.Act("Use the features as given", "normalise_undo", undo),
        ]
    if not insight.differ_in_scale(spread):
        return []
    scaled = {shared.NORMALISE.key: "standard"}
    note = "Linear models are then trained on standardised features."
    return [views.Act("Standardise the features", "normalise_now", scaled, note)]


def _each_alone(values: Values) -> views.Table:
    features = _alone(values.only("data", "normalise", "part"))
    rows = [feature.row() for feature in features]
    note = "ties by the mean over their orders; correlation within queries"
    formats = {"nDCG@10 alone": "%.3f", "correlation": "%.2f"}
    return views.Table("features_alone", "Each feature alone", note, rows, formats)


def _warnings(
    values: Values, dataset: RankingDataset, spread: insight.FeatureSpread
) -> list[views.Block]:
    sentences = [
        *insight.warnings(dataset, spread),
        *data_checks.doubts(_doubtful(values.data)),
        *data_checks.warnings(dataset, _repeated(values.data)),
    ]
    if not sentences:
        return [Notice("The data is ready for training.", "check")]
    return [Notice(texts.literal(sentence), warns=True) for sentence in sentences]


def _sizes(values: Values) -> views.Table:
    sizes = insight.sizes(datasets.of(values))
    rows = [size.row(shared.SPLITS[size.part]) for size in sizes]
    return views.Table("sizes", "Splits", "sizes side by side", rows)


VIEW = views.View(
    "Data set",
    "Sizes, labels, features and queries of one split.",
    [
        shared.DATA,
        shared.NORMALISE.plain(),
        *shared.WHICH_QUERY,
    ],
    show,
    presets=PRESETS,
    explain=texts.tabs(__file__),
)
