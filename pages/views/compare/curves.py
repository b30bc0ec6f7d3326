"""Curves with bands, the settings that differ, and paired differences."""

from dataclasses import replace

from pages.views.compare import _run_set, _setup
from rankcore import views
from rankcore.algorithms import get_algorithm
from rankcore.base.numbers import counted
from rankcore.studies import Study
from rankcore.topics.compare.comparison import (
    measure_rows,
    ranks_over_data_sets,
    setting_rows,
)
from rankcore.topics.compare.curves_figure import curves_figure
from rankcore.topics.compare.differences_figure import (
    MOST_PAIRS,
    differences_figure,
    pair_rows,
)
from rankcore.topics.compare.ranks_figure import ranks_figure
from rankcore.topics.compare.splits_figure import splits_figure

EQUAL = 7


def show(values: views.Values, study: Study | None) -> views.Shown:
    """Return curves and differences, and below them settings and measures."""
    run_set, notices = _run_set.of(values, study)
    if run_set is None:
        return _run_set.shown(None, notices)
    tests = [*_differences(run_set), *_ranks(run_set), *_run_set.looks(run_set)]
    settings: list[views.Block] = []
    # Ranking files have neither curves nor settings.
    if any(one.has_model for one in run_set.shown.contenders):
        asks = [views.Ask([_setup.SHOWN, _setup.SPREAD]), views.Ask([_setup.OVER])]
        tests = [views.Row([[_curves(run_set), *asks], tests], widths=(13, 8))]
        settings = [_settings(run_set)]
    sentence = views.Words(run_set.shown.sentences[0])
    blocks = [sentence, *tests, *_splits(run_set), _measured(run_set), *settings]
    return _run_set.shown(run_set, notices, blocks)


def _curves(study: _run_set.RunSet) -> views.Panel:
    values, shown = study.values, study.shown
    each = values.compared_spread == "seeds"
    # Test queries have no curves.
    means = {} if study.tested else dict(zip(shown.names, shown.means, strict=True))
    picture = curves_figure(
        shown.contenders,
        shown.measure,
        values.compared_over,
        each,
        values.palette,
        {name: float(value) for name, value in means.items()},
    )
    spread = "thin: each run" if each else "band: smallest to largest"
    note = f"validation; line: mean of the runs; {spread}; ring: mean of their best"
    return views.Panel("compared_curves", shown.measure, note, picture)


def _splits(study: _run_set.RunSet) -> list[views.Panel]:
    """Return each model on validation and test queries, once tests are viewed."""
    if not study.tested:
        return []
    count, tests = len(study.validated.ids), len(study.shown.ids)
    picture = splits_figure(study.validated, study.shown, study.values.palette)
    note = f"chosen on {count} queries, tested on {tests} others"
    return [views.Panel("compared_splits", "Validation and test", note, picture)]


def _differences(study: _run_set.RunSet) -> list[views.Block]:
    shown = study.shown
    names = {"": "All pairs"} | {
        key: f"Against {name}" for key, name in study.names.items()
    }
    if not shown.pairs:
        return []
    rows = pair_rows(shown, study.values.palette)
    count = len(rows)
    more = f"; {MOST_PAIRS} of {count} drawn" if count > MOST_PAIRS else ""
    panel = views.Panel(
        "compared_pairs",
        f"Paired differences in {shown.measure}",
        f"95% interval over {study.queries}; filled: significant after Holm{more}",
        differences_figure(rows, shown.measure, study.values.palette),
    )
    more_evidence = views.Words("\n\n".join(shown.sentences[1:]))
    return [panel, views.Ask([replace(_setup.BASELINE, names=names)]), more_evidence]


def _ranks(study: _run_set.RunSet) -> list[views.Block]:
    """Return the mean ranks if there are enough data sets."""
    data, algorithms, ranks = ranks_over_data_sets(study.runs, study.shown.measure)
    if not data:
        return []
    if isinstance(ranks, str):
        return [views.Caption(ranks)]
    titles = [get_algorithm(name).title for name in algorithms]
    return [
        views.Panel(
            "compared_ranks",
            f"Mean rank on {len(data)} data sets",
            f"bars: not distinguishable (Nemenyi, 5%); F test p = {ranks.p_value:.2g}",
            ranks_figure(ranks, titles, algorithms, study.values.palette),
        )
    ]


def _measured(study: _run_set.RunSet) -> views.Table:
    """Return each model's measures with intervals; ties with the best are marked."""
    over = ", ".join(
        filter(None, (counted(len(study.shown.ids), "queries"), study.shown.weighting))
    )
    return views.Table(
        "compared_measures",
        "Measures side by side",
        f"95% interval over {over}; tied: not distinguishable from the best after Holm",
        measure_rows(_run_set.by_every_measure(study)),
    )


def _settings(study: _run_set.RunSet) -> views.Table:
    rows, equal = setting_rows(study.shown.contenders)
    titles = ", ".join(equal[:EQUAL]).lower()
    rest = " …" if len(equal) > EQUAL else ""
    more = f"identical: {titles}{rest}" if equal else "means of the runs"
    formats = dict.fromkeys(("features kept", "seconds"), "%.3g")
    return views.Table("compared_settings", "Settings that differ", more, rows, formats)


FIRST_SIGHT = {
    _setup.SHOWN.key: _setup.BEST,
    _setup.SPREAD.key: "band",
    _setup.BASELINE.key: "",
}
VIEW = views.View(
    "Curves and differences",
    "The measure during training, and whether differences exceed noise.",
    _setup.settings,
    show,
    work=_setup.work,
    presets={
        "Best settings": FIRST_SIGHT,
        "All seeds": FIRST_SIGHT | {_setup.SPREAD.key: "seeds"},
        "Against one baseline": FIRST_SIGHT | {_setup.BASELINE.key: "RankSVM"},
    },
    explain=_setup.explain,
)
