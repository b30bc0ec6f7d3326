"""Area under the receiver operating characteristic curve, within each query."""

from dataclasses import dataclass

from rankcore.measures._measure import BinaryMeasure, Floats, Lists
from rankcore.measures._rules import Convention


@dataclass(frozen=True)
class AreaUnderCurve(BinaryMeasure):
    r"""AUC = 1 - (pairs with an irrelevant document above a relevant one) / pairs.

    It is computed from the sum of the relevant documents' ranks. For soft ranks, whose
    comparisons of two documents sum to one, the same sum gives the mean of sigma(alpha
    (s_g - s_b)) over pairs, so beta has no effect.
    """

    name = "AUC"
    takes_fractions = True
    title = "Area under the ROC curve"
    meaning = "Probability that a relevant document is above an irrelevant one."
    paper = (
        "J. A. Hanley, B. J. McNeil, *The meaning and use of the area under a receiver "
        "operating characteristic (ROC) curve*, Radiology 143, 1982."
    )
    cutoffs = "never"
    of_returned = False
    undefined_without = "both relevant and irrelevant documents"

    def formula(self, convention: Convention) -> str:
        right = r"\#\{(i, j):\, r_i = 1,\, r_j = 0,\, \pi_i < \pi_j\}"
        return rf"{self.symbol} = \frac{{{right}}}{{m\,(n - m)}}"

    def values(self, lists: Lists, convention: Convention, beta: float) -> Floats:
        from rankcore._kernels.measures.relevance import auc_kernel

        return auc_kernel(*lists, self.threshold(lists))
