"""What the paper on approximation claims and what is true, an example a claim."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from pages.ui import claims, downloads, frame, state
from pages.ui.approximation_panels import ALPHAS, small
from pages.ui.claims import Claim, Tables
from pages.ui.theme import colours
from rankcore.charts.approximation_errors import (
    centre_figure,
    sweep_figure,
    ties_figure,
)
from rankcore.insight import approximate_list, approximation_claims
from rankcore.insight.approximation import position_bound, position_errors

TIED = [1.0, 1.0, 0.0]
TABLE_1 = "4.20074:1, 3.12378:0, 4.40918:0, 1.55258:0, 4.1333:0"
NEAREST = 4.20074 - 4.13330
PAIR = ([0.3, 0.1], [1, 0])


def settings() -> str:
    """Choose the claim."""
    chosen = st.radio("Claim", list(CLAIMS), **state.widget("approx_claim"))
    st.caption(
        "T. Qin, T.-Y. Liu, H. Li: A general approximation framework for direct "
        "optimization of information retrieval measures. Information Retrieval "
        "13:375-397, 2010."
    )
    return chosen


def show(name: str) -> Tables:
    """Draw a claim beside its check; returns its numbers."""
    claim = CLAIMS[name]
    scene = {"approx_view": "One list"} | dict(claim.scene)
    return claims.show(
        claim._replace(scene=scene), "approx_scene", "Show it on the list"
    )


def _ties() -> Tables:
    positions = approximation_claims.tied_positions(TIED)
    all_tied = approximation_claims.tied_measures([1.0, 1.0, 1.0], [1, 1, 0])
    pair = approximation_claims.tied_measures(TIED, [1, 1, 0])
    facts = [
        frame.Fact(
            "NDCG by equation 10",
            f"{all_tied.ndcg['best']:.6f}",
            "three tied scores, labels 1, 1, 0",
        ),
        frame.Fact("NDCG of a strict order", f"{all_tied.ndcg['strict']:.1f}"),
        frame.Fact(
            "AP, first line of equation 7",
            f"{pair.precision_form:.1f}",
            "scores 1, 1, 0, labels 1, 1, 0",
        ),
        frame.Fact("AP, its second line", f"{pair.pairs_form:.1f}"),
        frame.Fact("AP of a strict order", f"{pair.average_precision:.1f}"),
    ]
    frame.facts(facts)
    rules = {
        "equation 10": positions.best,
        "equation 12": positions.middle,
        "strict order": positions.strict,
    }
    table = {"document": ["x1", "x2", "x3"], "score": TIED, **rules}
    frame.heading("Positions of the scores 1, 1, 0", "by each rule")
    frame.figure(
        ties_figure(rules, [1, 1, 0], colours()),
        key="claim_ties",
        alt="Equation 10 puts both tied documents on position 1, equation 12 on 1.5, a "
        "strict order on 1 and 2.",
        table=table,
    )
    return {"Facts": downloads.facts(facts), "Positions": table}


def _equality() -> Tables:
    scores, labels = PAIR
    learner = approximate_list.surrogates(1.0, 1.0, 1)[0]
    swept = approximate_list.sweep(learner, scores, labels, ALPHAS)
    three = [1.0, 0.8, 0.8]
    found = position_errors(approximate_list.one_list(three, [1, 0, 0]), three, 10.0)
    at = int(np.argmin(np.abs(ALPHAS - 10.0)))
    facts = [
        frame.Fact(
            "Error, two documents",
            small(float(swept.position_error[at])),
            f"scores 0.3 and 0.1, α = {ALPHAS[at]:.3g}",
        ),
        frame.Fact("Its bound", small(float(swept.position_bound[at])), "the same"),
        frame.Fact(
            "Error, three documents",
            small(float(found.error[0])),
            "scores 1, 0.8, 0.8, α = 10",
        ),
        frame.Fact("Its bound", small(float(found.bound[0])), "the same"),
        frame.Fact("Error over bound", f"{float(found.error[0] / found.bound[0]):.6f}"),
    ]
    frame.facts(facts)
    table = {
        "α": swept.alphas,
        "error": swept.position_error,
        "bound": swept.position_bound,
    }
    frame.heading("Two documents", "dots: error of a position; line: its bound")
    frame.figure(
        sweep_figure(swept, 10.0, measured=False, palette=colours()),
        key="claim_equality",
        alt="With two documents every measured error lies on the bound.",
        table=table,
    )
    return {"Facts": downloads.facts(facts), "Two documents": table}


def _centre() -> Tables:
    beta = float(state.get("approx_beta"))
    found = approximation_claims.centre_errors(beta, np.linspace(0.0, 1.0, 101))
    half = 50
    printed = [approximation_claims.centre_errors(b, [0.5]).whole[0] for b in (1, 10)]
    facts = [
        frame.Fact(
            "Whole positions, γ = ½", f"{found.whole[half]:.6f}", f"β = {beta:g}"
        ),
        frame.Fact("Any position, γ = ½", f"{found.real[half]:.6f}", "σ(β / 2)"),
        frame.Fact("Any position, γ = 0", f"{found.real[0]:.1f}", "for every β"),
        frame.Fact("Whole, γ = ½, β = 1", f"{printed[0]:.6f}"),
        frame.Fact("Whole, γ = ½, β = 10", f"{printed[1]:.6f}"),
    ]
    frame.facts(facts)
    table = {"γ": found.gammas, "whole": found.whole, "any": found.real}
    frame.heading(
        "Worst error against γ", f"β = {beta:g}; rings: the smallest worst error"
    )
    frame.figure(
        centre_figure(*found, colours()),
        key="claim_centre",
        alt=f"For whole positions the worst error is smallest at γ = ½, "
        f"{found.whole[half]:.3f}; for any position at γ = 0, where it is 0.5.",
        table=table,
    )
    return {"Facts": downloads.facts(facts), "Worst error": table}


def _long() -> Tables:
    short = float(position_bound(5, 100.0, NEAREST))
    vacuous = float(position_bound(1000, 100.0, NEAREST))
    sharp = float(position_bound(1000, 200.0, NEAREST))
    facts = [
        frame.Fact("n = 5, α = 100", f"{short:.7f}", "the paper prints 0.00471"),
        frame.Fact("n = 1000, α = 200", f"{sharp:.8f}", "the paper: 0.001386"),
        frame.Fact("n = 1000, α = 100", f"{vacuous:.3f}", "says nothing"),
    ]
    frame.facts(facts)
    alphas = np.array([50.0, 100.0, 150.0, 200.0, 300.0])
    frame.heading("The bound of Theorem 1", "Table 1's nearest scores, 0.06744 apart")
    bounds = {
        f"n = {n}": [float(position_bound(n, a, NEAREST)) for a in alphas]
        for n in (5, 100, 1000)
    }
    st.dataframe(
        {"α": alphas}
        | {name: [small(bound) for bound in column] for name, column in bounds.items()},
        hide_index=True,
    )
    return {"Facts": downloads.facts(facts), "Bounds": {"α": alphas} | bounds}


CLAIMS: Mapping[str, Claim] = {
    "Ties": Claim(
        "A document's position is one more than the number of documents with a higher "
        "score (equation 10), and measures are functions of these positions (equations "
        "7 and 9):\n\n"
        r"$$\pi(x) = 1 + \sum_{y \ne x} \mathbf 1\{s_x < s_y\}$$"
        "\n\nThe two lines of equation 7 are taken for the same average precision.",
        "With equal scores all tied documents get the *best* position of their group. "
        "NDCG can then exceed 1, and the two lines of equation 7 differ. The smooth "
        "position (equation 12) gives the *middle* instead. Measures are to be taken "
        "of a strict order; the middle belongs inside the surrogate only.",
        _ties,
        {
            "approx_list": "1:1, 1:1, 0:0",
            "approx_alpha": 10.0,
            "approx_beta": 10.0,
            "approx_k": 2,
            "approx_measure": "nDCG",
        },
    ),
    "Strict inequality": Claim(
        "The error of a position is *smaller* than its bound (Theorem 1):\n\n"
        r"$$|\hat\pi_x - \pi_x| < \frac{n - 1}{e^{\alpha \delta_x} + 1}.$$",
        "It is *at most* the bound. For two documents both sides are always equal, and "
        "for more wherever all others lie at one distance on one side of a document. "
        "With pairwise different scores and three documents or more it is strict.",
        _equality,
        {
            "approx_list": "0.3:1, 0.1:0",
            "approx_alpha": 10.0,
            "approx_beta": 10.0,
            "approx_k": 1,
            "approx_measure": "AP",
        },
    ),
    "Centre of the cutoff": Claim(
        "The step at k is replaced by a logistic with its centre at k + γ, and the "
        "worst error is smallest for γ* = ½ (equations 16 and 17):\n\n"
        r"$$\gamma^* = \arg\min_\gamma \max_{\hat\pi} \Big| \mathbf 1\{\hat\pi \le k\} "
        r"- \sigma\big(\beta (k + \gamma - \hat\pi)\big) \Big| = \tfrac12.$$",
        "That is so for *whole* positions, where k and k + 1 are worst. Approximated "
        "positions are real numbers: just above k the step is 0 and the logistic "
        "σ(β γ). Then the best centre is γ = 0, with a worst error of one half for "
        "every β, and γ = ½ has σ(β / 2), more the sharper it is.",
        _centre,
        {
            "approx_list": "0.62:0, 0.6:1, 0.58:1, 0.1:0",
            "approx_alpha": 30.0,
            "approx_beta": 10.0,
            "approx_k": 2,
            "approx_measure": "P@k",
        },
    ),
    "Long lists": Claim(
        "Among 1000 documents, with α = 200 and the nearest scores as far apart as in "
        "Table 1, the error of a position is below 0.001386.",
        "So it is. With Table 1's own α = 100, though, the bound for 1000 documents is "
        "above 1 and says nothing: α has to grow with the logarithm of the list's "
        "length, and the gradient fades as it does.",
        _long,
        {
            "approx_list": TABLE_1,
            "approx_alpha": 100.0,
            "approx_beta": 100.0,
            "approx_k": 2,
            "approx_measure": "AP",
        },
    ),
}
