"""One query: three orders, forces, swaps, one document, and the other queries."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pages.ui import texts
from pages.ui.away import origins
from pages.ui.data import models
from pages.views.inspect import _importance, _settings, _subject
from pages.views.inspect._subject import MOST_QUERIES, Subject
from rankcore import views
from rankcore.base.numbers import counted
from rankcore.data.dataset import first_difference
from rankcore.data.trec import qrels_text, trec_run
from rankcore.plot.numbers import decimals, significant
from rankcore.studies import Study
from rankcore.topics.inspect import inspection
from rankcore.topics.inspect.edits import fixed_label
from rankcore.topics.inspect.inspected import NoModelError
from rankcore.topics.inspect.inspection import Inspection
from rankcore.topics.inspect.inspection_figure import TRACES, orders_figure
from rankcore.topics.inspect.ranking import rank_correlation
from rankcore.topics.inspect.why import why
from rankcore.topics.inspect.why_figure import why_figure

PRESETS = {
    "RSRank against least squares": {"run": "", "beside": "LeastSquares"},
    "Against the order of the file": {"run": "", "beside": _settings.FILE},
    "RSRank on the planted data": {
        "data": "planted",
        "normalise": "as given",
        "run": "",
        "beside": "ListNet",
    },
}


def show(values: views.Values, study: Study | None = None) -> views.Shown:
    """Return facts, the orders of a query, one document, importance, and queries."""
    subject = Subject(values)
    try:
        result = subject.inspection()
    except NoModelError as missing:
        return _missing(missing, values)
    blocks = [
        views.Row([[*_orders(subject, result)], [*_document(subject)]], widths=(9, 5)),
        *_importance.blocks(values, study),
        *_queries(subject),
        *_export(values),
        *subject.unjudged(),
    ]
    return views.Shown(_facts(subject, result), blocks, files=_trec(subject))


def _export(values: views.Values) -> list[views.Block]:
    """Return the export of a file's model in other formats."""
    if (file := models.MODELS.get(values.run)) is None:
        return []
    stem = file.title.rpartition(".")[0] or file.title
    about = "Export model", "export_model", "Export it as"
    return [views.TakeModel(*about, lambda: file.content, stem)]


def _trec(subject: Subject) -> dict[str, Callable[[], str]]:
    """Return the model's rankings of all queries of the split, without changes of a
    document, and the labels, for trec_eval."""
    dataset, model = subject.dataset, subject.model

    def rankings() -> str:
        tag = type(model.algorithm).__name__
        return trec_run(dataset, model.scores(dataset.X), tag)

    return {"rankings.trec": rankings, "labels.qrels": lambda: qrels_text(dataset)}


def _missing(missing: NoModelError, values: views.Values) -> views.Shown:
    """Return the reason why nothing can be shown, and a remedy."""
    notice = views.Notice(texts.literal(str(missing)), warns=True)
    blocks: list[views.Block] = [notice, *origins.elsewhere(values)]
    if missing.remedy:
        other = "data" in missing.remedy
        label = "Use its data" if other else "Show the example"
        blocks.append(views.Act(label, "inspect_remedy", missing.remedy, icon="undo"))
    return views.Shown(blocks=blocks)


def _facts(subject: Subject, inspection: Inspection) -> list[views.Fact]:
    model, ideal = inspection.sides[:2]
    before = subject.before.value
    changed = f"{decimals(before)} without changes" if inspection.edited else model.name
    facts = [
        views.Fact(inspection.measure, decimals(model.order.value), changed),
        views.Fact(
            "Ideal",
            decimals(ideal.order.value),
            counted(len(inspection.query), "documents"),
        ),
    ]
    if len(inspection.sides) > 2:
        side = inspection.sides[2]
        alike = rank_correlation(model.order, side.order)
        facts += [
            views.Fact("Second order", decimals(side.order.value), side.name),
            views.Fact("Rank correlation", decimals(alike, 2), "of both"),
        ]
    best = inspection.best_swap
    raised = "none" if best is None else f"+{decimals(best[1])}"
    note = "" if best is None else f"ranks {best[0]} and {best[0] + 1}"
    return [*facts, views.Fact("Best swap of neighbours", raised, note)]


def _orders(subject: Subject, inspection: Inspection) -> list[views.Block]:
    now = subject.values

    def clicked(trace: str, point: int, x: float, y: float) -> views.Changes:
        if trace not in TRACES[: len(inspection.sides)]:
            return {}
        row = inspection.sides[TRACES.index(trace)].order.rows[point]
        return {"inspect_document": inspection.query.doc_ids[row]}

    words = f" “{inspection.query.text}”" if inspection.query.text else ""
    note = "click a document; arrow: force, swap: change of the measure by swapping two"
    picture = orders_figure(inspection, subject.row, now.palette, now.inspect_rows)
    title = f"Query {inspection.query.id}{words}"
    panel = views.Panel("inspect_orders", title, note, picture, on_click=clicked)
    ask = views.Ask([_settings.QUERY, _settings.SURROGATE])
    parts = [f"Model: {subject.model.note}.", *subject.matched]
    text = " ".join([*parts, *inspection.sentences(now.inspect_rows)])
    return [
        panel,
        views.Caption(texts.literal(text)),
        views.Ask([_settings.PART.silent()]),
        ask,
        *_warnings(subject),
    ]


def _warnings(subject: Subject) -> list[views.Block]:
    model, dataset = subject.model, subject.dataset
    warned: list[str] = []
    if model.normalisation != dataset.normalisation:
        scaling = model.normalisation or "no normalisation"
        warned.append(
            f"The model was trained with {scaling} of the features; these data differ."
        )
    if differing := first_difference(dataset.feature_names, model.feature_names):
        warned.append(
            "The features of data and model have different names: "
            f"{texts.literal(differing)}. They are matched by position."
        )
    return [views.Notice(warning, warns=True) for warning in warned]


