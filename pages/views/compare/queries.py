"""Each query: wins, ties and losses, and both rankings of one query."""

from pages.ui.data.inspecting import COMPARED, SHIPPED, compared, inspect
from pages.views.compare import _pair, _run_set, _setup, _stored
from rankcore import views
from rankcore.data.dataset import RankingDataset
from rankcore.measures import parse
from rankcore.studies import Study
from rankcore.studies.results import Result
from rankcore.topics.compare.queries_figure import wins_figure
from rankcore.topics.compare.wins import Wins, ideal_order, moved_documents, wins
from rankcore.topics.datasets.description import parts
from rankcore.topics.datasets.raters import RaterAgreement
from rankcore.topics.inspect.ranking import QueryRanking, query_ranking
from rankcore.topics.inspect.why import why
from rankcore.topics.inspect.why_figure import why_figure

ROWS = 10
MOVES = 5


def show(values: views.Values, study: Study | None) -> views.Shown:
    """Return the difference on each query, and both rankings of the selected query."""
    run_set, notices = _run_set.of(values, study)
    if run_set is None:
        return _run_set.shown(None, notices)
    pair = _pair.of(run_set)
    if pair is None:
        return _run_set.shown(run_set, [*_pair.none(run_set), *notices])
    dataset = run_set.dataset
    names = {}
    if dataset is not None:
        names = dict(zip(dataset.query_ids, dataset.query_names, strict=True))
    shown, within = run_set.shown, values.tie_within
    by_query = wins(shown.ids, *pair.values, within, names, shown.weights)
    chosen = values.compared_query
    chosen = chosen if chosen in by_query.ids else by_query.ids[-1]
    blocks: list[views.Block] = [
        _bars(run_set, pair, by_query, chosen),
        views.Ask([*pair.rows(), _setup.TOLERANCE]),
        *_rankings(run_set, pair, chosen, study),
    ]
    rated, gone = _stored.raters(values)
    if rated is not None:
        blocks += [_raters(pair, by_query, rated)]
    return _run_set.shown(run_set, [*notices, *gone], blocks)


def _raters(pair: _pair.Two, wins: Wins, rated: RaterAgreement) -> views.Block:
    """Return the queries on which raters disagree most, with the models' values."""
    rows = rated.beside(wins, pair.names)
    if not rows:
        return views.Caption("The raters judged none of the compared queries.")
    return views.Table(
        "compared_raters",
        "Where raters disagree",
        "largest disagreement first; on such queries a difference between models may "
        "reflect the raters",
        rows,
        dict.fromkeys([*pair.names, "raters' disagreement", "difference"], "%.3g"),
    )


def _bars(
    study: _run_set.RunSet, pair: _pair.Two, wins: Wins, chosen: str
) -> views.Panel:
    def select(trace: str, point: int, *at: float) -> views.Changes:
        exists = 0 <= point < len(wins.ids)
        return {_setup.QUERY.key: wins.ids[point]} if exists else {}

    first, second = pair.names
    measure = study.shown.measure
    return views.Panel(
        "compared_queries",
        f"Each query: {first} against {second}",
        f"difference in {measure}, {study.split}; click a bar for both rankings",
        wins_figure(
            wins, pair.names, pair.colours, measure, chosen, study.values.palette
        ),
        on_click=select,
    )


