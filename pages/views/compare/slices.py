"""Results by slice of queries: list length, relevant documents, a feature."""

from dataclasses import replace

from pages.views.compare import _pair, _run_set, _setup
from rankcore.base.numbers import counted
from rankcore.data.dataset import RankingDataset
from rankcore.studies import Study
from rankcore.topics.compare import slices
from rankcore.topics.compare.differences_figure import DifferenceRow as Difference
from rankcore.topics.compare.differences_figure import differences_figure
from rankcore.views import Ask, Block, Caption, Panel, Shown, Table, Values, View

HEIGHT = 390


def show(values: Values, study: Study | None) -> Shown:
    """Return the difference between two models in each slice."""
    run_set, notices = _run_set.of(values, study)
    if run_set is None:
        return _run_set.shown(None, notices)
    pair, dataset = _pair.of(run_set), run_set.dataset
    if pair is None:
        return _run_set.shown(run_set, [*_pair.none(run_set), *notices])
    if dataset is None:
        sentence = "The data of these runs is missing, so queries cannot be grouped."
        return _run_set.shown(run_set, [Caption(sentence), *notices])
    names = [*slices.default_groups(dataset), *dataset.feature_names]
    by = values.sliced_by if values.sliced_by in names else slices.LENGTH
    groups = slices.slices(dataset.subset(_places(dataset, run_set.shown.ids)), by)
    shown = run_set.shown
    rows = slices.slice_differences(groups, shown.ids, *pair.values, shown.weights)
    ask = Ask([replace(_setup.SLICED, names=names), *pair.rows()])
    few = [Caption(f"{row.name}: {row.undecided}") for row in rows if row.undecided]
    blocks = [*_picture(run_set, pair, rows, by), *few, ask, _table(pair, rows, by)]
    return _run_set.shown(run_set, notices, blocks)


def _places(dataset: RankingDataset, ids: tuple[str, ...]) -> list[int]:
    place = {name: i for i, name in enumerate(dataset.query_ids)}
    return [place[name] for name in ids if name in place]


def _picture(
    study: _run_set.RunSet, pair: _pair.Two, rows: list[slices.SliceDifference], by: str
) -> list[Block]:
    ink = study.values.palette.ink
    parts = [
        Difference(
            f"{row.name} ({counted(row.queries, 'queries')})",
            "",
            (ink, ink),
            row.difference,
            row.adjusted,
        )
        for row in rows
        if row.difference is not None
    ]  # fmt: skip
    if not parts:
        return [Caption("Each slice has only one query: too few for an interval.")]
    first, second = pair.names
    return [
        Panel(
            "compared_slices",
            f"{first} against {second}, by {by}",
            f"mean difference in {study.shown.measure}; 95% interval over "
            f"{study.queries}; filled: significant after Holm over the slices",
            differences_figure(
                parts, study.shown.measure, study.values.palette, HEIGHT
            ),
        )
    ]


def _table(pair: _pair.Two, rows: list[slices.SliceDifference], by: str) -> Table:
    first, second = pair.names
    return Table(
        "compared_slices_table",
        "Slices",
        "slices of roughly equal size",
        [row.row(by, first, second) for row in rows],
        dict.fromkeys([first, second, "difference", "p, Holm"], "%.3g"),
    )


VIEW = View(
    "Slices",
    "For which kinds of queries one model is better.",
    _setup.settings,
    show,
    work=_setup.work,
    explain=_setup.explain,
)
