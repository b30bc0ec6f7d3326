"""The comparison of trained models and stored runs on the chosen queries."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from pages.ui import shared
from pages.ui.away import origins
from pages.ui.data import datasets
from pages.views.compare import _setup, _stored
from rankcore import views
from rankcore.base.errors import DataError
from rankcore.base.numbers import counted
from rankcore.data.dataset import RankingDataset
from rankcore.data.readers import Splits
from rankcore.data.trec import archive, qrels_text, trec_run
from rankcore.plot.palette import Palette
from rankcore.reports.comparison import comparison_table
from rankcore.studies import Study
from rankcore.studies.results import Result, SharedTerms
from rankcore.topics.compare.comparable import LeftOut, comparable
from rankcore.topics.compare.comparison import (
    Comparison,
    Contender,
    best_of_each,
    compare,
    contenders,
)
from rankcore.topics.compare.comparison_plan import pooled
from rankcore.topics.compare.differences_figure import stamped_figure
from rankcore.topics.compare.ranked_files import measured_files
from rankcore.topics.compare.trained import content_of
from rankcore.views.blocks import columns
from rankcore.views.settings import Values

NUMBERED = {1: "once", 2: "twice"}
TREC = "rankings-trec.zip"
# A word of a model's name; it may contain the point of a number.
WORD = r"[\w.]+"
NOT_HERE = "The data of these runs is missing, so Export has no TREC files."


@dataclass(frozen=True)
class RunSet:
    """Runs on one data set, compared.

    Attributes
    ----------
    runs : tuple of Result
        All runs, including those on other data sets.
    shown : Comparison
        The models shown, by the measure.
    validated : Comparison
        The same models, on the queries that selected them.
    measures : tuple of str
        Measures that all compared runs have, the comparing one first.
    splits : Splits or None
        The data, if it can be read.
    models : int
        Number of comparable models, including those not shown.
    left_out : tuple of LeftOut
        Excluded runs.
    """

    values: Values
    runs: tuple[Result, ...]
    shown: Comparison
    validated: Comparison
    measures: tuple[str, ...]
    splits: Splits | None
    models: int
    left_out: tuple[LeftOut, ...]

    @property
    def terms(self) -> SharedTerms:
        """The terms that the runs share: data, queries and rules."""
        return self.shown.contenders[0].first.terms

    @property
    def tested(self) -> bool:
        """Whether the models are compared on test queries."""
        return self.terms.split == "test"

    @property
    def split(self) -> str:
        return shared.SPLITS[self.terms.split].lower()

    @property
    def queries(self) -> str:
        """The number of queries, their split, and the words for their weights."""
        counted = f"{len(self.shown.ids)} {self.split} queries"
        return ", ".join(filter(None, (counted, self.shown.weighting)))

    @property
    def dataset(self) -> RankingDataset | None:
        """The data with the queries that are compared."""
        if self.splits is None:
            return None
        if self.tested:
            return self.splits.test
        return _pooled(self.splits)

    @property
    def names(self) -> dict[str, str]:
        """The names of the models in links, and on the page."""
        every = self.values.compared_as == _setup.EVERY
        models = self.shown.contenders
        return {(one.name if every else one.algorithm): one.name for one in models}

    def place(self, key: str, default: int) -> int:
        """Return the place of a model by its name in links."""
        return self.shown.place(self.names.get(key, ""), default)

    @property
    def looks(self) -> int:
        """Number of times that the test queries were viewed."""
        return _setup.looks(self.values, self.terms.data)

    @property
    def mark(self) -> str:
        """Note on views of the test queries for exports; empty before the first."""
        looks = self.looks
        often = NUMBERED.get(looks, f"{looks} times")
        return f"test queries looked at {often}" if looks else ""

    @property
    def remarks(self) -> list[str]:
        """The `mark` as a sentence; empty before the first view."""
        return [f"Before this was written: {self.mark}."] if self.mark else []


def of(values: Values, study: Study | None) -> tuple[RunSet | None, list[views.Block]]:
    """Return the comparison, if there is a run, and notices about excluded runs."""
    stored, notices = _stored.read(values)
    notices += origins.elsewhere(values)
    ended = [] if study is None else list(study.found)
    notices += _failed(ended)
    runs = (*stored, *(one for one in ended if not one.failed))
    files, gone = _stored.ranked(values)
    notices += gone
    if not runs and not files:
        return None, notices
    compared, measure, left_out = comparable(runs, values.measure)
    measures, splits = _setup.measures(values), datasets.readable(values)
    if runs:
        common = set.intersection(*(set(run.queries) for run in compared)) - {measure}
        measures = (measure, *(n for n in compared[0].queries if n in common))
        splits = _splits(values, study, compared)
    if files and splits is not None:
        ranked = _measured(files, compared, splits, measures, shared.rules(values))
        notices += _failed(ranked)
        compared += tuple(one for one in ranked if not one.failed)
    elif files:
        notices.append(views.Notice("The data to measure the rankings on is missing."))
    if not compared:
        return None, notices
    data = compared[0].terms.data
    tests = values.compared_on == "test" and _setup.looks(values, data) > 0
    test = splits.test if tests and splits is not None else None
    terms = compared, values.compared_as, measure, values.baseline
    shown, validated = _shown(*terms, test), _shown(*terms, None)
    count = len(contenders(compared))
    contents = values, runs, shown, validated, measures, splits, count, left_out
    return RunSet(*contents), notices


def _failed(ended: Sequence[Result]) -> list[views.Block]:
    sentences = [f"{one.title}: {one.reason}" for one in ended if one.failed]
    return views.errors(*sentences[:3])


_measured = lru_cache(maxsize=8)(measured_files)


@lru_cache(maxsize=32)
def _shown(
    runs: tuple[Result, ...],
    chosen: str,
    measure: str,
    baseline: str,
    test: RankingDataset | None,
) -> Comparison:
    every = contenders(runs)
    models = best_of_each(every, measure) if chosen == _setup.BEST else every
    names = {one.algorithm: one.name for one in reversed(models)}
    if test is not None:
        models = tuple(_on(one, test) for one in models)
    return compare(models, measure, names.get(baseline, baseline) or None)


def _on(one: Contender, test: RankingDataset) -> Contender:
    return replace(one, runs=tuple(run.measured(test, "test") for run in one.runs))


@lru_cache(maxsize=16)
def others(shown: Comparison, measures: tuple[str, ...], baseline: str) -> Any:
    """Return the same models compared by other measures."""
    return [compare(shown.contenders, name, baseline or None) for name in measures]


def by_every_measure(study: RunSet) -> list[Comparison]:
    """Return a comparison for each measure, the chosen one first."""
    baseline = study.names.get(study.values.baseline, "")
    return [study.shown, *others(study.shown, study.measures[1:], baseline)]


def _splits(
    values: Values, study: Study | None, models: Sequence[Result]
) -> Splits | None:
    """Return the data of the runs, if it can be read."""
    contents = {run.terms.content for run in models}
    scaling = models[0].terms.normalisation or datasets.AS_GIVEN
    places: list[tuple[Any, ...]] = [(values.data, scaling), *_stored.places(models)]
    if study is not None and any(run in study.found for run in models):
        # Folds made by this page exist nowhere else.
        place = study.subject.data, scaling
        if any(run.terms.division for run in models):
            return _loaded(*place)
        places.insert(0, place)
    for place in dict.fromkeys(places):
        splits = _loaded(*place)
        if splits is not None and content_of(splits) in contents:
            # One fold's test queries are training queries of another.
            return splits if len(contents) == 1 else splits._replace(test=None)
    return None


def _loaded(*place: Any) -> Splits | None:
    try:
        return datasets.load(*place)
    except DataError:
        return None


@lru_cache(maxsize=2)
def _pooled(splits: Splits) -> RankingDataset:
    return pooled(splits)


def facts(study: RunSet) -> list[views.Fact]:
    """Return the best model and the basis of the comparison."""
    shown, best = study.shown, study.shown.contenders[0]
    low, high = shown.intervals[0]
    others = zip(shown.contenders[1:], shown.means[1:], strict=True)
    equal = sum(one.ranks and mean == shown.means[0] for one, mean in others)
    name = f"{best.name}, {best.chosen_text}"
    name += f"; {equal} equal to it" if equal else ""
    tests = len(shown.pairs)
    runs = sum(len(one.runs) for one in shown.contenders)
    from_where = [study.split, study.terms.data]
    convention = study.terms.rules.convention
    from_where += [convention] * (convention != "standard")
    from_where += ["test looked at"] * (study.looks > 0)
    from_where += [shown.weighting] if shown.weighting else []
    return [
        views.Fact(f"Highest {shown.measure}", f"{shown.means[0]:.3f}", name),
        views.Fact("95% interval", f"{low:.3f} to {high:.3f}", "over queries"),
        views.Fact("Queries", str(len(shown.ids)), ", ".join(from_where)),
        views.Fact(
            "Models", str(len(shown.contenders)), f"{counted(runs, 'runs')} shown"
        ),
        views.Fact("Tests", str(tests), "corrected by Holm" if tests > 1 else ""),
    ]


def models(shown: Iterable[tuple[str, Result]]) -> views.Caption:
    """Name models that are shown, with the iteration of each."""
    names = [f"{name}, {run.chosen_text}" for name, run in shown]
    return views.Caption(f"Models shown: {'; '.join(names)}.")


def looks(study: RunSet) -> list[views.Block]:
    """Return the controls that show and hide the test results."""
    values = study.values
    if study.tested:
        back = {_setup.TESTED.key: "valid"}
        sentence = f"Results on {study.mark}; exports say so."
        return [
            views.Notice(sentence, "visibility", warns=True),
            views.Act("Back to validation queries", "no_test", back),
        ]
    if study.splits is None or study.splits.test is None:
        return []
    return [
        views.Act(
            "Look at the test queries",
            "look_at_test",
            {
                _setup.TESTED.key: "test",
                _setup.LOOKS.key: _setup.with_look(values, study.terms.data),
            },
            "View them once, at the end: selection on test queries inflates results. "
            "The link counts the views, and every export is marked.",
            icon="visibility",
        )
    ]


def shown(
    study: RunSet | None,
    notices: Sequence[views.Block],
    blocks: Sequence[views.Block] = (),
) -> views.Shown:
    """Return facts, blocks and exports; every export states views of test queries."""
    if study is None:
        return views.Shown((), notices)
    mark, values = study.mark, study.values
    every = [*_stored.notes(study.left_out, study.shown, values), *blocks, *notices]
    every += [
        views.Caption(one.first.reason)
        for one in study.shown.contenders
        if not one.has_model
    ]
    every += [views.Caption(study.shown.caution)] if study.shown.caution else []
    trec = _trec(study)
    every += [] if trec else [views.Caption(NOT_HERE)]
    table = partial(_report, study)
    return views.Shown(
        facts(study),
        [_marked(one, mark, values.palette) for one in every] if mark else every,
        files={
            "comparison.tex": lambda: table().latex(),
            "comparison.md": lambda: table().markdown(),
            **trec,
        },
    )


def _trec(study: RunSet) -> dict[str, Callable[[], bytes]]:
    """Return the rankings of each model and the labels of the compared queries for
    trec_eval; empty if the data is not available."""
    dataset, results = study.dataset, study.shown
    if dataset is None or not {*results.ids} <= {*dataset.query_ids}:
        return {}

    def files() -> bytes:
        compared = {*results.ids}
        places = [n for n, name in enumerate(dataset.query_ids) if name in compared]
        data = dataset.subset(places)
        runs = {
            f"rankings-{place}-{'-'.join(re.findall(WORD, one.name))}.trec": trec_run(
                data, one.scores(data), " ".join(filter(None, (one.name, study.mark)))
            )
            for place, one in enumerate(results.contenders, 1)
        }
        return archive(runs | {"labels.qrels": qrels_text(data)})

    return {TREC: files}


def _report(study: RunSet) -> Any:
    return comparison_table(
        by_every_measure(study), f"{study.terms.data} ({study.split})", study.remarks
    )


def _marked(block: views.Block, mark: str, palette: Palette) -> views.Block:
    """Return the block with the mark in its figure and table."""
    if isinstance(block, views.Row):
        marked = [[_marked(one, mark, palette) for one in c] for c in block.columns]
        return block._replace(columns=marked)
    if isinstance(block, views.Table):
        return block._replace(rows=_with_mark(block.rows, mark))
    if isinstance(block, views.Tiles):
        # The title is also the file name.
        return block._replace(title=f"{block.title} (test queries looked at)")
    if isinstance(block, views.Panel):
        table = partial(_with_mark, block.picture.table, mark)
        picture = stamped_figure(block.picture, mark, palette)._replace(table=table)
        return block._replace(picture=picture)
    return block


def _with_mark(table: Any, mark: str) -> dict[str, Any]:
    by_name = columns(table() if callable(table) else table)
    rows = max(map(len, by_name.values()), default=0)
    return {**by_name, "remark": [mark] * rows}
