"""Measures that tell judged documents from unjudged ones.

All others count an unjudged document as irrelevant.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from rankcore.measures._measure import BinaryMeasure, Floats, Lists, Measure
from rankcore.measures._rules import Convention


@dataclass(frozen=True)
class BinaryPreference(BinaryMeasure):
    r"""bpref = 1/m sum_i (1 - min(n_i, m) / min(n, m)), over relevant documents i.

    Of the n judged irrelevant documents, :math:`n_i` are above i. Relevant documents
    that are not returned add nothing, as in trec_eval.
    """

    name: ClassVar[str] = "Bpref"
    takes_fractions: ClassVar[bool] = True
    title: ClassVar[str] = "Binary preference"
    meaning: ClassVar[str] = (
        "How rarely judged irrelevant documents are above relevant ones; unjudged ones "
        "are ignored."
    )
    paper: ClassVar[str] = (
        "C. Buckley, E. M. Voorhees, *Retrieval evaluation with incomplete "
        "information*, SIGIR 2004."
    )
    cutoffs: ClassVar[Literal["never", "optional", "always"]] = "never"
    letters: ClassVar[str] = (
        r"$m$ and $n$ are the numbers of relevant and of judged irrelevant documents; "
        r"$n_i$ of the latter are above the relevant document $i$."
    )
    reads_irrelevant: ClassVar[bool] = True

    def formula(self, convention: Convention) -> str:
        lost = r"\frac{\min(n_i, m)}{\min(n, m)}"
        sum_ = rf"\sum_{{i:\, r_i = 1}} \left(1 - {lost}\right)"
        return rf"\mathrm{{Bpref}} = \frac{{1}}{{m}} {sum_}"

    def values(self, lists: Lists, convention: Convention, beta: float) -> Floats:
        from rankcore._kernels.measures.judged import bpref_kernel

        return bpref_kernel(*lists, self.threshold(lists), beta)


@dataclass(frozen=True)
class Judged(Measure):
    """Judged@k: the share of judged documents among the first k, or all if fewer."""

    name: ClassVar[str] = "Judged"
    takes_fractions: ClassVar[bool] = True
    title: ClassVar[str] = "Judged documents"
    meaning: ClassVar[str] = "Share of the first k documents that have a judgement."
    paper: ClassVar[str] = (
        "S. MacAvaney, C. Macdonald, I. Ounis, *Streamlining evaluation with "
        "ir-measures*, ECIR 2022."
    )
    usually_cut: ClassVar[bool] = True
    undefined_without: ClassVar[str] = "documents"
    judges_models: ClassVar[bool] = False
    letters: ClassVar[str] = (
        r"$\pi_i$ is the rank of document $i$, 1 at the top; $n$ is the number of "
        "documents."
    )

    def formula(self, convention: Convention) -> str:
        at, depth = "", "n"
        if self.cutoff is not None:
            at, depth = f"@{self.cutoff}", rf"\min({self.cutoff}, n)"
        judged = rf"\#\{{i \text{{ judged}}:\, \pi_i \le {depth}\}}"
        return rf"\mathrm{{Judged{at}}} = \frac{{{judged}}}{{{depth}}}"

    def values(self, lists: Lists, convention: Convention, beta: float) -> Floats:
        from rankcore._kernels.measures.judged import judged_kernel

        return judged_kernel(*lists, self.cutoff or 0, beta)
