"""Reduction: what ranking by pairs promises for NDCG, and what it does not."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui import (
    downloads,
    explain,
    frame,
    measure_panels,
    reduction_export,
    reduction_list,
    reduction_panels,
    regret_panels,
    views,
)

VIEWS = ("Pairs", "Losses", "Swaps", "Regrets")

REDUCTION = r"""
Each pair of documents with $y_i > y_j$ becomes a question for a classifier: which of
the two is better? A wrong answer costs what swapping the two would change in NDCG,

$$w_{ij} = \tfrac1N \, \big|(2^{y_i} - 2^{y_j})(D(\pi_i) - D(\pi_j))\big|, \qquad
L = \sum_{y_i > y_j,\ \pi_i > \pi_j} w_{ij}, \qquad D(\pi) = 1 / \log_2(1 + \pi).$$

RSRank puts a smooth loss of the margin $s_i - s_j$ in place of the error:

$$\ell = \sum_{y_i > y_j} w_{ij}\, \phi(s_i - s_j), \qquad
\phi(v) = \begin{cases} -4v & v < -1 \\ (v - 1)^2 & |v| \le 1 \\ 0 & v > 1
\end{cases}$$

**Paper.** Z. Sun, T. Qin, Q. Tao, J. Wang: *Robust sparse rank learning for non-smooth
ranking measures.* SIGIR 2009.
"""

TRUE = r"""
- **Proved and true**: $1 - \mathrm{NDCG} \le L$ for every order and all labels, with
  equality for two documents, so “less than” must read “at most”. The same on average
  over random labels, and with RSRank's loss on the right.
- **Lemma 1** bounds every single swap on the way to the ideal order. That is false
  already for the labels 0, 1, 2 from the top down; only the sum over all swaps holds.
- **Theorem 1** of Sun et al. (SIGIR 2009) bounds the regret in NDCG by the regret of
  the classifier, each against the best one under the same random labels:

  $$\max_{\pi'} \mathrm{E}\,\mathrm{NDCG}(\pi') - \mathrm{E}\,\mathrm{NDCG}(\pi)
  \;<\; \mathrm{E}\,L(\pi) - \min_{\pi'} \mathrm{E}\,L(\pi').$$

  It is false from three documents on: an order can be best for pairs and lose NDCG. Its
  proof takes one order to be perfect for all labels at once.
- **Cycles**: a classifier that prefers in a circle has no wrong pair of any weight, yet
  the order that comes of it is arbitrary. The reduction needs a scoring function.
- **As printed**: equation (4) counts half of the pairs, the weight below equation (12)
  lacks its absolute value, and Procedure 1 teaches the opposite of what its classifier
  is to say. Each is computed below *Pairs*.
- **The hinge loss**, each pair counting the same, bounds $1 - \mathrm{NDCG}$ by its sum
  over pairs, not by its mean. Both are below *Losses*.
"""

READING = """
- **Pairs**: rows are the better documents, columns the worse ones, both by rank. Below
  the diagonal, in orange, the worse one stands above; these cells sum to L.
- **Losses**: every curve is at least 1 where the margin is not positive, so each sum is
  at least L. Only RSRank's is smooth and zero for good margins.
- **Swaps**: each filled dot should be below its hollow one if Lemma 1 were true.
- **Regrets**: what an order loses against the best one. Above the line Theorem 1 fails.

**Try.** Which single move lowers L and raises 1 − NDCG? In *Regrets*, drag p from 0.6
to 0.5: when does the order become best for pairs, and what does it still lose?
"""

PRESETS = {
    "Five documents": {"red_view": "Pairs", "ranking": "A0-B2-C1-D0-E1"},
    "Two documents: equality": {"red_view": "Pairs", "ranking": "A0-B1"},
    "A swap that gains too much": {"red_view": "Swaps", "ranking": "A0-B1-C2"},
    "0.6 / 0.4: the regret exceeds": {
        "red_view": "Regrets",
        "red_first": "001",
        "red_second": "110",
        "red_p": 0.6,
        "red_order": "132",
        "red_among": "all orders",
    },
    "0.55 / 0.45: best, and wrong": {
        "red_view": "Regrets",
        "red_first": "001",
        "red_second": "110",
        "red_p": 0.55,
        "red_order": "132",
        "red_among": "all orders",
    },
    "A cycle loses nothing": {
        "red_view": "Regrets",
        "red_first": "210",
        "red_second": "210",
        "red_p": 1.0,
        "red_order": "c1",
        "red_among": "all classifiers",
    },
}
for _preset in PRESETS.values():
    if "ranking" in _preset:
        _preset["red_source"] = "by hand"
PRESETS["A query of web search"] = {
    "red_view": "Pairs",
    "red_source": "a query of the data",
    "data": "mslr10k-sample",
    "query": 1,
}
PRESETS["As printed: upside down"] = {
    "red_view": "Pairs",
    "red_source": "by hand",
    "ranking": "A2-B1-C0",
}


def body(actions: DeltaGenerator) -> None:
    """What the page shows, and its export in ``actions``."""
    view = views.picker("red_view", VIEWS)
    settings, picture = frame.split()
    if view == "Regrets":
        chosen = regrets(settings, picture)
        rows = regret_panels.table(chosen)
    else:
        ranked = one_list(view, settings, picture)
        rows = reduction_export.pairs(ranked)
    with picture:
        explain.panel(
            {
                "The reduction": REDUCTION,
                "What is true": TRUE,
                "How to read this": READING,
            }
        )
    with actions:
        downloads.menu({"Orders" if view == "Regrets" else "Pairs": lambda: rows})


def one_list(
    view: str, settings: DeltaGenerator, picture: DeltaGenerator
) -> reduction_list.RankedList:
    """The views that take one list apart."""
    with settings:
        make = reduction_list.settings()
        loss = reduction_panels.loss_picker() if view == "Losses" else None
    with picture:
        strip = measure_panels.place()
        figures, column = measure_panels.columns()
    with column:
        ranked = make()
    with strip:
        reduction_panels.facts(ranked)
        reduction_panels.bound(ranked)
    with figures:
        if loss is not None:
            reduction_panels.curves(ranked, *loss)
            reduction_panels.totals(ranked)
            reduction_panels.hinge(ranked)
        elif view == "Swaps":
            reduction_panels.swaps(ranked)
        else:
            reduction_panels.weights(ranked)
            reduction_panels.plane(ranked)
            reduction_panels.as_printed(ranked)
    return ranked


def regrets(settings: DeltaGenerator, picture: DeltaGenerator) -> regret_panels.Chosen:
    """The regret plane of a label distribution."""
    with settings:
        chosen = regret_panels.settings()
    with picture:
        regret_panels.facts(chosen)
        left, right = st.columns(2, gap="medium")
        with left:
            regret_panels.plane(chosen)
        with right:
            regret_panels.along(chosen)
        regret_panels.verdict(chosen)
    return chosen


frame.run("Reduction", "What do pairs promise for the whole ranking?", body, PRESETS)
