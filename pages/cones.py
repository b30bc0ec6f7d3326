"""Cones: what ConeRank's cone is, what it captures, and what it says of a ranking."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from streamlit.delta_generator import DeltaGenerator

from pages.ui import (
    cone_claim_panels,
    cone_panels,
    cone_quality_panels,
    cone_settings,
    cone_training,
    explain,
    frame,
    rerun,
    views,
)
from pages.ui.views import View
from rankcore.algorithms.cone_rank import ConeRank

PLAY_SECONDS = 0.35

READING = """
A disc is a difference: a better document's features minus a worse one's, drawn shorter
the longer it is (α) and never longer than ρ. The cone is all that its vectors, the
squares, add up to with weights that are not negative.

- **Green** is what a difference is rebuilt to: sums whose weights add up to λ, between
  λₗ and λᵤ. A thin line goes from each difference to what rebuilds it; the objective is
  the mean of the squared lengths, so a λᵤ of 1 keeps even differences inside the cone
  apart from their images.
- **a** is the direction that scores documents. Half of all directions, the shaded side,
  count as better; pairs on the other side are diamonds.
- **z** is yours to drag, in space within the plane of the screen. Its weights are the
  bars beside the picture.

**Try.** Take three vectors in the plane: the objective falls to zero. What has become
of the cone, and of the share of pairs in order? Then press *Rebuilding everything*.
"""

SOURCES = """
T. T. Tran, D.-S. Pham: *ConeRANK: Ranking as learning generalized inequalities*,
arXiv:1206.4110, 2012. Equation (18) is what is trained, Algorithm 2 how documents are
ranked, Fig. 3 quality against K, Fig. 4 the spectrum.

T. Joachims: *Optimizing search engines using clickthrough data*, KDD 2002, for RankSVM.
"""

GEOMETRY = {"cone_view": "Geometry", "cone_pass": 30, "cone_z": ""}
PRESETS = {
    "A cone in the plane": GEOMETRY
    | {"cone_size": "2-D", "cone_k": 2, "cone_noise": 0.0},
    "A cone in space": GEOMETRY | {"cone_size": "3-D", "cone_k": 3, "cone_noise": 0.0},
    "Rebuilding everything": GEOMETRY
    | {"cone_size": "3-D", "cone_k": 6, "cone_noise": 0.0},
    "Web search, three directions": {
        "cone_view": "Any data",
        "data": "mslr10k-sample",
        "cone_along": "principal directions",
        "cone_size": "3-D",
        "cone_k": 3,
        "cone_z": "",
    },
    "More vectors, worse ranking": {
        "cone_view": "Quality and K",
        "data": "mslr10k-sample",
        "cone_most": 10,
    },
    "Clipping is no projection": {
        "cone_view": "What is true",
        "cone_claim": "Clipping is a projection",
        "cone_vectors": "",
        "cone_target": "",
    },
}


VIEWS: Mapping[str, View] = {
    "Geometry": View(cone_settings.toy_settings, cone_panels.show, cone_panels.export),
    "Any data": View(
        cone_settings.data_settings, cone_panels.show_data, cone_panels.export
    ),
    "Quality and K": View(
        cone_quality_panels.settings,
        cone_quality_panels.show,
        cone_quality_panels.export,
    ),
    "What is true": View(cone_claim_panels.settings, cone_claim_panels.show),
}


def body(playing: bool, actions: DeltaGenerator) -> None:
    """Controls and figures of the chosen view, drawn anew together.

    Parameters
    ----------
    playing : bool
        Whether this is run again and again to show one pass after the other.
    actions : DeltaGenerator
        Where the export goes.
    """
    if cone_training.playing() != playing:
        rerun.whole_page()
    views.show("cone_view", VIEWS, _parts, actions)


def _parts(view: str, values: Any) -> views.Parts:
    return {
        "The cone": lambda: explain.algorithm(ConeRank, _declared(values)),
        "How to read this": READING,
        "Sources": SOURCES,
        "Background": lambda: explain.background(ConeRank),
    }


def _declared(values: Any) -> dict[str, Any]:
    """Every hyperparameter, as the view has it or by default."""
    chosen = getattr(values, "named", None) or getattr(values, "values", {})
    return ConeRank().get_params() | dict(chosen)


moving = cone_training.playing()
frame.run(
    "Cones",
    "What has a cone of differences to do with ranking?",
    partial(body, moving),
    PRESETS,
    PLAY_SECONDS if moving else None,
)