def _document(subject: Subject) -> list[views.Block]:
    """Return the selected document: text, controls, and the reason for its rank."""
    query, row = subject.query, subject.row
    name = query.doc_names[row]
    place = int(subject.order.places[row])
    before = int(subject.before.places[row])
    rank = f"rank {place + 1}"
    if before != place:
        rank += f", {before + 1} without changes"
    blocks: list[views.Block] = [
        views.Words(f"**Document {texts.literal(name)}**, {rank}")
    ]
    if name != query.doc_ids[row]:
        whole = query.doc_texts[row] if query.doc_texts else ""
        more = "" if name.startswith(whole) else f". {whole}"
        caption = f"Document id: {query.doc_ids[row]}{more}"
        blocks.append(views.Caption(texts.literal(caption)))
    # Drawing the table of all features takes longer than all other updates.
    parts = views.Popover("All features", "inspect_fold", lambda: [_parts(subject)])
    return [*blocks, *_controls(subject), *_why(subject, name), parts]


def _controls(subject: Subject) -> list[views.Block]:
    name = subject.dataset.feature_names[subject.feature]
    low, high = (float(end[subject.feature]) for end in subject.dataset.limits)
    step = (high - low) / 100.0 if high > low else None
    value = replace(_subject.VALUE, label="Value", step=step)
    feature = replace(
        _settings.FEATURE, names=tuple(subject.parts["feature"]), default=name
    )
    blocks: list[views.Block] = [
        views.Ask([feature]),
        views.Ask([value]),
        views.Ask([_subject.LABEL]),
    ]
    if subject.dataset.has_fractions:
        blocks[2] = views.Caption(fixed_label(subject.query.y[subject.row]))
    if np.isnan(subject.query.X[subject.row, subject.feature]):
        blocks[1] = views.Caption(f"{texts.literal(name)} is missing in this row.")
    if subject.edits:
        count = len(subject.edits)
        label = f"Undo {counted(count, 'changes')}"
        changes = {"edits": "", **subject.staying}
        blocks.append(views.Act(label, "undo_edits", changes, icon="undo"))
    return blocks


def _why(subject: Subject, name: str) -> list[views.Block]:
    model = subject.model
    if len(subject.query) < 2:
        return [
            views.Caption(
                "This query has a single document, so no document is above it."
            )
        ]
    try:
        reasons = why(model.algorithm, model.coef, subject.dataset, subject.query, name)
    except ValueError as error:
        return [views.Caption(texts.literal(str(error)))]
    picture = why_figure(reasons, subject.values.palette)
    text = views.Caption(texts.literal(f"{reasons.sentence} {reasons.method}"))
    return [views.Panel("why", reasons.question, "difference of scores", picture), text]


def _parts(subject: Subject) -> views.Table:
    """Return the table of the selected document's features."""
    parts, name = subject.parts, subject.query.doc_names[subject.row]
    note = "importance in the whole model"
    if "contribution" in parts:
        score = significant(float(subject.scores[subject.row]))
        note = f"most important first; coefficient × value, sum {score}"
    numbers = dict.fromkeys([column for column in parts if column != "feature"], "%.3g")
    return views.Table(
        "inspect_parts",
        f"Features of {name}",
        f"{note}; choose a row to change the feature",
        parts,
        numbers,
        on_choose=lambda n: {**subject.staying, "inspect_feature": parts["feature"][n]},
    )


def _queries(subject: Subject) -> list[views.Block]:
    """Return the queries that match the search, worst or most different first."""
    now, dataset = subject.values, subject.dataset
    rows, alike = subject.queries()
    if alike is not None and now.queries_by == _settings.DIFFERENT:
        rows = sorted(rows, key=lambda row: alike[row.position])
    rows = inspection.matching(dataset, rows, now.find)
    shown, name = rows[:MOST_QUERIES], str(subject.measure)
    table = []
    for row in shown:
        cells = row.row(name)
        if dataset.query_texts is not None:
            cells["text"] = dataset.query_texts[row.position]
        if alike is not None:
            cells["correlation"] = float(alike[row.position])
        table.append(cells)
    more = f", the first {MOST_QUERIES}" if len(rows) > MOST_QUERIES else ""
    note = f"{len(rows):,} of {dataset.n_queries:,}{more}; choose a row to see it"
    ways = [] if alike is None else [_settings.SORTED]
    listed: views.Block = views.Caption(
        "No query has these words. Clear the search to see all."
    )
    if table:
        listed = views.Table(
            "inspect_queries",
            "Queries",
            note,
            table,
            {name: "%.3f", "correlation": "%.2f"},
            on_choose=lambda n: {
                "query": shown[n].position + 1,
                "inspect_document": "",
            },
        )
    return [views.Ask([*ways, _settings.SEARCH]), listed]


def _explain(values: views.Values) -> dict[str, str]:
    tabs = dict(texts.tabs(__file__))
    subject = _subject.readable(values)
    pusher = None if subject is None else subject.pusher
    if pusher is not None:
        tabs["The surrogate"] = texts.algorithm(type(pusher), {})
    tabs["The measure"] = texts.measure(values.measure, values.convention)
    return tabs


VIEW = views.View(
    "Query",
    "Orders of one query, forces on its documents, and edits that change them.",
    [*_settings.FIRST, _subject.VALUE, _subject.LABEL],
    show,
    work=_importance.WORK,
    presets=PRESETS,
    explain=_explain,
)
