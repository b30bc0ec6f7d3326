"""Reciprocal rank of the first relevant document."""

from dataclasses import dataclass

import numpy as np

from rankcore.measures._measure import BinaryMeasure, Floats, Integers, Lists, Terms
from rankcore.measures._rules import Convention


@dataclass(frozen=True)
class ReciprocalRank(BinaryMeasure):
    """RR = 1 / rank of the first relevant document; RR@k is 0 if that exceeds k."""

    name = "RR"
    takes_fractions = True
    aliases = ("MRR", "recip_rank")
    title = "Reciprocal rank"
    meaning = "Reciprocal of the first relevant document's rank: 1, 1/2, 1/3 and so on."
    paper = (
        "P. B. Kantor, E. M. Voorhees, *The TREC-5 confusion track*, Information "
        "Retrieval 2, 2000."
    )

    def terms(self, labels: Integers, convention: Convention) -> Terms:
        relevant, ranks = self.relevant(labels), np.arange(1.0, len(labels) + 1)
        first = relevant * (np.cumsum(relevant) == 1) * self.within(len(labels))
        factors = {"the first relevant": first, "1 / rank": 1.0 / ranks}
        return Terms(factors, first / ranks, 1.0)

    def formula(self, convention: Convention) -> str:
        rank = r"\min \{\pi_i:\, r_i = 1\}"
        if self.cutoff is None:
            return rf"{self.symbol} = \frac{{1}}{{{rank}}}"
        beyond = rf"\text{{ if that rank is at most }} {self.cutoff}, \text{{ else }} 0"
        return rf"{self.symbol} = \frac{{1}}{{{rank}}} {beyond}"

    def values(self, lists: Lists, convention: Convention, beta: float) -> Floats:
        from rankcore._kernels.measures.relevance import first_relevant_kernel

        least = self.threshold(lists)
        return first_relevant_kernel(*lists, least, self.cutoff or 0, beta, True)
