"""Precision: P@k, average precision, winner takes all.

Their smooth forms with soft ranks are eqs. (14) to (16) of T. Qin, T.-Y. Liu, H. Li,
*A general approximation framework for direct optimization of information retrieval
measures*, Information Retrieval 13, 2010.
"""

from dataclasses import dataclass

import numpy as np

from rankcore.measures._measure import BinaryMeasure, Floats, Integers, Lists, Terms
from rankcore.measures._rules import Convention

_BOOK = (
    "C. D. Manning, P. Raghavan, H. Schütze, *Introduction to information retrieval*, "
    "Cambridge University Press, 2008, section 8.4."
)


@dataclass(frozen=True)
class Precision(BinaryMeasure):
    """P@k = sum_i r_i tau_i / k; positions beyond the list's end count as misses."""

    name = "P"
    takes_fractions = True
    aliases = ("Precision",)
    title = "Precision"
    meaning = "Share of relevant documents in the first k positions."
    paper = _BOOK
    cutoffs = "always"
    usually_cut = True

    def terms(self, labels: Integers, convention: Convention) -> Terms:
        relevant = self.relevant(labels)
        counts = self.within(len(labels)).astype(np.float64)
        factors = {"relevant": relevant, "counts": counts}
        whole = float(self.cutoff or len(labels))
        return Terms(factors, relevant * counts / whole, whole)

    def formula(self, convention: Convention) -> str:
        share = rf"\frac{{1}}{{{self.cutoff}}}"
        return rf"{self.symbol} = {share} \sum_{{{self.positions()}}} r_i"

    def values(self, lists: Lists, convention: Convention, beta: float) -> Floats:
        from rankcore._kernels.measures.relevance import precision_kernel

        short_defined = convention.short_precision
        least = self.threshold(lists)
        return precision_kernel(*lists, least, self.cutoff, beta, short_defined)


@dataclass(frozen=True)
class WinnerTakesAll(BinaryMeasure):
    """WTA, which is P@1: 1 if the document at the top is relevant, else 0."""

    name = "WTA"
    takes_fractions = True
    title = "Winner takes all"
    meaning = "Whether the document at the top is relevant."
    paper = (
        "Q. V. Le, A. Smola, *Direct optimization of ranking measures*, "
        "arXiv:0704.3359, 2007."
    )
    cutoffs = "never"

    def formula(self, convention: Convention) -> str:
        return rf"{self.symbol} = \sum_{{i:\, \pi_i = 1}} r_i"

    def values(self, lists: Lists, convention: Convention, beta: float) -> Floats:
        from rankcore._kernels.measures.relevance import precision_kernel

        return precision_kernel(*lists, self.threshold(lists), 1, beta, True)


@dataclass(frozen=True)
class AveragePrecision(BinaryMeasure):
    """AP = 1/m sum over relevant documents of precision at their rank.

    AP@k counts relevant documents beyond position k as misses and divides by the total
    number m of relevant documents, as trec_eval does.
    """

    name = "AP"
    takes_fractions = True
    aliases = ("MAP",)
    title = "Average precision"
    meaning = "Mean precision at relevant documents; high if all are near the top."
    paper = _BOOK

    def terms(self, labels: Integers, convention: Convention) -> Terms:
        relevant = self.relevant(labels)
        precision = np.cumsum(relevant) / np.arange(1.0, len(labels) + 1)
        counted, whole = relevant * self.within(len(labels)), max(relevant.sum(), 1.0)
        factors = {"precision up to here": precision, "relevant": counted}
        return Terms(factors, precision * counted / whole, float(whole))

    def formula(self, convention: Convention) -> str:
        above = r"\frac{\#\{j:\, r_j = 1,\, \pi_j \le \pi_i\}}{\pi_i}"
        relevant = rf"\sum_{{{self.positions('r_i = 1')}}}"
        return rf"{self.symbol} = \frac{{1}}{{m}} {relevant} {above}"

    def values(self, lists: Lists, convention: Convention, beta: float) -> Floats:
        from rankcore._kernels.measures.relevance import average_precision_kernel

        least = self.threshold(lists)
        return average_precision_kernel(*lists, least, self.cutoff or 0, beta)