def _rankings(
    findings: _run_set.RunSet, pair: _pair.Two, chosen: str, study: Study | None
) -> list[views.Block]:
    dataset = findings.dataset
    runs = [run for one in pair.contenders if (run := one.ranking_of(chosen))]
    if dataset is None or chosen not in dataset.query_ids or len(runs) < 2:
        sentence = "The data of these runs is missing, so rankings cannot be shown."
        return [views.Caption(sentence)]
    number = dataset.query_ids.index(chosen)
    query, measure = dataset.query(number), parse(findings.shown.measure)
    convention = findings.terms.rules.convention
    first, second = (
        query_ranking(query, run.scores(query), measure, convention) for run in runs
    )
    moves = moved_documents(first, second, MOVES)
    table = views.Table(
        "compared_moved",
        "Documents that moved",
        "the moves with the largest effect on NDCG",
        [one.row(*pair.names) for one in moves],
    )
    tiles = _tiles(pair, [first, second], query.title, findings)
    values = findings.values
    run, other = runs[values.compared_list], runs[not values.compared_list]
    link = _inspect(findings, run, other, chosen, study)
    models = _run_set.models(zip(pair.names, runs, strict=True))
    left: list[views.Block] = [tiles, models, link, *([table] if moves else [])]
    document = values[_setup.DOCUMENT.key] or (moves[0].document if moves else "")
    right = _why(findings, pair, run, dataset, number, document)
    return [views.Row([left, right], widths=(1, 1))]


def _inspect(
    findings: _run_set.RunSet,
    run: Result,
    other: Result,
    chosen: str,
    study: Study | None,
) -> views.Go:
    """Return the link to both rankings in the Inspector."""
    trained = [] if study is None else study.found
    prefix = SHIPPED if study is compared(SHIPPED, findings.values) else COMPARED
    # The model measured on test queries has the same coefficients.
    places = {id(one.coef): f"{prefix}{n}" for n, one in enumerate(trained, start=1)}
    # The Inspector shows the rankings of a file next to a model.
    names = [
        one.terms.key or places.get(id(one.coef), "")
        if one.has_model
        else one.terms.algorithm
        for one in sorted((run, other), key=lambda one: not one.has_model)
    ]
    names = names if run.has_model or other.has_model else ["", *names]
    stored = views.past.stored(run.terms.key)
    settings = {} if stored is None else views.past.settings(stored)
    splits = {} if findings.splits is None else parts(findings.splits)
    part = findings.terms.split
    # Folds are drawn from both splits together.
    if chosen not in splits[part].query_ids:
        part = "train"
    return inspect(
        findings.values | settings,
        part=part,
        query=splits[part].query_ids.index(chosen) + 1,
        measure=findings.shown.measure,
        run=names[0],
        beside=names[1],
    )


def _tiles(
    pair: _pair.Two, orders: list[QueryRanking], title: str, study: _run_set.RunSet
) -> views.Tiles:
    first, second = orders
    heads = list(zip(pair.names, pair.colours, strict=True))
    values = ", ".join(
        f"{name} {order.value:.3f}"
        for name, order in zip(pair.names, orders, strict=True)
    )
    return views.Tiles(
        "compared_rankings",
        title,
        "both rankings, the ideal between; click a document to explain it",
        first,
        ROWS,
        f"{study.shown.measure} of this query: {values}.",
        others=[ideal_order(first), second],
        heads=[heads[0], ("ideal", study.values.palette.secondary), heads[1]],
        on_click=lambda document, order: {
            _setup.DOCUMENT.key: document,
            _setup.LIST.key: int(order == 2),
        },
        ends=False,
    )


def _why(
    study: _run_set.RunSet,
    pair: _pair.Two,
    run: Result,
    dataset: RankingDataset,
    number: int,
    document: str,
) -> list[views.Block]:
    """Return the explanation of a document's rank under the clicked model."""
    values, name = study.values, pair.names[study.values.compared_list]
    try:
        reason = why(run.ranker, run.coef, dataset, number, document)
    except ValueError as error:
        return [views.Caption(str(error))]
    picture = why_figure(reason, values.palette)
    note = f"{name}, seed {run.cell.seed}, {run.chosen_text}: difference of scores"
    return [
        views.Panel("compared_why", reason.question, note, picture),
        views.Caption(f"{reason.sentence} {reason.method}"),
    ]


VIEW = views.View(
    "Each query",
    "Per-query differences and their causes.",
    _setup.settings,
    show,
    work=_setup.work,
    explain=_setup.explain,
)
