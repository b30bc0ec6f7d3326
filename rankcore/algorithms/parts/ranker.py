"""Bases of all algorithms: scikit-learn estimators that yield their steps.

A subclass adds its hyperparameters and one generator, `Ranker.steps`. Stopping, timing,
measuring and keeping the best iterate are the job of `rankcore.training.drive`.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from rankcore.algorithms.parts.fitting import (
    Callback,
    fitted_data,
    model_features,
    train_telling,
    validation_data,
)
from rankcore.algorithms.parts.forces import Forces
from rankcore.algorithms.parts.scales import feature_ranges, feature_spreads
from rankcore.algorithms.parts.scoring import linear_scores
from rankcore.base.arrays import FILL_IN, missing_text, read_only
from rankcore.base.errors import DataError
from rankcore.base.hyperparameters import check_all, integer, logarithmic
from rankcore.base.numbers import counted, three_digits
from rankcore.base.spellings import american_names
from rankcore.data.dataset import Normalisation, RankingDataset, large_label
from rankcore.training.estimators import (
    ABSENT,
    Queries,
    QueryScorer,
    documents,
)
from rankcore.training.selection import BEST, By, chosen_text, select
from rankcore.training.steps import Start, Steps

if TYPE_CHECKING:
    from rankcore.compute.executors import Executor
    from rankcore.measures import Rules
    from rankcore.training import Record
    from rankcore.training.changes import Change

    class BaseEstimator:
        """A typed stand-in for scikit-learn's class: with an untyped base, any argument
        and attribute would pass a type checker."""

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def __getstate__(self) -> dict[str, Any]: ...
        def __setstate__(self, state: dict[str, Any]) -> None: ...

else:
    from sklearn.base import BaseEstimator


class FeatureUnits(NamedTuple):
    """A quantity of an algorithm that depends on the units of the features.

    Attributes
    ----------
    quantity : str
        Such as ``"the l1 penalty"``.
    remedy : str
        A setting that removes the dependence, in the imperative, or empty.
    """

    quantity: str
    remedy: str = ""


class Derived(NamedTuple):
    """Values of a hyperparameter that depend on the training data.

    Attributes
    ----------
    automatic : float or None
        The value that ``"auto"`` stands for; where that differs from coefficient to
        coefficient, the largest. None if the hyperparameter has no ``"auto"``.
    stable : float or None
        The largest value for which training is stable; None if unknown.
    least : float or None
        The smallest of the values that ``"auto"`` stands for, if they can differ.
    """

    automatic: float | None = None
    stable: float | None = None
    least: float | None = None

    @property
    def placed(self) -> float | None:
        """The position of ``"auto"`` in a control: a stable value."""
        if self.automatic is None or self.stable is None:
            return self.automatic
        return min(self.automatic, self.stable)

    @property
    def text(self) -> str:
        """Both values in words, with at most three digits."""
        automatic, stable, least = (
            "" if value is None else three_digits(value) for value in self
        )
        if least not in ("", automatic):
            return (
                f"auto = {least} to {automatic}, by each feature’s range; one value "
                f"for all is unstable above {stable}"
            )
        pairs = (("auto =", automatic), ("unstable above", stable))
        return ", ".join(f"{words} {value}" for words, value in pairs if value)


class QueryWeights(NamedTuple):
    """How an algorithm uses query weights.

    Attributes
    ----------
    taken : bool
        Whether it accepts data whose queries have weights.
    text : str
        The effect of the weights, or why it accepts none, as a sentence.
    """

    taken: bool
    text: str


NO_QUERY_WEIGHTS = QueryWeights(False, "Its training does not support query weights.")
MEAN_OVER_QUERIES = QueryWeights(
    True, "The mean over queries is Σ w_q L_q / Σ w_q, over the queries that count."
)
MEAN_OVER_PAIRS = QueryWeights(
    True, "The mean over pairs is weighted by the weights of their queries."
)

# The reason for integer labels.
BINARY_LOSS = "Its loss only tells relevant documents from irrelevant ones."

# Measured on planted data: with two features of a tenth of the others' range nDCG@10
# falls by .04 to .38, with halves by .00 to .18. Features scaled to variance 1 within
# each query, those of OHSUMED and MQ2008, differ twofold.
_MIXED_SCALES = 10.0
# Limits on the weights of a query and a document: sums of products with them must not
# overflow in losses and their derivatives.
_LARGEST_WEIGHT, _LARGEST_DOCUMENT_WEIGHT = 1e100, 1e250


def _unconverged(algorithm: "Ranker") -> str:
    iterations = counted(algorithm.max_iter, "iterations")
    more = ", or choose the iteration by an eval_set" if algorithm.anytime else ""
    return (
        f"{algorithm.title} has not converged in {iterations}, so the model of the "
        f"best objective is kept. Raise max_iter{more}."
    )


NOTHING_TO_LEARN = (
    "No query has two different labels, so there is nothing to learn; the starting "
    "model is kept."
)


@american_names
@dataclass(frozen=True)
class Provenance:
    """The origin of a fitted model.

    Attributes
    ----------
    feature_names : tuple of d str
    normalisation : {"minmax", "zscore", "standard"} or None
        The scaling of the training features within each query; documents must be scaled
        in the same way before they are scored. With ``standard`` they are scored
        unscaled.
    data_name, data_fingerprint : str
        The training data and its content hash.
    iteration : int
        The iteration whose model this is.
    measures : dict of str to float
        Its measures at that iteration, such as ``"valid nDCG@10"``.
    rules : Rules
        The rules by which these measures were computed.
    changes : tuple of Change
        Hyperparameters that changed before that iteration.
    chosen_by : {"validation", "objective", "last", "hand", ""}
        How that iteration was chosen, see `rankcore.training.selection`; empty if
        unknown.
    """

    feature_names: tuple[str, ...]
    normalisation: Normalisation | None
    data_name: str
    data_fingerprint: str
    iteration: int
    measures: Mapping[str, float]
    rules: "Rules"
    changes: "tuple[Change, ...]" = ()
    chosen_by: By = ""

    @classmethod
    def of(cls, data: RankingDataset, model: Any, **details: Any) -> Self:
        """Return the origin of a `Record` or a `Result` of training on ``data``;
        details are the other attributes."""
        splits = {"train": model.train, "valid": model.valid}
        return cls(
            feature_names=data.feature_names,
            normalisation=data.normalisation,
            data_name=data.name,
            data_fingerprint=data.fingerprint,
            iteration=model.iteration,
            measures={
                f"{split} {name}": value
                for split, values in splits.items()
                for name, value in values.items()
            },
            **details,
        )

    @property
    def text(self) -> str:
        """The iteration and how it was chosen, or that it was imported."""
        if self.is_imported:
            return "trained by another program"
        return chosen_text(self.iteration, self.chosen_by)

    @property
    def is_imported(self) -> bool:
        """Whether another program trained the model, in which case the iteration is
        only the number of trees."""
        return not self.data_fingerprint

    def file_stem(self, stem: str) -> str:
        """Return the name of the model's file, with the iteration if there is one."""
        return stem if self.is_imported else f"{stem}-{self.iteration}"


