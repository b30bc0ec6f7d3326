"""Measures that distinguish judged from unjudged documents.

All other measures count an unjudged document as irrelevant.
"""

from dataclasses import dataclass

from rankcore.measures._measure import BinaryMeasure, Floats, Lists, Measure
from rankcore.measures._rules import Convention


@dataclass(frozen=True)
class BinaryPreference(BinaryMeasure):
    r"""bpref = 1/m sum_i (1 - min(n_i, m) / min(n, m)), over relevant documents i.

    Of the n judged irrelevant documents, :math:`n_i` are above i. Relevant documents
    that are not returned add nothing, as in trec_eval.
    """

    name = "Bpref"
    takes_fractions = True
    title = "Binary preference"
    meaning = (
        "1 if no judged irrelevant document is above a relevant one; unjudged ones are "
        "ignored."
    )
    paper = (
        "C. Buckley, E. M. Voorhees, *Retrieval evaluation with incomplete "
        "information*, SIGIR 2004."
    )
    cutoffs = "never"
    letters = (
        r"$m$ and $n$ are the numbers of relevant and of judged irrelevant documents; "
        r"$n_i$ of the latter are above the relevant document $i$."
    )
    reads_irrelevant = True

    def formula(self, convention: Convention) -> str:
        lost = r"\frac{\min(n_i, m)}{\min(n, m)}"
        sum_ = rf"\sum_{{i:\, r_i = 1}} \left(1 - {lost}\right)"
        return rf"{self.symbol} = \frac{{1}}{{m}} {sum_}"

    def values(self, lists: Lists, convention: Convention, beta: float) -> Floats:
        from rankcore._kernels.measures.judged import bpref_kernel

        return bpref_kernel(*lists, self.threshold(lists), beta)


@dataclass(frozen=True)
class Judged(Measure):
    """Judged@k: the share of judged documents in the first k, or all if fewer."""

    name = "Judged"
    takes_fractions = True
    title = "Judged documents"
    meaning = "Share of the first k documents that have a judgement."
    paper = (
        "S. MacAvaney, C. Macdonald, I. Ounis, *Streamlining evaluation with "
        "ir-measures*, ECIR 2022."
    )
    usually_cut = True
    undefined_without = "documents"
    judges_models = False
    letters = (
        r"$\pi_i$ is the rank of document $i$, 1 at the top; $n$ is the number of "
        "documents."
    )

    def formula(self, convention: Convention) -> str:
        depth = "n" if self.cutoff is None else rf"\min({self.cutoff}, n)"
        judged = rf"\#\{{i \text{{ judged}}:\, \pi_i \le {depth}\}}"
        return rf"{self.symbol} = \frac{{{judged}}}{{{depth}}}"

    def values(self, lists: Lists, convention: Convention, beta: float) -> Floats:
        from rankcore._kernels.measures.judged import judged_kernel

        return judged_kernel(*lists, self.cutoff or 0, beta)
