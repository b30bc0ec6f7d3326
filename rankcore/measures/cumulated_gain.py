"""Discounted cumulated gain: DCG, nDCG and MeanNDCG."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankcore.data.dataset import check_labels
from rankcore.mathematics.elementary import exp2
from rankcore.mathematics.products import dot
from rankcore.measures._measure import Floats, Integers, Lists, Measure, Terms
from rankcore.measures._rules import Convention

_GAINS = {"exp-log2": "gain 2ʸ − 1", "log2": "gain y"}
_LARGEST_TABLE = 4096
_PAPER = (
    "K. Järvelin, J. Kekäläinen, *Cumulated gain-based evaluation of IR "
    "techniques*, ACM Transactions on Information Systems 20(4), 2002."
)


def discounts(ranks: ArrayLike, letor: bool = False) -> Floats:
    """Discounts of nDCG: 1 / log2(1 + rank).

    Parameters
    ----------
    ranks : (n,) float64
        Ranks from 1, the best; soft ranks may be fractions.
    letor : bool
        Use the discount of the LETOR evaluation scripts: 1 at ranks 1 and 2, then 1 /
        log2(rank).

    Returns
    -------
    (n,) float64

    Examples
    --------
    >>> discounts([1, 3]).tolist(), discounts([1, 2, 4], letor=True).tolist()
    ([1.0, 0.5], [1.0, 1.0, 0.5])
    """
    from rankcore._kernels.measures.cumulated_gain import discounts_of

    places = np.array(ranks, dtype=np.float64, order="C")
    values = np.empty_like(places)
    discounts_of(places.reshape(-1), letor, values.reshape(-1))
    return values


@dataclass(frozen=True)
class _CumulatedGain(Measure):
    """A measure built on the discounted cumulated gain.

    Parameters
    ----------
    dcg : {"exp-log2", "log2"}
        Gain 2^y - 1, or y; the names are those of `ir_measures`.
    """

    dcg: str = "exp-log2"

    letters = (
        r"$\pi_i$ is the rank of document $i$, 1 at the top; $y_i$ is its label; $N$ "
        "is the same sum for the ideal order."
    )
    reads_irrelevant = False
    takes_fractions = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dcg not in tuple(_GAINS):
            raise ValueError(
                f"The option dcg of {self.name} is {self.dcg!r}; choose 'exp-log2' for "
                "the gain 2^y - 1 or 'log2' for the gain y."
            )

    def gain(self, labels: ArrayLike) -> Floats:
        """Gain of each label: 2^y - 1, or y."""
        y = np.asarray(labels, dtype=np.float64)
        return exp2(y) - 1.0 if self.dcg == "exp-log2" else y

    def gains(self, lists: Lists) -> tuple[Floats, Lists]:
        """Gains by grade, and lists indexed by grade; DataError for large labels."""
        labels = lists.labels
        if self.dcg == "exp-log2":
            check_labels(labels if lists.levels is None else lists.levels)
        if lists.levels is not None:
            return self.gain(lists.levels), lists
        largest = int(labels.max(initial=0))
        if largest < _LARGEST_TABLE:
            levels = np.arange(largest + 1)
        else:
            # Grades as large as prices would make a table by grade too long.
            levels, labels = np.unique(np.append(labels, 0), return_inverse=True)
            lists = lists._replace(labels=labels[:-1].astype(np.int64))
        return self.gain(levels), lists

    def choices(self, convention: Convention) -> tuple[str, ...]:
        discount = (
            "discount 1, 1, 1/log₂(rank)"
            if convention.letor_discount
            else "discount 1/log₂(1 + rank)"
        )
        return _GAINS[self.dcg], discount

    def sum_formula(
        self,
        convention: Convention,
        within: str,
        factor: str = r"\frac{1}{N} ",
    ) -> str:
        """Return, in LaTeX, the sum over some positions, times a factor, and its
        discount."""
        gain = r"(2^{y_i} - 1)" if self.dcg == "exp-log2" else "y_i"
        discount = (
            r"D(1) = 1,\; D(r) = \tfrac{1}{\log_2 r}"
            if convention.letor_discount
            else r"D(r) = \tfrac{1}{\log_2(1 + r)}"
        )
        sum_ = rf"{factor}\sum_{{{within}}} {gain}\, D(\pi_i)"
        return rf"{sum_}, \qquad {discount}"

    def cumulated(
        self, lists: Lists, convention: Convention, beta: float, normalised: bool
    ) -> Floats:
        """Return DCG or nDCG (q,) of the queries."""
        from rankcore._kernels.measures.cumulated_gain import dcg_kernel

        gains, lists = self.gains(lists)
        return dcg_kernel(
            *lists,
            gains,
            self.cutoff or 0,
            beta,
            convention.letor_discount,
            convention.short_ndcg,
            normalised,
        )


@dataclass(frozen=True)
class DCG(_CumulatedGain):
    r"""DCG@k = sum_i G_i D(rank_i) tau_i, which is not divided by the ideal and can
    exceed 1.

    G is the gain, D the discount, tau membership of the first k positions.
    """

    name = "DCG"
    title = "Discounted cumulative gain"
    meaning = (
        "Sum of the discounted gains, with most weight on the top; not normalised."
    )
    usually_cut = True
    judges_models = False
    paper = _PAPER
    letters = r"$\pi_i$ is the rank of document $i$, 1 at the top; $y_i$ is its label."

    def formula(self, convention: Convention) -> str:
        return rf"{self.symbol} = {self.sum_formula(convention, self.positions(), '')}"

    def values(self, lists: Lists, convention: Convention, beta: float) -> Floats:
        return self.cumulated(lists, convention, beta, False)


@dataclass(frozen=True)
class NDCG(_CumulatedGain):
    r"""nDCG@k = sum_i G_i D(rank_i) tau_i / N_k.

    G is the gain, D the discount, tau membership of the first k positions, and N_k the
    same sum for the ideal order. Without a cutoff the whole list counts.
    """

    name = "nDCG"
    aliases = ("NDCG",)
    title = "Normalised discounted cumulative gain"
    meaning = "Closeness to the ideal order, with most weight on the top; 1 is ideal."
    usually_cut = True
    paper = _PAPER

    def terms(self, labels: Integers, convention: Convention) -> Terms:
        gains, n = self.gain(labels), len(labels)
        counted = discounts(np.arange(1, n + 1), convention.letor_discount)
        counted *= self.within(n)
        ideal = dot(np.sort(gains)[::-1], counted) or 1.0
        factors = {"gain": gains, "discount": counted}
        return Terms(factors, gains * counted / ideal, ideal)

    def formula(self, convention: Convention) -> str:
        return rf"{self.symbol} = {self.sum_formula(convention, self.positions())}"

    def values(self, lists: Lists, convention: Convention, beta: float) -> Floats:
        return self.cumulated(lists, convention, beta, True)


@dataclass(frozen=True)
class MeanNDCG(_CumulatedGain):
    """Mean of nDCG@k over all k from 1 to the number of documents."""

    name = "MeanNDCG"
    title = "Mean nDCG over all cutoffs"
    meaning = "nDCG@k averaged over all cutoffs k, so the top counts more than in nDCG."
    paper = (
        "The evaluation script of LETOR 4.0: T. Qin, T.-Y. Liu, *Introducing LETOR "
        "4.0 datasets*, arXiv:1306.2597, 2013."
    )
    of_returned = False
    cutoffs = "never"

    def formula(self, convention: Convention) -> str:
        mean = r"\frac{1}{n} \sum_{k=1}^{n} \mathrm{nDCG@}k"
        each = self.sum_formula(convention, r"i:\, \pi_i \le k")
        return rf"{self.symbol} = {mean}, \qquad \mathrm{{nDCG@}}k = {each}"

    def values(self, lists: Lists, convention: Convention, beta: float) -> Floats:
        from rankcore._kernels.measures.cumulated_gain import mean_ndcg_kernel

        gains, lists = self.gains(lists)
        return mean_ndcg_kernel(*lists, gains, beta, convention.letor_discount)
