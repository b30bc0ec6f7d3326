"""Smooth measures: the settings and texts that several views share."""

import dataclasses

from rankcore.algorithms import Approximation
from rankcore.algorithms.approx_ap import ApproxAP
from rankcore.algorithms.approx_ndcg import ApproxNDCG
from rankcore.insight import approximate_list as insight
from rankcore.views import MORE, Choice, Number, Values, declared

POSITIONS = r"""
A document's position is 1 plus the number of documents with a higher score: a step for
each of them. With each step replaced by a logistic of sharpness α, positions are smooth
in the scores. So is any measure of positions once its own steps, such as a cutoff, are
replaced by logistics of sharpness β:

$$\hat\pi_i = 1 + \sum_{j \ne i} \sigma\big(\alpha (s_j - s_i)\big), \qquad
\mathbf 1\{\pi_i \le k\} \approx \sigma\big(\beta (k + \tfrac12 - \hat\pi_i)\big)$$

T. Qin, T.-Y. Liu, H. Li: *A general approximation framework for direct optimization of
information retrieval measures*. Information Retrieval 13:375-397, 2010.
"""
LETTERS = """
r is 1 for a document with a label above 0, m the number of these, N the best DCG of the
first k. NDCG without a cutoff lacks the last factor. The page draws the summand of one
query q: one list.
"""
CONDITIONS = """
δ is the distance to the nearest other score, ε the largest error of a position, m the
number of relevant documents. Theorem 2 needs ε < ½; the factor 2 in its second sum is
not needed. Read the sign as ≤.
"""
READING = """
The **force** on a document is the derivative of the surrogate by the document's score.

- **Scores and positions**: filled circles are true positions, open circles approximated
  ones. The green arrow is the force; its length is the square root of the force. A
  small ring marks a force that has vanished.
- **The cutoff**: a document half way down the logistic counts half.
- **Each measure and its surrogate**: values on the left, forces on each document on the
  right.
- **Error against α**: a dot is the error on this list, the thin line a theorem's bound.
- **Along training**: one run for each α and each β, all from the same start, with the
  distance between the surrogate it climbs and the measure after each iteration.

**Try.** Raise α from 10 to 300 on Table 1: the open circles reach the filled ones, and
the arrows vanish. Drag x₅ onto x₁ and find the α at which positions are right again.
"""

_ALPHA, *_ = declared(ApproxNDCG, "alpha")
_BETA, _OPTIMISER = declared(ApproxAP, "beta", "optimiser", group=MORE)
ALPHA = dataclasses.replace(_ALPHA, key="approx_alpha")
BETA = dataclasses.replace(_BETA, key="approx_beta")
OPTIMISER = dataclasses.replace(_OPTIMISER, key="approx_optimiser")
CUTOFF = Number(
    "approx_k",
    2,
    "Cutoff",
    "k",
    "Where nDCG@k and P@k cut the list.",
    low=1,
    high=10,
    whole=True,
)
MEASURE = Choice("approx_measure", "AP", "Measure", names=insight.surrogate_names())
SHARPNESS = (ALPHA, BETA, CUTOFF)
SURROGATE = (*SHARPNESS, MEASURE)


def place(values: Values) -> int:
    """The place of the chosen measure among all that have a surrogate."""
    return list(MEASURE.labels(values)).index(values.approx_measure)


def learner(values: Values) -> Approximation:
    """The learner that maximises the surrogate of the chosen measure."""
    alpha, beta, cutoff = values.approx_alpha, values.approx_beta, values.approx_k
    return insight.surrogates(alpha, beta, cutoff)[place(values)]


def _explained() -> dict[str, str]:
    learners = {type(each): each for each in insight.surrogates(1.0, 1.0, 1)}.values()
    equations = [
        f"**{each.title}.** {each.summary}\n\n$$\n{each.equation}\n$$\n\n{each.paper}"
        for each in learners
    ]
    theorems = [
        f"**{name}**\n\n$$\n{tex}\n$$" for name, tex in insight.THEOREMS.items()
    ]
    return {
        "The approximation": "\n\n".join([POSITIONS, *equations, LETTERS]),
        "The theorems": "\n\n".join([*theorems, CONDITIONS]),
        "How to read this": READING,
    }


EXPLAIN = _explained()
