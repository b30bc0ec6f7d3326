r"""Users who click, simulated on data with labels.

A user of the position-based model examines position k with probability
:math:`\theta_k = (1/k)^\eta` and clicks what is examined with probability
:math:`\varepsilon^+` if it is relevant and :math:`\varepsilon^-` if not (T. Joachims,
A. Swaminathan, T. Schnabel, "Unbiased learning-to-rank with biased feedback", WSDM
2017). A user who trusts the ranker also clicks irrelevant documents near the top,
:math:`\varepsilon^-_k = \varepsilon^- + \tau / k` (A. Agarwal et al., "Addressing trust
bias for unbiased learning-to-rank", WWW 2019), so that the probability of a click is
affine in the relevance :math:`\gamma` (A. Vardasbi, H. Oosterhuis, M. de Rijke, "When
inverse propensity scoring does not work", CIKM 2020):

.. math:: P(c = 1 \mid k, \gamma) = \alpha_k \gamma + \beta_k, \quad
    \alpha_k = \theta_k (\varepsilon^+ - \varepsilon^-_k), \quad
    \beta_k = \theta_k \varepsilon^-_k.

A user of the cascade model goes down the list and leaves after the first click (N.
Craswell, O. Zoeter, M. Taylor, B. Ramsey, "An experimental comparison of click
position-bias models", WSDM 2008).
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from rankcore.base.arrays import Floats, Integers
from rankcore.data.clicks import ClickLog
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.elementary import exp, log

BehaviourModel = Literal["position", "cascade"]
# Sessions per stream of random numbers, so that more sessions only extend a log.
_CHUNK = 4096


@dataclass(frozen=True)
class ClickBehaviour:
    """A model of users: their examination of lists, and their clicks.

    Attributes
    ----------
    model : {"position", "cascade"}
    severity : float
        The exponent eta; 0 means that every position is examined. The cascade model
        does not have it.
    noise : float
        Probability that an irrelevant document is clicked when it is examined.
    trust : float
        Increase of that probability at position 1; at position k it is divided by k.
    certainty : float
        Probability that a relevant document is clicked when it is examined.
    """

    model: BehaviourModel = "position"
    severity: float = 1.0
    noise: float = 0.1
    trust: float = 0.0
    certainty: float = 1.0

    def __post_init__(self) -> None:
        if self.model not in get_args(BehaviourModel):
            raise ValueError(f"model is position or cascade, not {self.model!r}.")
        for name in ("severity", "noise", "trust"):
            value = getattr(self, name)
            if not 0.0 <= value < np.inf:
                raise ValueError(f"{name} is a finite number from 0, not {value:g}.")
        if not 0.0 <= self.noise + self.trust <= self.certainty <= 1.0:
            raise ValueError(
                "The sum of noise and trust must be from 0 to the certainty, "
                f"{self.certainty:g}, which is at most 1; they are {self.noise:g} and "
                f"{self.trust:g}."
            )

    def examination(self, cutoff: int) -> Floats:
        """Return the probabilities (cutoff,) that positions are examined, by the
        position-based model."""
        return exp(-self.severity * log(np.arange(1.0, cutoff + 1.0)))

    def affine(self, cutoff: int) -> tuple[Floats, Floats]:
        """Return alpha and beta, (cutoff,) each."""
        examined = self.examination(cutoff)
        noise = self.noise + self.trust / np.arange(1.0, cutoff + 1.0)
        return examined * (self.certainty - noise), examined * noise

    def clicks(self, relevance: Floats, uniform: Floats) -> np.ndarray:
        """Return which documents are clicked.

        Parameters
        ----------
        relevance : (s, k) float64
            Probability that the document at each position of each list is relevant.
        uniform : (s, k) float64
            Random numbers from 0 to 1.

        Returns
        -------
        (s, k) bool
        """
        if self.model == "position":
            slope, base = self.affine(relevance.shape[1])
            return uniform < slope * relevance + base
        positions = np.arange(1.0, relevance.shape[1] + 1.0)
        noise = self.noise + self.trust / positions
        attracted = uniform < noise + (self.certainty - noise) * relevance
        return attracted & (np.cumsum(attracted, axis=1) == 1)


ClickBehavior = ClickBehaviour


@dataclass(frozen=True, eq=False)
class ClickSimulation:
    """A search engine that logs clicks.

    Attributes
    ----------
    dataset : RankingDataset
        The queries of the sessions, and the documents shown.
    relevance : (n,) float64
        Probability that each document is relevant; see `relevant`.
    rankers : tuple of (n,) float64
        Scores of the logging rankers, one of which answers each session.
    behaviour : ClickBehaviour
        The model of users.
    cutoff : int
        Documents that are shown, at least 1.
    swaps : bool
        Whether the top document swaps places with one at a random position.
    seed : int
        Seed of all draws; the same seed gives the same log.

    Raises
    ------
    ValueError
        For a cutoff below 1, no ranker, arrays of other lengths, or relevance outside
        [0, 1].
    """

    dataset: RankingDataset
    relevance: Floats
    rankers: tuple[Floats, ...]
    behaviour: ClickBehaviour = ClickBehaviour()
    cutoff: int = 10
    swaps: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if self.cutoff < 1:
            raise ValueError(f"cutoff must be at least 1, not {self.cutoff}.")
        if not self.rankers:
            raise ValueError("Give the scores of a logging ranker; there are none.")
        n = self.dataset.n_documents
        for values in (self.relevance, *self.rankers):
            if len(values) != n:
                raise ValueError(
                    f"Give relevance and scores of all {n} documents, not of "
                    f"{len(values)}."
                )
        if not ((self.relevance >= 0.0) & (self.relevance <= 1.0)).all():
            raise ValueError("Relevance must be probabilities, from 0 to 1.")

    def log(self, n_sessions: int) -> ClickLog:
        """Return the log of some sessions; the log of fewer sessions is its beginning.

        Raises
        ------
        ValueError
            If there is no session.
        """
        if n_sessions < 1:
            raise ValueError(f"A log needs at least one session, not {n_sessions}.")
        tops = self.tops()
        parts = [
            self._chunk(tops, chunk, min(n_sessions - chunk * _CHUNK, _CHUNK))
            for chunk in range(-(-n_sessions // _CHUNK))
        ]
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
        session, document, position, clicked = columns
        data = self.dataset
        return ClickLog(
            "simulated clicks",
            tuple(data.query_ids),
            tuple(data.doc_ids),
            np.repeat(np.arange(data.n_queries), data.lengths),
            session,
            document,
            position,
            clicked,
        )

    def tops(self) -> Integers:
        """Return the rows of the documents that each ranker shows for each query,
        (rankers, q, cutoff), -1 where a query has no more."""
        return np.stack(
            [top_documents(self.dataset, s, self.cutoff) for s in self.rankers]
        )

    def _chunk(
        self, tops: Integers, chunk: int, n: int
    ) -> tuple[Integers, Integers, Integers, np.ndarray]:
        """Return session, document, position and click of the impressions of the first
        ``n`` sessions of a chunk."""
        rng = np.random.default_rng((self.seed, chunk))
        query = rng.integers(self.dataset.n_queries, size=_CHUNK)[:n]
        ranker = rng.integers(len(tops), size=_CHUNK)[:n]
        other = rng.integers(self.cutoff, size=_CHUNK)[:n]
        uniform = rng.random((_CHUNK, self.cutoff))[:n]
        shown = tops[ranker, query]
        if self.swaps:
            lists = np.arange(n)
            other = np.where(shown[lists, other] >= 0, other, 0)
            first = shown[:, 0].copy()
            shown[:, 0] = shown[lists, other]
            shown[lists, other] = first
        is_shown = shown >= 0
        clicked = self.behaviour.clicks(
            np.where(is_shown, self.relevance[shown], 0.0), uniform
        )
        row, column = np.nonzero(is_shown)
        session = chunk * _CHUNK + row
        return session, shown[is_shown], column + 1, clicked[is_shown]


def relevant(dataset: RankingDataset, grade: int = 1) -> Floats:
    """Return 1 for documents with a label of at least ``grade``, otherwise 0, (n,)."""
    return (dataset.y >= grade).astype(np.float64)


def top_documents(dataset: RankingDataset, scores: Floats, cutoff: int) -> Integers:
    """Return the rows of each query's documents with the highest scores, (q, cutoff),
    -1 where a query has no more."""
    query = np.repeat(np.arange(dataset.n_queries), dataset.lengths)
    order = np.lexsort((-scores, query))
    places = dataset.offsets[:-1, None] + np.arange(cutoff)
    there = places < dataset.offsets[1:, None]
    return np.where(there, order[np.where(there, places, 0)], -1)