@dataclass(eq=False, repr=False, kw_only=True)
class Ranker(QueryScorer, BaseEstimator, ABC):
    """Base of all algorithms.

    Attributes
    ----------
    title, family, summary, equation, paper : str
        Texts: its name; ``"pairwise"``, ``"listwise"``, ``"direct"`` …; one sentence;
        the objective in LaTeX; the source.
    maximises : bool
        Whether a larger objective is better.
    other_gain : str
        The alternative to the exponential gain, if the algorithm has one.
    presets : dict
        Instructive settings: title → hyperparameters.
    sparsity : str or None
        The hyperparameter that trades off sparsity and fit, if there is one.
    comparisons : dict
        Settings whose paths over that hyperparameter one chart compares: title →
        hyperparameters.
    tuning_params : tuple of str
        The hyperparameters that a comparison tunes on validation data, over their
        declared sweep values.
    anytime : bool
        Whether the model of any iteration may be kept for its validation measure. If
        not, because iterates before convergence are not valid models, the model of the
        best objective is kept.
    converges : bool
        Whether training ends by itself near an optimum, so that `fit` warns where
        ``max_iter`` ends it earlier and no validation data choose the iteration.
    resumes : bool
        Whether changing a hyperparameter during a run restarts `steps` from the current
        coefficients. If not, each iteration reads the changeable ones.
    iteration_cost : int
        Approximate time of an iteration relative to a gradient step, by which
        `rankcore.training.train_briefly` reduces the number of iterations.
    names_needed_only : bool
        Whether a fitted model names only the features that it uses instead of all
        features of its data.
    warm_starts : bool
        Whether training may start from the coefficients of another linear model.
    trains : bool
        Whether it trains models; only imported models do not.
    takes_missing : bool
        Whether it can train on data with missing values.
    query_weights : QueryWeights
        How it uses query weights; by default it rejects them.
    whole_labels : str
        Why labels must be integers, as a sentence; empty where its loss is defined by
        gains or by differences and orders of labels, which permits fractions.
        `BINARY_LOSS` applies only if the gain is not exponential.
    signs_refusal : str
        Why it does not support signs of features, as a sentence, if it does not.
    requires : tuple of str
        Packages beyond RankScope's own requirements; the algorithm is offered only if
        they are installed.
    weights_title, nonzeros_title : str
        Names of the `feature_weights` and of the number of those that are not zero.
    """

    title: ClassVar[str]
    family: ClassVar[str]
    summary: ClassVar[str]
    equation: ClassVar[str]
    paper: ClassVar[str]
    maximises: ClassVar[bool] = False
    other_gain: ClassVar[str] = ""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    sparsity: ClassVar[str | None] = None
    comparisons: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    tuning_params: ClassVar[tuple[str, ...]] = ()
    requires: ClassVar[tuple[str, ...]] = ()
    anytime: ClassVar[bool] = True
    converges: ClassVar[bool] = False
    resumes: ClassVar[bool] = False
    warm_starts: ClassVar[bool] = False
    iteration_cost: ClassVar[int] = 1
    trains: ClassVar[bool] = True
    names_needed_only: ClassVar[bool] = False
    query_weights: ClassVar[QueryWeights] = NO_QUERY_WEIGHTS
    whole_labels: ClassVar[str] = "Its loss needs integer labels."
    signs_refusal: ClassVar[str] = "Its training has no bounds on coefficients."
    weights_title: ClassVar[str]
    nonzeros_title: ClassVar[str]

    max_iter: int = logarithmic(
        500,
        (1, 5000),
        label="Maximum iterations",
        meaning="Iterations after which training ends.",
    )
    random_state: int | None = integer(
        0,
        low=0,
        high=9999,
        maximum=2**32 - 1,
        optional=True,
        label="Seed",
        meaning="Seed of all random numbers; the same seed gives the same model.",
    )

    @abstractmethod
    def steps(
        self, dataset: RankingDataset, rng: np.random.Generator, start: Start = None
    ) -> Steps:
        """Yield the starting point, then the state after each iteration.

        Parameters
        ----------
        rng : numpy.random.Generator
            The only source of randomness.
        start : (d,) float64, optional
            Coefficients to start from, for example another model's.

        Yields
        ------
        Step
            Possibly without end; the driver decides when to stop.

        Returns
        -------
        str or None
            Why it ended, as a sentence for users; None if it converged.
        """

    def training_steps(
        self, dataset: RankingDataset, rng: np.random.Generator, start: Start = None
    ) -> Steps:
        """Return `steps` with the rules common to all algorithms, for
        `rankcore.training.drive`."""
        return self.steps(dataset, rng, start)

    @abstractmethod
    def scores(self, X: np.ndarray, coef: np.ndarray) -> np.ndarray:
        """Scores (n,) of documents ``X`` (n, d) under ``coef``; higher is better."""

    def scorer(self, X: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """Return a function from a step's coefficients to the scores of ``X``, as
        `scores`.

        The function scores the same documents at every step, so an algorithm whose
        models grow can cache partial sums.
        """
        return lambda coef: self.scores(X, coef)

    @property
    def scores_missing(self) -> bool:
        """Whether the fitted model scores documents with missing values."""
        return False

    @abstractmethod
    def feature_weights(self, coef: np.ndarray, n_features: int) -> np.ndarray:
        """(d,) importance of each feature in a model; 0 for a feature it ignores."""

    def importances(self, weights: np.ndarray, train: RankingDataset) -> np.ndarray:
        """Return the importance of each feature in models trained on a data set.

        Parameters
        ----------
        weights : (…, d) float64
            `feature_weights` of one or several models.

        Returns
        -------
        (…, d) float64
            The weights themselves, unless the model is linear.
        """
        return weights

    def forces(self, dataset: RankingDataset, scores: np.ndarray) -> Forces | None:
        """Return the objective's derivatives by the scores (n,) of a few documents, or
        None.

        The default is None: the objective is not an almost everywhere differentiable
        function of scores. Algorithms with such an objective override this.
        """
        return None

    @property
    def splits(self) -> bool:
        """Whether an iteration consists of sums over blocks of the data, which an
        executor can distribute to its workers; if not, it runs in one thread."""
        return False

    @property
    def exponential_gain(self) -> bool:
        """Whether labels count as 2^label - 1, which limits how large they may be."""
        return False

    def unsupported_reason(self, dataset: RankingDataset) -> str | None:
        """Why this algorithm cannot train on ``dataset``, as a sentence, or None."""
        if dataset.has_missing and not self.takes_missing:
            return f"{dataset.missing_text}, and {self.title} takes none. {FILL_IN}."
        if dataset.is_weighted and (refusal := self.weights_refusal):
            return (
                f"The queries have weights, and {self.title} takes none. {refusal} "
                "Leave the weights out, or choose an algorithm that takes them, such "
                "as ListNet."
            )
        if dataset.has_document_weights and (refusal := self.document_weights_refusal):
            return (
                f"The documents have weights, and {self.title} takes none. {refusal} "
                "Leave the weights out, or choose an algorithm that takes them, such "
                "as ListNet."
            )
        if problem := _extreme_weights(dataset):
            return problem
        if dataset.has_fractions and (refusal := self.fractions_refusal):
            return (
                f"Some labels are fractions, and {self.title} needs whole ones. "
                f"{refusal} Round the labels, or choose an algorithm that accepts "
                "fractions, such as ListNet."
            )
        problem = large_label(dataset.y) if self.exponential_gain else None
        if problem is None:
            return None
        other = f", or {self.other_gain}" if self.other_gain else ""
        return f"{problem} of {self.title}. Use fewer grades, such as 0 to 4{other}."

    @property
    def fractions_refusal(self) -> str | None:
        """Why it does not accept fractional labels with these settings, or None if it
        does."""
        graded = self.whole_labels == BINARY_LOSS and self.exponential_gain
        return None if graded else self.whole_labels or None

    @property
    def weights_refusal(self) -> str | None:
        """Why it does not accept query weights with these settings, or None if it
        does."""
        return None if self.query_weights.taken else self.query_weights.text

    @property
    def gain_divisor(self) -> Literal["ideal", "sum"]:
        """The quantity that normalises the gains of a query where documents have
        weights: the discounted gain of the best order, or the sum of the gains."""
        return "ideal"

    @property
    def document_weights_refusal(self) -> str | None:
        """Why it does not accept document weights with these settings, or None if it
        does; see `RankingDataset.with_document_weights`."""
        if self.exponential_gain:
            return "It computes gains from labels alone."
        return "Its loss contains no gains of documents that weights could multiply."

    @property
    def feature_units(self) -> FeatureUnits | None:
        """The quantity that depends on the units of features, or None if none does."""
        return None

    def caution(self, dataset: RankingDataset) -> str | None:
        """Return a warning about an avoidable loss of quality on ``dataset``, ending
        with the remedy, or None.

        It concerns features of different scales, if the algorithm has `feature_units`.
        """
        units = self.feature_units
        if units is None:
            return None
        ranges = feature_ranges(dataset.standardised)
        ranges = ranges[ranges > 0.0]
        widest, narrowest = ranges.max(initial=0.0), ranges.min(initial=np.inf)
        if widest < _MIXED_SCALES * narrowest:
            return None
        other = f", or {units.remedy}" if units.remedy else ""
        return (
            f"{self.title}: {units.quantity} is in the units of the features, and the "
            "widest range of one within a query is "
            f"{widest / narrowest:.2g} times that of another, so features of small "
            "range hardly count. Standardise the features, or scale them within each "
            f"query{other}."
        )

    def derived_values(self, dataset: RankingDataset) -> Mapping[str, Derived]:
        """Hyperparameters by name whose values depend on ``dataset`` and are known
        before training.

        Hyperparameters that may change during training do not affect them.
        """
        return {}

    def problem(self, record: "Record") -> str | None:
        """Why training makes no progress after a record, with a remedy; None if no
        problem is known."""
        return None

    def remedy(self, record: "Record", dataset: RankingDataset) -> Mapping[str, Any]:
        """Values of hyperparameters, by name, that solve the `problem` after a record
        of a run on ``dataset``; empty if there is none."""
        return {}

    def ending_note(self, best: "Record") -> str | None:
        """Return a note to append to the reason why a run ended with this record as its
        best; None for no note."""
        return None

    def fit(
        self,
        X: "np.ndarray | RankingDataset",
        y: np.ndarray | None = None,
        qid: Queries = ABSENT,
        coef_init: np.ndarray | None = None,
        *,
        sample_weight: np.ndarray | None = None,
        group: np.ndarray | None = None,
        eval_set: Any = None,
        eval_qid: Any = None,
        callbacks: Sequence[Callback] = (),
        verbose: int = 0,
        executor: "Executor | None" = None,
    ) -> Self:
        """Train on documents, in any order.

        Parameters
        ----------
        X : (n, d) array or RankingDataset
            Features, or a data set, which has labels and queries.
        y : (n,) array
            Relevance labels, 0 = irrelevant; fractions only where `fractions_refusal`
            is None.
        qid : (n,) array or None
            The query of each document; None means that all belong to one query; so does
            omitting it, with a `MissingQueryWarning`.
        coef_init : (d,) array, optional
            Coefficients to start from; see `LinearRanker.training_steps`.
        sample_weight : (n,) array, optional
            The weight of each document's query, above 0 and the same for all documents
            of a query; see `query_weights`.
        group : (q,) array of int, optional
            Instead of ``qid``, the number of documents of each query, in the order of
            the rows.
        eval_set : RankingDataset, (X, y) or list of one of them, optional
            Validation data for choosing the iteration; see `fit_dataset`.
        eval_qid : (n,) array or list of one, optional
            The query of each validation document.
        callbacks : sequence of callables, optional
            Each is called with the `Record` of every iteration; training ends where one
            returns True.
        verbose : int
            Interval in iterations at which a line is printed; 0: never. The log
            ``rankcore`` states how training ended.
        executor : Executor, optional
            Computes the sums over the data, see `rankcore.compute.executors`. It does
            not change a bit of the model.

        Returns
        -------
        self

        Warns
        -----
        sklearn.exceptions.ConvergenceWarning
            If a converging method reaches ``max_iter`` first, and no validation data
            choose among its iterates.

        Raises
        ------
        ValueError
            For invalid data or hyperparameters, such as a `DataError` with the position
            of a value that is not finite.
        """
        train = fitted_data(self, X, y, qid, group, sample_weight)
        return self.fit_dataset(
            train,
            validation_data(train, eval_set, eval_qid),
            coef_init,
            callbacks=callbacks,
            verbose=verbose,
            executor=executor,
        )

    def fit_dataset(
        self,
        train: RankingDataset,
        valid: RankingDataset | None = None,
        start: np.ndarray | None = None,
        *,
        callbacks: Sequence[Callback] = (),
        verbose: int = 0,
        executor: "Executor | None" = None,
    ) -> Self:
        """Train on a `RankingDataset` for at most `max_iter` iterations.

        With ``valid`` the iterate with the best validation nDCG@10 is kept, with the
        linear gain where labels are too large for the exponential one; without it, the
        iterate with the best training objective.

        Parameters
        ----------
        train : RankingDataset
        valid : RankingDataset, optional
            Validation data.
        start : (d,) float64, optional
            Coefficients to start from; see `LinearRanker.training_steps`.
        callbacks, verbose
            As in `fit`.
        executor : Executor, optional
            Computes the sums over the training data, see `rankcore.compute.executors`;
            it does not change a bit of the model.

        Returns
        -------
        self

        Warns
        -----
        UserWarning
            With the texts of `caution` and `ending_note`, if any.

        Raises
        ------
        ValueError
            As `fit`.
        """
        from rankcore.training import Stop, drive

        parts = () if valid is None else (train, valid)
        is_large = any(large_label(part.y) for part in parts)
        measure = "nDCG(dcg='log2')@10" if is_large else "nDCG@10"
        run = drive(
            self,
            train,
            valid,
            stop=Stop(max_iterations=self.max_iter),
            measures=(measure,) if parts else (),
            start=start,
            executor=executor,
        )
        caution = self.caution(train)
        if caution is not None:
            warnings.warn(caution, UserWarning, stacklevel=2)
        train_telling(run, callbacks, verbose)
        note = self.ending_note(run.best)
        if note is not None:
            warnings.warn(f"{self.title}: {note}", UserWarning, stacklevel=2)
        if run.limited and (self.converges if valid is None else not self.anytime):
            warnings.warn(_unconverged(self), ConvergenceWarning, stacklevel=2)
        self.load_run(run)
        weights = self.feature_weights(self.parameters_, train.n_features)
        self.feature_importances_ = np.abs(self.importances(weights, train))
        return self

    def load_run(self, run: Any, record: Any = BEST) -> Self:
        """Adopt a model of a `rankcore.training.Run`.

        Parameters
        ----------
        run : Run
        record : Record, str or int
            As ``at`` in `rankcore.training.selection.select`: a record, ``"best"``,
            ``"last"``, or the number of an iteration.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the run has no such model.
        """
        train, selection = run.train, select(run, record or BEST)
        best = selection.record
        self.n_features_in_ = train.n_features
        self.parameters_ = best.coef
        self.state_ = best.state
        self.n_iter_ = run.history[-1].iteration
        self.history_ = run.history
        self.provenance_ = Provenance.of(
            train,
            best,
            chosen_by=selection.by,
            rules=run.rules,
            changes=tuple(
                change
                for change in run.history.changes
                if change.iteration < best.iteration
            ),
        )
        return self

    def predict(self, X: "np.ndarray | RankingDataset") -> np.ndarray:
        """Scores (n,) of the documents ``X`` (n, d), in their order.

        For a `RankingDataset`, in the order of its documents; features are matched by
        name, and scaled as in training.

        Raises
        ------
        ValueError
            For documents that do not fit the model, such as a `DataError` with the
            position of a value that is not finite.
        """
        check_is_fitted(self)
        if isinstance(X, RankingDataset):
            return self.scores(model_features(self, X).X, self.parameters_)
        return self.scores(documents(self, X), self.parameters_)

    def _predicted(self, X: np.ndarray, queries: np.ndarray | None) -> np.ndarray:
        return self.predict(X)

    def _scored(self, dataset: RankingDataset) -> np.ndarray:
        return self.predict(dataset)

    def check(self, dataset: RankingDataset) -> None:
        """Check hyperparameters and data before training.

        Raises
        ------
        ValueError
            With a message that names the invalid value.
        """
        check_all(self)
        reason = self.unsupported_reason(dataset)
        if reason is not None:
            raise ValueError(reason)


@dataclass(eq=False, repr=False, kw_only=True)
class LinearRanker(Ranker):
    """Base of the algorithms whose scores are weighted sums of features."""

    weights_title: ClassVar[str] = "Coefficients"
    nonzeros_title: ClassVar[str] = "Non-zero coefficients"
    warm_starts: ClassVar[bool] = True

    def training_steps(
        self, dataset: RankingDataset, rng: np.random.Generator, start: Start = None
    ) -> Steps:
        """Return `steps` on standardised features if the data requests it, with
        coefficients of the original features, and 0 for a feature that is constant
        within every query.

        Such a feature cannot change the order of the training data, which therefore do
        not determine its coefficient. Queries of equal labels count here too: a feature
        that varies in one of them changes its order. A given ``start`` is yielded
        unchanged, and so is kept if there is nothing to learn; every later model has
        coefficient 0 for such a feature.
        """
        if (scaling := dataset.scaling) is not None:
            if start is not None:
                start = self.checked_start(start, dataset) * scaling.deviation
            steps = self.training_steps(dataset.standardised, rng, start)
            return (yield from _of_raw_features(steps, scaling.deviation))
        constant = feature_ranges(dataset) == 0.0
        if not constant.any():
            return (yield from self.steps(dataset, rng, start))
        initial = np.zeros(dataset.n_features)
        if start is not None:
            initial = self.checked_start(start, dataset)
            start = np.where(constant, 0.0, initial)
        with closing(self.steps(dataset, rng, start)) as steps:
            while True:
                try:
                    step = next(steps)
                except StopIteration as end:
                    return end.value
                value = initial if step.iteration == 0 else 0.0
                yield replace(step, coef=np.where(constant, value, step.coef))

    def scores(self, X: np.ndarray, coef: np.ndarray) -> np.ndarray:
        """Scores X @ coef, equal for equal documents.

        Raises
        ------
        DataError
            If a value is missing.
        """
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        scores = linear_scores(read_only(X, dtype), read_only(coef, np.float64))
        return self.without_missing(X, scores)

    def without_missing(self, X: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Return the scores (n,) of documents (n, d).

        Raises
        ------
        DataError
            If a score is not a number because a value is missing.
        """
        if np.isnan(scores).any() and (text := missing_text(X)):
            raise DataError(f"{text}, and {self.title} takes none", FILL_IN)
        return scores

    def feature_weights(self, coef: np.ndarray, n_features: int) -> np.ndarray:
        """Return the coefficients themselves."""
        return coef

    def contributions(self, coef: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Return what each of a document's features (d,) adds to its score, (d,)."""
        return coef * features

    def importances(self, weights: np.ndarray, train: RankingDataset) -> np.ndarray:
        """Return each coefficient times the spread of its feature within the queries,
        in units of the score and so independent of the unit of the feature."""
        return weights * feature_spreads(train)

    @property
    def coef_(self) -> np.ndarray:
        """Coefficients (d,) of the fitted model."""
        return self.feature_weights(self.parameters_, self.n_features_in_)

    def checked_start(self, start: np.ndarray, dataset: RankingDataset) -> np.ndarray:
        """Return a copy of the starting coefficients.

        Raises
        ------
        ValueError
            If they are not d finite numbers.
        """
        w = np.array(start, dtype=np.float64)
        if w.shape != (dataset.n_features,) or not np.isfinite(w).all():
            raise ValueError(
                f"The starting model must have {dataset.n_features} finite coefficients"
                f", one per feature; its shape is {w.shape}."
            )
        return w


def _extreme_weights(dataset: RankingDataset) -> str | None:
    """Why sums of weights cannot be computed, as a sentence; None if they can."""
    # Only the ratios of document weights within a query matter.
    for weights, most in (
        (dataset.query_weights, _LARGEST_WEIGHT),
        (dataset.document_weights, _LARGEST_DOCUMENT_WEIGHT),
    ):
        positive = np.ones(0) if weights is None else weights[weights > 0.0]
        low, high = positive.min(initial=1.0), positive.max(initial=1.0)
        if low <= 1.0 / most or high >= most:
            return (
                f"The weights range from {positive.min():g} to {positive.max():g}, too "
                "far for sums. Divide all weights by one number, such as their mean."
            )
    return None


def _of_raw_features(steps: Steps, deviation: np.ndarray) -> Steps:
    """Return steps whose coefficients are converted from standardised features to the
    original ones by the standard deviations (d,)."""
    with closing(steps):
        while True:
            try:
                step = next(steps)
            except StopIteration as end:
                return end.value
            yield replace(step, coef=step.coef / deviation)
