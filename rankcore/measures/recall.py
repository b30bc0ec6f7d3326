"""Recall and success: relevant documents in the first positions."""

from dataclasses import dataclass

from rankcore.measures._measure import BinaryMeasure, Floats, Lists
from rankcore.measures._rules import Convention

_BOOK = (
    "C. D. Manning, P. Raghavan, H. Schütze, *Introduction to information retrieval*, "
    "Cambridge University Press, 2008, section 8.3."
)


@dataclass(frozen=True)
class Recall(BinaryMeasure):
    """R@k = sum_i r_i tau_i / m, for m relevant documents, returned or not."""

    name = "R"
    takes_fractions = True
    aliases = ("Recall",)
    title = "Recall"
    meaning = "Share of the relevant documents that are in the first k positions."
    paper = _BOOK
    cutoffs = "always"
    usually_cut = True

    def formula(self, convention: Convention) -> str:
        within = self.positions()
        return rf"{self.symbol} = \frac{{1}}{{m}} \sum_{{{within}}} r_i"

    def values(self, lists: Lists, convention: Convention, beta: float) -> Floats:
        from rankcore._kernels.measures.relevance import recall_kernel

        return recall_kernel(*lists, self.threshold(lists), self.cutoff, beta)


@dataclass(frozen=True)
class Success(BinaryMeasure):
    """Success@k = 1 if one of the first k documents is relevant, else 0."""

    name = "Success"
    takes_fractions = True
    title = "Success"
    meaning = "Whether one of the first k documents is relevant."
    paper = (
        "S. MacAvaney, C. Macdonald, I. Ounis, *Streamlining evaluation with "
        "ir-measures*, ECIR 2022."
    )
    cutoffs = "always"
    usually_cut = True

    def formula(self, convention: Convention) -> str:
        first = r"\min \{\pi_i:\, r_i = 1\}"
        case = rf"\text{{ if }} {first} \le {self.cutoff}"
        return rf"{self.symbol} = 1 {case}, \text{{ else }} 0"

    def values(self, lists: Lists, convention: Convention, beta: float) -> Floats:
        from rankcore._kernels.measures.relevance import first_relevant_kernel

        least = self.threshold(lists)
        return first_relevant_kernel(*lists, least, self.cutoff, beta, False)
