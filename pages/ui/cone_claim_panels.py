"""The panels of the Cones page that put claims of the paper to the test."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.ui import cone_points, cone_training, downloads, frame, state
from pages.ui.cone_training import Wanted
from pages.ui.theme import algorithm_style, colours
from rankcore.charts import cone_claims as charts
from rankcore.charts.cone import vector_name
from rankcore.insight import cone_claims as insight
from rankcore.insight import cone_view

Floats = NDArray[np.float64]
Tables = dict[str, Any]

RATES = (0.001, 0.01, 0.1)
CASES = 200
MOST_VECTORS = 6
NOISE = 0.05
DOCUMENTS = np.array(
    [[0.9, 0.7], [0.2, 1.1], [1.1, -0.2], [-0.3, 0.4], [0.4, -0.6], [-0.8, -0.3]]
)
NAMES = tuple("ABCDEF")
ACUTE = np.array([[1.0, 0.2], [0.3, 0.9]])
DIAGONAL = np.array([[2.0, 0.0], [0.0, 1.0]])
TARGET = np.array([[1.0, 0.2]])
SLANTED = np.array([[1.0, 0.0], [-1.0, 1.0]])
AGAINST = np.array([[-1.0, 0.0]])


def _votes_settings() -> None:
    cone_points.fields("cone_documents", DOCUMENTS, NAMES, "Document")
    cone_points.fields("cone_vectors", ACUTE, _vectors(2), "Vector")


def _votes() -> Tables:
    documents = cone_points.read("cone_documents", DOCUMENTS)
    basis = cone_points.read("cone_vectors", ACUTE).T
    found = insight.order(basis, documents)
    same = bool((found.by_score == found.by_votes).all())
    _verdict(
        "Algorithm 2 counts votes of all pairs, in O(n²NK). Sorting by one linear "
        "score does the same in O(nN).",
        "It holds: the sum of a pair's free weights is 1ᵀU⁺(x − x′) = aᵀx − aᵀx′ with "
        "a = (U⁺)ᵀ1, so a pair's vote is the sign of a difference of scores.",
        holds=True,
    )
    facts = [
        frame.Fact("These two orders", "the same" if same else "differ"),
        frame.Fact(
            "Random cones and lists",
            f"{CASES - _differing()} of {CASES} agree",
            "2 to 6 features, 1 to 8 vectors",
        ),
        frame.Fact("Votes in all", str(int(found.votes.sum())), "one a pair"),
        frame.Fact(
            "a",
            "({:.3f}, {:.3f})".format(*found.direction).replace("-", "−"),
            "scores a document",
        ),
    ]
    frame.facts(facts)
    ordered = {
        "document": list(NAMES),
        "feature 1": documents[:, 0],
        "feature 2": documents[:, 1],
        "score": found.scores,
        "votes": found.votes,
    }
    pairs = [
        {"pair": f"{NAMES[i]}, {NAMES[j]}", "1ᵀU⁺z": value}
        for i, j, value in insight.pair_sums(basis, documents)
    ]
    left, right = st.columns([3, 2], gap="medium")
    with left:
        frame.heading(
            "Documents and their places along a", "drag a document or a vector"
        )
        frame.figure(
            charts.documents_picture(
                basis, documents, found, NAMES, _colour(), colours()
            ),
            key="cone_documents_plane",
            alt=f"{NAMES[found.by_score[0]]} lies furthest along a and is first.",
            table=ordered,
            on_drag=_drag_document,
        )
    with right:
        frame.heading("Two orders", "a line that crosses would be a difference")
        frame.figure(
            charts.orders_picture(found, NAMES, colours()),
            key="cone_orders",
            alt="Votes and scores give "
            + ("the same order." if same else "orders that differ."),
            table=pairs,
        )
    if not same:
        st.caption(
            "Documents of equal score: the vote of such a pair goes to the second, "
            "where sorting keeps the order of the input."
        )
    return {"Facts": downloads.facts(facts), "Documents": ordered, "Pairs": pairs}


def _drag_document(trace: str, place: int, x: float, y: float) -> None:
    if trace == "documents":
        cone_points.move("cone_documents", DOCUMENTS, place, (x, y))
    elif trace == "u":
        cone_points.move("cone_vectors", ACUTE, place, (x, y))


@lru_cache(maxsize=1)
def _differing() -> int:
    return insight.orders_that_differ(CASES)


def _bias_settings() -> None:
    st.select_slider(
        "Step length &ensp;$\\mu$",
        RATES,
        state.default("cone_rate"),
        help="Of both gradient rules.",
        **state.widget("cone_rate"),
    )
    cone_points.fields("cone_target", TARGET, ["z"], "Difference $z$")
    cone_points.fields("cone_vectors", DIAGONAL, _vectors(2), "Vector")


def _bias() -> Tables:
    z = cone_points.read("cone_target", TARGET)[0]
    basis = cone_points.read("cone_vectors", DIAGONAL).T
    rate = float(state.get("cone_rate"))
    paths = insight.folding_paths(basis, z, rate if rate in RATES else 0.01)
    exact, printed = paths["exact"], paths["sg"]
    excess = float(printed.values[-1] - exact.values[-1])
    _verdict(
        "Steps 1a to 1c of Algorithm 1 take a gradient step, clip at zero and divide "
        "by the sum, to stay on the simplex.",
        "That is no projection. Where it comes to rest the slopes of the weights in "
        "use differ, so the weights are not the best, whatever μ is. Exponentiated "
        "gradient rests only where they are equal.",
        holds=False,
    )
    st.latex(
        rf"\|z - U w_\mathrm{{sg}}\|^2 = {printed.values[-1]:.6f} \;"
        rf"{'>' if excess > 1e-9 else '='}\; {exact.values[-1]:.6f} = "
        rf"\|z - U w^*\|^2, \qquad w_\mathrm{{sg}} = {_vector(printed.weights[-1])},"
        rf"\; w^* = {_vector(exact.weights[-1], 4)}"
    )
    rules = [_row(rule, path) for rule, path in paths.items()]
    steps = {
        "steps": printed.steps,
        **{
            f"{charts.RULE_NAMES[rule]} − exact": paths[rule].values - exact.values[-1]
            for rule in ("eg", "sg")
        },
    }
    left, right = st.columns(2, gap="medium")
    with left:
        frame.heading("Squared distance along the weights", "near where the rules end")
        frame.figure(
            charts.segment_picture(insight.along_segment(basis, z), paths, colours()),
            key="cone_segment",
            alt=f"Clipping and rescaling ends {excess:.6f} above the best.",
            table=rules,
        )
    with right:
        frame.heading("Above the best, step after step", f"μ = {rate:g}")
        frame.figure(
            charts.excess_picture(paths, colours()),
            key="cone_excess",
            alt=f"EG goes down to the best; SG stays {excess:.6f} above it.",
            table=steps,
        )
    st.dataframe(rules, hide_index=True, key="cone_rules")
    return {"Rules": rules, "Steps": steps}


def _row(rule: str, path: insight.FoldingPath) -> dict[str, object]:
    return {
        "rule": charts.RULE_NAMES[rule],
        "steps": "until solved" if rule == "exact" else f"{path.steps[-1]:,}",
        **{
            f"w{vector_name(k)[1:]}": f"{w:.6f}" for k, w in enumerate(path.weights[-1])
        },
        "squared distance": f"{path.values[-1]:.6f}",
        "slopes": _vector(path.slopes, 4),
    }


def _flat_settings() -> None:
    st.slider(
        "Vectors &ensp;$K$",
        1,
        MOST_VECTORS,
        state.default("cone_flat"),
        help="The space has N = 3 features.",
        **state.widget("cone_flat"),
    )


def _flat() -> Tables:
    k = int(state.get("cone_flat"))
    wanted = Wanted(cone_training.TOYS["3-D"], noise=NOISE)
    z = cone_view.points(cone_training.scene(wanted).dataset).z
    cones = [
        cone_training.passes(wanted, (("n_basis", n),))[-1].basis
        for n in range(1, MOST_VECTORS + 1)
    ]
    view, found = cone_view.look(cones[k - 1], z), insight.interior(cones[k - 1])
    n = z.shape[1]
    _verdict(
        "Section 3.2 calls the learned cone proper, with K of N vectors, and orders "
        "documents by its generalised inequality.",
        f"A proper cone has an inside. One of K < N vectors is flat: here N = {n}, and "
        f"with K = {k} "
        + (
            "a point of it, moved a little to either side, has left it. No difference "
            "in general position is in the cone, so the inequality orders no pair; it "
            "is the half-space of a that ranks."
            if k < n
            else "it has an inside, which grows with K until the cone is everything "
            "and its inequality contradicts itself."
        ),
        holds=k >= n,
    )
    there, back = found.distances
    facts = [
        frame.Fact("Differences inside", f"{view.inside.mean():.1%}", f"K = {k}"),
        frame.Fact("Opening", f"{view.opening:.2f}", "1 is a half-space"),
        frame.Fact(
            "Distance after a move",
            f"{there:.3g} and {back:.3g}",
            f"moved by ε = {found.step:g} along n",
        ),
        frame.Fact(
            "Pairs that a puts in order", f"{view.right.mean():.1%}", "all count"
        ),
    ]
    frame.facts(facts)
    names = cone_training.scene(wanted).dataset.feature_names
    differences = {
        f"z: {name}": column for name, column in zip(names, z.T, strict=True)
    } | {"inside": view.inside}
    shares = [insight.share_inside(cone, z) for cone in cones]
    every = {"K": list(range(1, len(shares) + 1)), "inside": shares}
    left, right = st.columns([3, 2], gap="medium")
    with left:
        frame.heading(
            "The cone among the differences", "squares: inside; drag to orbit"
        )
        frame.figure(
            charts.interior_picture(view, z, found, names, _colour(), colours()),
            key="cone_flat_space",
            alt=f"The cone of {k} vectors in {n} dimensions holds "
            f"{view.inside.mean():.0%} of the differences.",
            table=differences,
        )
    with right:
        frame.heading("Inside, for every K", "hollow: none at all")
        frame.figure(
            charts.interior_shares_picture(shares, k, _colour(), colours()),
            key="cone_inside",
            alt=f"Below K = {n} no difference is inside; at K = {MOST_VECTORS} "
            f"{shares[-1]:.0%} are.",
            table=every,
        )
    return {
        "Facts": downloads.facts(facts),
        "Differences": differences,
        "Every K": every,
    }


def _negative_settings() -> None:
    cone_points.fields("cone_vectors", SLANTED, _vectors(2), "Vector")
    cone_points.fields("cone_target", AGAINST, ["z"], "Difference $z$")


def _negative() -> Tables:
    basis = cone_points.read("cone_vectors", SLANTED).T
    z = cone_points.read("cone_target", AGAINST)[0]
    found = insight.negative(basis, z)
    zero = bool(np.allclose(found.projection, 0.0, atol=1e-9))
    _verdict(
        "Section 3.2: a difference in the negative of the cone projects to zero.",
        "That needs vectors at right or acute angles to each other. In general it is "
        "Uᵀz ≤ 0 that makes P(z) = 0; a difference may lie in −cone and still be "
        "nearer to another vector than to the origin.",
        holds=False,
    )
    st.latex(
        rf"z = {_vector(z, 3)}, \quad U^\top z = {_vector(found.products, 3)}, \quad "
        rf"P(z) = {_vector(found.projection, 3)}"
    )
    facts = [
        frame.Fact("z in −cone", "yes" if found.in_negative else "no"),
        frame.Fact(
            "Uᵀz ≤ 0",
            "yes" if (found.products <= 1e-9).all() else "no",
            "then, and only then, P(z) = 0",
        ),
        frame.Fact("P(z) = 0", "yes" if zero else "no"),
        frame.Fact(
            "Angle of u₁ and u₂",
            f"{cone_view.angle(basis[:, 0], basis[:, 1]):.0f}°",
            "over 90° the claim fails somewhere",
        ),
    ]
    frame.facts(facts)
    points = {
        "": ["u₁", "u₂", "z", "P(z)"],
        "1": [*basis[0], z[0], found.projection[0]],
        "2": [*basis[1], z[1], found.projection[1]],
    }
    frame.heading(
        "A cone, its negative, and a projection", "drag z, u₁ or u₂; dotted: uᵀz = 0"
    )
    frame.figure(
        charts.negative_picture(basis, z, found, _colour(), colours()),
        key="cone_negative",
        alt=f"z projects to {_vector(found.projection, 3)}"
        + (
            ", though it lies in the negative of the cone."
            if found.in_negative and not zero
            else "."
        ),
        table=points,
        on_drag=_drag_negative,
    )
    return {"Facts": downloads.facts(facts), "Points": points}


def _drag_negative(trace: str, place: int, x: float, y: float) -> None:
    if trace == "z":
        cone_points.move("cone_target", AGAINST, 0, (x, y))
    elif trace == "u":
        cone_points.move("cone_vectors", SLANTED, place, (x, y))


class Claim(NamedTuple):
    """A claim: its controls, and what it draws and returns as tables by name."""

    settings: Callable[[], None]
    show: Callable[[], Tables]


CLAIMS: Mapping[str, Claim] = {
    "Votes and the linear score": Claim(_votes_settings, _votes),
    "Clipping is a projection": Claim(_bias_settings, _bias),
    "A cone of few vectors is proper": Claim(_flat_settings, _flat),
    "The negative projects to zero": Claim(_negative_settings, _negative),
}


def settings() -> Claim:
    """Choose a claim, and what it is about."""
    name = st.radio(
        "Claim",
        list(CLAIMS),
        on_change=_forget,
        **state.widget("cone_claim"),
    )
    claim = CLAIMS[name]
    claim.settings()
    return claim


def show(claim: Claim) -> Tables:
    """The chosen claim beside its check; returns its numbers."""
    return claim.show()


def _forget() -> None:
    """Another claim begins with its own points."""
    for key in ("cone_vectors", "cone_target"):
        state.put(key, "")


def _verdict(claim: str, truth: str, holds: bool) -> None:
    left, right = st.columns([2, 3], gap="medium")
    left.markdown(f"**Claimed.** {claim}")
    right.markdown(f"**{'It holds' if holds else 'It does not hold'}.** {_rest(truth)}")


def _rest(truth: str) -> str:
    """The reason, without repeating the verdict."""
    begun = truth.removeprefix("It holds: ")
    return begun[0].upper() + begun[1:]


def _vectors(count: int) -> list[str]:
    return [vector_name(k) for k in range(count)]


def _vector(numbers: Floats, digits: int = 6) -> str:
    return "({})".format(", ".join(f"{n + 0.0:.{digits}f}" for n in numbers))


def _colour() -> str:
    return algorithm_style("ConeRank")[0]
