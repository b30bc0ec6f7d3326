"""The picture of a cone, in the plane or in space."""

from collections.abc import Collection

from rankcore.base.numbers import percent
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture
from rankcore.topics.cones.cone_figure import PARTS
from rankcore.topics.cones.plane_figure import plane_figure
from rankcore.topics.cones.sight import angle
from rankcore.topics.cones.space_figure import space_figure
from rankcore.topics.cones.trained import ConeState


def cone_figure(
    state: ConeState, parts: Collection[str] = PARTS, palette: Palette = LIGHT
) -> Picture:
    """Draw a cone of two or three features with the differences it was learned from.

    Parameters
    ----------
    parts : collection of str
        Which of `rankcore.topics.cones.cone_figure.PARTS` to draw.
    """
    draw = space_figure if len(state.z) == 3 else plane_figure
    picture = draw(state, parts, palette)
    return picture.described(picture.alt, state.table)


def svm_in_words(state: ConeState) -> str:
    """Compare a cone with RankSVM's half-space; empty if that is unknown."""
    if state.svm is None:
        return ""
    apart = angle(state.svm, state.view.direction)
    return (
        "RankSVM learns a half-space, the widest cone that never ranks a pair both "
        f"ways. Its border and that of a are {apart:.0f}° apart; this cone fills "
        f"{percent(min(state.view.opening, 1.0))} of a half-space."
    )
