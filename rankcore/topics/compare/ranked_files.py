"""Rankings of any ranker, and models in files, as contenders of a comparison."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from rankcore.algorithms import Ranker
from rankcore.base.arrays import Floats
from rankcore.base.hyperparameters import Hyperparameter
from rankcore.base.numbers import counted
from rankcore.data.dataset import Query, RankingDataset, set_name
from rankcore.data.rankings import Rankings
from rankcore.data.readers import Splits
from rankcore.data.uploads import VisitorFile
from rankcore.measures import Rules, RunValues, ranks_nothing
from rankcore.studies.earlier import Status
from rankcore.studies.model_file import document_scores
from rankcore.studies.results import AS_USUAL, Cell, Result, SharedTerms
from rankcore.topics.compare.comparison import Comparison, compare, contenders
from rankcore.topics.compare.comparison_plan import pooled
from rankcore.topics.compare.trained import content_of
from rankcore.topics.compare.wins import Wins, wins

SPLITS = {"valid": "validation", "train": "training"}


@dataclass(frozen=True, eq=False, slots=True)
class RankedFile(Result):
    """The result of rankings in a file: measured like a run, but without a model.

    Its ``reason`` states which queries and documents of the data it ranks.

    Attributes
    ----------
    name : str
        Name of the file.
    rankings : Rankings or None
        The rankings; None if only measured.
    """

    name: str = ""
    rankings: Rankings | None = None
    # Texts for how the model was chosen, and why it cannot explain a ranking.
    KIND: ClassVar[str] = "rankings without a model"
    SILENT: ClassVar[str] = (
        "holds rankings without a model, so a document's rank cannot be explained"
    )

    @property
    def ranked_by(self) -> str:
        return self.name

    @property
    def has_model(self) -> bool:
        return False

    @property
    def declared(self) -> Mapping[str, Hyperparameter]:
        return {}

    @property
    def chosen_text(self) -> str:
        return self.KIND

    @property
    def ranker(self) -> Ranker:
        raise ValueError(f"{self.name} {self.SILENT}.")

    def scores(self, documents: RankingDataset | Query) -> Floats:
        """Scores (n,) of documents; documents missing from the file rank last."""
        if self.rankings is None:
            raise ValueError(f"The rankings of {self.name} are not available.")
        return self.rankings.scores_of(documents)

    def measured(self, dataset: RankingDataset, split: str) -> Result:
        """Measure the rankings; queries missing from the file get no value."""
        assert self.rankings is not None
        result = Result.measured(self, dataset, split)
        ranked = np.isin(dataset.query_ids, self.rankings.query_ids)
        queries = {
            name: np.where(ranked, values, np.nan)
            for name, values in result.queries.items()
        }
        reason = match_text(self.name, self.rankings, dataset, split)
        ranks = not ranks_nothing(self.scores(dataset), dataset.offsets)
        status: Status = "finished" if ranked.any() else "failed"
        return replace(
            result, status=status, queries=queries, reason=reason, ranks=ranks
        )


@dataclass(frozen=True, eq=False, slots=True)
class ScoredFile(RankedFile):
    """The result of a model in a file, measured by its scores of documents.

    It has failed, with the reason, if its features differ from those of the data.

    Attributes
    ----------
    names : tuple of str
        Names of the data's features.
    """

    names: tuple[str, ...] = ()
    KIND: ClassVar[str] = "a model from a file"
    SILENT: ClassVar[str] = (
        "is a model from a file: the Inspector explains the rank of a document"
    )

    def scores(self, documents: RankingDataset | Query) -> Floats:
        """Scores (n,) of documents; ValueError if they have other features."""
        if self.model is None:
            raise ValueError(f"The model of {self.name} is not available.")
        if isinstance(documents, Query):
            labels, ids = np.zeros(len(documents), int), [documents.id] * len(documents)
            documents = RankingDataset.from_arrays(
                documents.X, labels, ids, feature_names=self.names, missing="keep"
            )
        return document_scores(self.model, documents)

    def measured(self, dataset: RankingDataset, split: str) -> Result:
        """Measure the model on queries."""
        try:
            result = Result.measured(self, dataset, split)
        except ValueError as error:
            return replace(self, status="failed", reason=str(error), queries={})
        kind, data = SPLITS.get(split, split), set_name(dataset.name) or "the data"
        reason = f"{self.name} scores {counted(dataset.n_queries, f'{kind} queries')}"
        reason += f" of {data}."
        scaling, model = dataset.normalisation, self.model
        trained = None if model is None else model.provenance_.normalisation
        # Coefficients of standardised features are stored for unscaled features.
        if scaling not in (None, "standard", trained):
            reason += f" The data is scaled ({scaling}), and the file does not say "
            reason += "that the model was trained on such data."
        ranks = not ranks_nothing(self.scores(dataset), dataset.offsets)
        return replace(result, reason=reason, ranks=ranks)


def ranked_file(
    key: str,
    name: str,
    rankings: Rankings | Ranker,
    dataset: RankingDataset,
    measures: Iterable[str],
    terms: SharedTerms,
) -> Result:
    """Measure the rankings or the model in a file like trained models.

    Parameters
    ----------
    key, name : str
        Key of the rankings in links, and name of the file.
    rankings : Rankings or Ranker
    dataset : RankingDataset
        The queries that compare the models.
    terms : SharedTerms
        Terms of the models.
    """
    options: dict[str, Any] = {"rankings": rankings}
    kind: type[RankedFile] = RankedFile
    if isinstance(rankings, Ranker):
        kind = ScoredFile
        options = {"model": rankings, "names": dataset.feature_names}
    file = kind(
        Cell((), "", 0),
        nonzeros=np.nan,  # type: ignore[arg-type]  # no features are used
        seconds=np.nan,
        queries=dict.fromkeys(measures, np.empty(0)),
        terms=replace(terms, algorithm=key, course=AS_USUAL, key=""),
        name=name,
        **options,
    )
    return file.measured(dataset, terms.split)


def measured_files(
    files: Iterable[VisitorFile[Any]],
    runs: Sequence[Result],
    splits: Splits,
    measures: Iterable[str],
    rules: Rules,
) -> tuple[Result, ...]:
    """Measure the rankings and models of several files on the queries of the runs or,
    without runs, on validation queries, otherwise on training queries.

    Parameters
    ----------
    files : iterable of VisitorFile
    runs : sequence of Result
        Comparable ones.
    splits : Splits
        Their data.
    rules : Rules
        Evaluation rules; those of the runs take precedence.
    """
    terms = runs[0].terms if runs else _terms(splits, rules)
    ids = {name for run in runs for name in run.terms.ids} or {*terms.ids}
    dataset = pooled(splits)
    places = [n for n, name in enumerate(dataset.query_ids) if name in ids]
    dataset, terms = dataset.subset(places), replace(terms, ids=())
    return tuple(ranked_file(*file, dataset, measures, terms) for file in files)


def _terms(splits: Splits, rules: Rules) -> SharedTerms:
    """Return the terms of runs on some data."""
    train, valid, _ = splits
    split, dataset = ("train", train) if valid is None else ("valid", valid)
    return SharedTerms(
        data=set_name(train.name),
        normalisation=train.normalisation,
        content=content_of(splits),
        rules=rules,
    ).of_queries(dataset, split)


def match_text(
    name: str, rankings: Rankings, dataset: RankingDataset, split: str
) -> str:
    """Return a sentence on the queries and documents of a split that the rankings of a
    file have."""
    places = np.flatnonzero(np.isin(dataset.query_ids, rankings.query_ids))
    kind, data_name = SPLITS.get(split, split), set_name(dataset.name) or "the data"
    if not len(places):
        return (
            f"{name} ranks none of the {kind} queries of {data_name}: its first query "
            f"is {rankings.query_ids[0]!r}, that of the data {dataset.query_ids[0]!r}."
        )
    data = dataset.subset(places)
    ranked = rankings.of_queries(data.query_ids)
    matched = int(np.count_nonzero(ranked.rows_of(data.doc_ids, data.offsets) >= 0))
    absent, further = data.n_documents - matched, len(ranked.scores) - matched
    some = f"{len(places):,} of {dataset.n_queries:,} {kind} queries of {data_name}"
    if len(places) == dataset.n_queries:
        some = some.replace(f"{len(places):,} of", "all", 1)
    if dataset.n_queries == 1:
        some = f"the only {kind} query of {data_name}"
    documents = counted(data.n_documents, "documents")
    if absent:
        documents = f"{matched:,} of their {documents}"
    sentence = f"{name} ranks {some} and {documents}"
    if absent:
        rest = "one ranks" if absent == 1 else f"{absent:,} rank"
        sentence += f"; the other {rest} last"
    if further:
        sentence += f"; {counted(further, 'documents')} of its own "
        sentence += "is not in the data" if further == 1 else "are not in the data"
    return f"{sentence}."


def compare_files(runs: Mapping[str, RunValues], measure: str) -> Comparison:
    """Compare measured runs, by name, on their common queries, as `compare` does."""
    files = [
        RankedFile(
            Cell((), "", 0),
            queries=run.values,
            ranks=run.ranks,
            terms=SharedTerms(
                algorithm=name,
                ids=run.query_ids,
                weights=run.unequal_weights,
                weighted_by=run.weighted_by,
            ),
            name=name,
        )
        for name, run in runs.items()
    ]
    return compare(contenders(files), measure)


def wins_of(comparison: Comparison, first: int, second: int) -> Wins:
    """Return the wins, ties and losses of one contender against another."""
    values = comparison.values
    of_both = values[first], values[second]
    return wins(comparison.ids, *of_both, weights=comparison.weights)
