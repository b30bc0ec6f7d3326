"""Settings and texts of smooth measures for several views."""

import dataclasses

from pages.ui import texts
from rankcore.algorithms import Approximation
from rankcore.algorithms.approx_ap import ApproxAP
from rankcore.algorithms.approx_ndcg import ApproxNDCG
from rankcore.topics.approximation import approximate_list as insight
from rankcore.views import MORE, Choice, Number, Values, declared

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
    """Return the index of the chosen measure among those with a surrogate."""
    return list(MEASURE.labels(values)).index(values.approx_measure)


def learner(values: Values) -> Approximation:
    """Return the algorithm that maximises the surrogate of the chosen measure."""
    alpha, beta, cutoff = values.approx_alpha, values.approx_beta, values.approx_k
    return insight.surrogates(alpha, beta, cutoff)[place(values)]


def _explained() -> dict[str, str]:
    tabs = texts.tabs(__file__)
    learners = {type(each): each for each in insight.surrogates(1.0, 1.0, 1)}.values()
    equations = [
        f"**{each.title}.** {each.summary}\n\n$$\n{each.equation}\n$$\n\n{each.paper}"
        for each in learners
    ]
    theorems = [
        f"**{name}**\n\n$$\n{tex}\n$$" for name, tex in insight.THEOREMS.items()
    ]
    parts = [tabs["The approximation"], *equations, tabs.pop("Letters")]
    return tabs | {
        "The approximation": "\n\n".join(parts),
        "The theorems": "\n\n".join([*theorems, tabs["The theorems"]]),
    }


EXPLAIN = _explained()
