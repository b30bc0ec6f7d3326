r"""ConeRank: learn a cone that contains the differences of ordered documents.

Where document l is better than m, their difference should be a non-negative combination
of a few vectors :math:`u_1, \dots, u_K`, the generators of a polyhedral cone. With
:math:`z = \rho (x_l - x_m) / (\alpha + \|x_l - x_m\|)` and
:math:`\varphi = y_l - y_m > 0`,

.. math::

    \min_{U, w} \frac{1}{P} \sum_q \frac{1}{n_q} \sum_{j=1}^{n_q}
    \varphi_j \|z_j - U w_j\|^2, \qquad \|u_k\| \le c, \quad w_j \ge 0, \quad
    \lambda_l \le \mathbf 1^\top w_j \le \lambda_u .

Each step folds in every pair, that is, finds its weights for the current vectors, and
then updates the vectors. Documents are ranked by :math:`a^\top x` with
:math:`a = (U^+)^\top \mathbf 1`, which is equivalent to the vote of the paper's
Algorithm 2: unconstrained folding-in of a difference z gives :math:`U^+ z`, and the
vote is the sign of its sum. So a document has as many votes as there are documents of
smaller :math:`a^\top x`, which a sort counts; `predict_by` = ``votes`` returns these
counts, which give the same order. One vector (K = 1, weights of sum 1) has a closed
form: it is the weighted mean of the differences.

Paper
-----
T. T. Tran, D.-S. Pham, "ConeRANK: ranking as learning generalized inequalities",
arXiv:1206.4110, 2012, equations (9) and (18), Algorithms 1 and 2. The vectors are
updated one after the other as in J. Mairal, F. Bach, J. Ponce, G. Sapiro, "Online
learning for matrix factorization and sparse coding", JMLR 11, 2010, Algorithm 2.

Complexity
----------
A pass over p pairs costs O(p (d + K m)) for m vectors in use, a few times as much where
a pair uses other vectors than the pair before it, plus O(n d K); it stores O(n' K)
numbers, with n' documents in the longest list. No pair is stored. Scoring costs O(d)
per document, and counting the votes of n documents O(n log n) more. Stochastic updates
take two passes: one to update the vectors, one to evaluate them.

Deviations from the paper
-------------------------
- By default each vector in turn is set to its optimum with the weights held fixed,
  which needs no learning rate and never increases the objective when folding-in is
  exact. The paper's gradient steps are available.
- The clipping and rescaling of Algorithm 1 (1a to 1c) is not a projection: its fixed
  points are not the optimal weights for any step length. For vectors (2, 0) and (0, 1)
  and the difference (1, 0.2) it gives (0.576, 0.424) instead of (0.56, 0.44). It is
  available as ``sg``; the default is exact, and exponentiated gradient has the correct
  fixed points.
- The approximate form of exponentiated gradient preserves the sum of weights in exact
  arithmetic only, and rounding errors can grow without bound; here the weights are
  clipped and rescaled after each step.
- The factor 1 / (P n_q) is not applied during folding-in, where each pair is a separate
  problem. Iterative folding-in starts from equal weights, not random ones.
- Prediction drops both constraints, the sum of the weights and their sign: with the
  former, the sum that decides the vote would always be 1.
- A pair of equal scores votes for neither document; in the paper it votes for the
  second one. Tied documents have equal counts and keep the order of the input.
- Votes are counted over all documents that are scored together. Scoring several queries
  at once raises the counts but keeps the order within each query.
- A cone of fewer generators than features has no interior, so it is not proper and
  its generalised inequality orders few pairs; and a difference in the negative of the
  cone need not project to 0: that requires :math:`U^\top z \le 0`.
- K = 1 is the default. On OHSUMED and MQ2008 more vectors fit the differences better
  and rank worse: vectors of opposite preference then reconstruct the differences
  together, and the sum of weights no longer says which document is better. On the
  training queries of MQ2008's first fold MAP is 0.460, 0.440, 0.358, 0.339 and 0.351
  for K = 1, 2, 3, 5 and 10 while the objective falls from 43 to 34, 28, 20 and 10. The
  paper's optimum near K = 10, on MQ2007, is not reproduced here.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankcore.algorithms.parts.cones import (
    RULES,
    Differences,
    Folded,
    Folding,
    fold_in,
    lengths_of,
    ordered_pairs,
    project_to_norm_ball,
    scoring_direction,
    update_dictionary,
)
from rankcore.algorithms.parts.ranker import (
    NOTHING_TO_LEARN,
    Derived,
    FeatureUnits,
    LinearRanker,
    QueryWeights,
)
from rankcore.base.draws import standard_normal
from rankcore.base.hyperparameters import choice, integer, logarithmic, real
from rankcore.base.spellings import american_names
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.products import norm, product, times_vector
from rankcore.mathematics.small_matrices import largest_eigenvalue
from rankcore.training.steps import Start, Step, Steps

_START = 0.5
_SINGLE_QUERY = 0.1
# Limit on pairs times vectors, a pass of about 50 s: with 46 features, 2.2 million
# pairs take 0.2 s with one vector and 2.3 s with ten.
_MOST_FOLDINGS = 500_000_000


@american_names
@dataclass(eq=False, repr=False, kw_only=True)
class ConeRank(LinearRanker):
    """Ranking by a learnt cone of document differences (Tran and Pham).

    The model is linear: `coef_` is the direction that the cone's vectors vote for, in
    the units of the given features, and `basis_` holds the vectors. More than one
    vector fits the differences better and, on the data tried, ranks worse.
    """

    title = "ConeRank"
    family = "cone"
    summary = (
        "Learns a few vectors whose non-negative combinations reconstruct the "
        "differences between better and worse documents, and ranks by their vote."
    )
    whole_labels = ""
    equation = (
        r"\min_{U, w} \frac{1}{P} \sum_q \frac{1}{n_q} \sum_j "
        r"\varphi_j\, \|z_j - U w_j\|^2, \quad \|u_k\| \le c,\; w_j \ge 0,\; "
        r"\lambda_l \le \mathbf 1^\top w_j \le \lambda_u; \qquad "
        r"s(x) = \mathbf 1^\top U^{+} x"
    )
    paper = (
        "T. T. Tran, D.-S. Pham: ConeRANK: Ranking as learning generalized "
        "inequalities. arXiv:1206.4110, 2012."
    )
    converges = True
    iteration_cost = 24
    query_weights = QueryWeights(
        False, "Every query has the same share in the objective."
    )
    presets = {
        "One vector: mean difference": {"n_basis": 1},
        "Three vectors": {"n_basis": 3},
        "The paper's K = 10": {"n_basis": 10},
        "As printed, SG (μ = 0.001)": {
            "n_basis": 10,
            "folding": "sg",
            "basis_update": "stochastic",
            "learning_rate": 0.001,
        },
        "As printed, EG (μ = 0.005)": {
            "n_basis": 10,
            "folding": "eg",
            "basis_update": "stochastic",
            "learning_rate": 0.005,
        },
        "The whole cone (no limit on λ)": {
            "n_basis": 3,
            "lambda_low": 0.0,
            "lambda_high": None,
        },
    }

    n_basis: int = integer(
        1,
        low=1,
        high=20,
        maximum=200,
        symbol="K",
        label="Basis vectors",
        meaning="Vectors that span the cone; one gives the mean difference, more fit "
        "better and may rank worse.",
        sweep=(1, 2, 3, 5, 10),
    )
    folding: str = choice(
        "exact",
        RULES,
        label="Folding-in",
        meaning="How the weights of a pair are computed: exactly, by exponentiated "
        "gradient or its approximation, or by the paper's gradient step with clipping "
        "and rescaling, which is biased.",
        while_running=True,
    )
    lambda_low: float = real(
        1.0,
        low=0.0,
        high=1.0,
        minimum=0.0,
        maximum=1.0,
        symbol=r"\lambda_l",
        label="Least sum of weights",
        meaning="The smallest sum that a pair's weights may have.",
        while_running=True,
    )
    lambda_high: float | None = logarithmic(
        1.0,
        (1.0, 10.0),
        minimum=1.0,
        optional=True,
        symbol=r"\lambda_u",
        label="Largest sum of weights",
        meaning="The largest sum that a pair's weights may have; without a limit, the "
        "cone is unbounded.",
        while_running=True,
    )
    pair_weights: str = choice(
        "difference",
        ("difference", "equal"),
        symbol=r"\varphi",
        label="Weight of a pair",
        meaning="Weight each pair by its difference of labels, or all pairs equally.",
        advanced=True,
    )
    standardise: str = choice(
        "yes",
        ("yes", "no"),
        label="Standardise features",
        meaning="Whether features are first divided by their standard deviations, as "
        "in the paper.",
        advanced=True,
    )
    alpha: float = logarithmic(
        1.0,
        (0.001, 100.0),
        symbol=r"\alpha",
        label="Length that counts little",
        meaning="Differences much shorter than this count little; at 0 all are scaled "
        "to equal length.",
        advanced=True,
    )
    rho: float | str = logarithmic(
        "auto",
        (0.1, 100.0),
        minimum=1e-6,
        special=("auto",),
        symbol=r"\rho",
        label="Length that is cut",
        meaning="Length that long differences are scaled down to; auto is the square "
        "root of the number of features.",
        advanced=True,
    )
    norm_cap: float | str | None = logarithmic(
        "auto",
        (0.1, 200.0),
        minimum=1e-6,
        special=("auto",),
        optional=True,
        symbol="c",
        label="Longest vector",
        meaning="Maximum length of a vector; auto is twice ρ.",
        advanced=True,
        while_running=True,
    )
    init: str = choice(
        "random",
        ("random", "pairs"),
        symbol="U_0",
        label="Start of the vectors",
        meaning="Start from random directions, or from the differences of random "
        "pairs.",
        advanced=True,
    )
    basis_update: str = choice(
        "columns",
        ("columns", "gradient", "stochastic"),
        label="Update of the vectors",
        meaning="Set each vector in turn to its optimum, or take a gradient step after "
        "each iteration or, as in the paper, after each query.",
        advanced=True,
        while_running=True,
    )
    learning_rate: float | str = logarithmic(
        "auto",
        (1e-4, 1.0),
        special=("auto",),
        symbol=r"\mu",
        meaning="Length of a gradient step for vectors and weights; auto is the "
        "longest that never overshoots.",
        advanced=True,
        while_running=True,
    )
    folding_steps: int = logarithmic(
        50,
        (1, 1000),
        label="Steps of folding-in",
        meaning="Maximum number of gradient steps to fold in a pair.",
        shown_when={"folding": ("eg", "eg_approx", "sg")},
        advanced=True,
        while_running=True,
    )
    tolerance: float = logarithmic(
        1e-3,
        (1e-8, 0.1),
        label="Smallest improvement",
        meaning="Training ends when an iteration improves the objective by a smaller "
        "fraction.",
        shown_when={"basis_update": ("columns",)},
        advanced=True,
        while_running=True,
    )
    predict_by: str = choice(
        "linear",
        ("linear", "votes"),
        label="Prediction",
        meaning="Score a document by the direction that the vectors vote for, or by "
        "its number of votes against the other documents; the order is the same.",
        advanced=True,
    )

    @property
    def feature_units(self) -> FeatureUnits | None:
        if self.standardise == "yes":
            return None
        return FeatureUnits("the length of a difference", "set standardise to yes")

    def derived_values(self, dataset: RankingDataset) -> Mapping[str, Derived]:
        """Return the maximum lengths of differences and of vectors."""
        automatic = float(np.sqrt(dataset.n_features))
        rho = automatic if self.rho == "auto" else float(self.rho)
        return {"rho": Derived(automatic), "norm_cap": Derived(2.0 * rho)}

    def unsupported_reason(self, dataset: RankingDataset) -> str | None:
        """Return the reason if there are too many pairs to fold in within minutes."""
        pairs = int(ordered_pairs(dataset).sum())
        if pairs * self.n_basis <= _MOST_FOLDINGS:
            return super().unsupported_reason(dataset)
        return (
            f"ConeRank folds every pair of documents of different labels in at each "
            f"iteration: here {pairs:,} pairs over {self.n_basis} vectors, and at most "
            f"{_MOST_FOLDINGS:,} pairs times vectors are allowed, about a minute. The "
            f"longest query has {int(dataset.lengths.max()):,} documents: keep the "
            "best thousand of another ranker, sample documents, take fewer vectors, "
            "or choose an algorithm that forms no pairs, such as ListNet."
        )

    def scores(self, X: np.ndarray, coef: np.ndarray) -> np.ndarray:
        """Scores X @ coef, or the number of documents whose score is smaller."""
        linear = super().scores(X, coef)
        if self.predict_by == "linear":
            return linear
        return np.searchsorted(np.sort(linear), linear).astype(np.float64)

    def steps(
        self, dataset: RankingDataset, rng: np.random.Generator, start: Start = None
    ) -> Steps:
        """Yield the start, then the vectors after each pass over all pairs.

        Diagnostics: the share of the differences' energy that the cone captures; the
        means over pairs of the sum of weights, of the number of weights above 0 and of
        the suboptimality bound; the numbers of vectors in use, and of those shortened.

        A given ``start`` is the first direction, unchanged. The first vectors are
        random, with equal products with it and a mean that lies on it, so that they
        vote for it.
        """
        differences = self.differences(dataset)
        initial = None if start is None else self.checked_start(start, dataset)
        if not len(differences.queries):
            d = dataset.n_features
            first = np.zeros(d) if initial is None else initial
            yield Step(0, first, 0.0, {}, self._state(differences, np.zeros((1, d))))
            return NOTHING_TO_LEARN
        basis = self._first(differences, rng, initial)
        before, shortened, iteration = np.inf, 0, 0
        while True:
            folded = fold_in(differences, basis, self._folding)
            coef = scoring_direction(basis.T) * differences.inverse
            yield Step(
                iteration,
                coef if initial is None else initial,
                folded.risk,
                {**_figures(folded), "norm violations": float(shortened)},
                self._state(differences, basis),
            )
            gain = before - folded.risk
            if self.basis_update == "columns" and gain <= self.tolerance * folded.risk:
                return f"An iteration gained less than a share of {self.tolerance:g}."
            basis, shortened = self._updated(differences, folded, rng)
            before, initial, iteration = folded.risk, None, iteration + 1

    @property
    def basis_(self) -> np.ndarray:
        """Vectors (d, K) of the fitted cone, in units of standardised features.

        Its feature j is the original one times ``state_["scale"][j]``.
        """
        basis = getattr(self, "state_", {}).get("basis")
        if basis is None:
            raise AttributeError(
                "The vectors of the cone exist only after training; a saved model has "
                "just the direction they vote for. Train it again."
            )
        return np.asarray(basis)

    def differences(self, dataset: RankingDataset) -> Differences:
        """Return the differences of a data set, normalised as this algorithm does."""
        return Differences(
            dataset,
            standardise=self.standardise == "yes",
            alpha=self.alpha,
            rho=None if self.rho == "auto" else float(self.rho),
            weighted=self.pair_weights == "difference",
        )

    @property
    def _folding(self) -> Folding:
        rate = 0.0 if self.learning_rate == "auto" else float(self.learning_rate)
        high = np.inf if self.lambda_high is None else self.lambda_high
        return Folding(self.folding, self.lambda_low, high, rate, self.folding_steps)

    def _cap(self, rho: float) -> float:
        if self.norm_cap is None:
            return np.inf
        return 2.0 * rho if self.norm_cap == "auto" else float(self.norm_cap)

    def _state(
        self, differences: Differences, basis: np.ndarray
    ) -> Mapping[str, np.ndarray]:
        return {"basis": basis.T, "scale": differences.inverse}

    def _first(
        self,
        differences: Differences,
        rng: np.random.Generator,
        start: np.ndarray | None,
    ) -> np.ndarray:
        """Return the vectors (K, d) that training starts from."""
        cap, scale = self._cap(differences.rho), differences.inverse
        if start is None and self.init == "pairs":
            return project_to_norm_ball(differences.sample(self.n_basis, rng), cap)[0]
        basis = standard_normal(rng, (self.n_basis, len(scale))) * (scale > 0.0)
        if start is not None and np.any(start[scale > 0.0]):
            wanted = np.divide(start, scale, out=np.zeros_like(start), where=scale > 0)
            basis = _voting_for(wanted / np.abs(wanted).max(), basis)
        lengths = lengths_of(basis)
        longest = lengths.max() or 1.0
        return project_to_norm_ball(basis * (_START * differences.rho / longest), cap)[
            0
        ]

    def _updated(
        self, differences: Differences, folded: Folded, rng: np.random.Generator
    ) -> tuple[np.ndarray, int]:
        """Return the updated vectors, and the number of shortened ones."""
        cap = self._cap(differences.rho)
        if self.basis_update == "columns":
            return update_dictionary(folded, cap)
        rate = self._rate(folded)
        if self.basis_update == "gradient":
            pull = folded.moment - product(folded.second, folded.basis)
            return project_to_norm_ball(folded.basis + 2.0 * rate * pull, cap)
        ended = fold_in(
            differences,
            folded.basis,
            self._folding,
            order=rng.permutation(differences.in_content_order),
            basis_rate=rate,
            cap=cap,
        )
        return ended.basis, ended.shortened

    def _rate(self, folded: Folded) -> float:
        """Return the step length; by default 1 / (largest curvature), or a tenth of
        that for a step on a single query."""
        if self.learning_rate != "auto":
            return float(self.learning_rate)
        curvature = 2.0 * largest_eigenvalue(folded.second)
        share = _SINGLE_QUERY if self.basis_update == "stochastic" else 1.0
        return share / curvature if curvature > 0.0 else 0.0


def _figures(folded: Folded) -> dict[str, float]:
    energy = folded.energy
    return {
        "energy captured": 1.0 - folded.risk / energy if energy > 0.0 else 0.0,
        "sum of weights": folded.weight_sum,
        "active vectors": folded.active,
        "folding gap": folded.gap,
        "vectors in use": float(np.count_nonzero(np.diag(folded.second))),
    }


def _voting_for(direction: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """Vectors (K, d) close to the given ones that vote for a direction (d,).

    They have the same product with it and a mean that lies on it.
    """
    unit = direction / norm(direction)
    across = basis - np.outer(times_vector(basis, unit), unit)
    across = across - across.mean(axis=0)
    lengths = lengths_of(across)
    return unit + across / (lengths.max() or 1.0)
