"""The spectrum of differences: eigenvalues, and the energy of the best subspaces."""

from typing import Any

import numpy as np

from rankcore.base.numbers import percent
from rankcore.plot import style as draw
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture
from rankcore.topics.cones.cone import CapturedEnergy

SPECTRUM_HEIGHT = 280


def spectrum_figure(
    energy: CapturedEnergy,
    palette: Palette = LIGHT,
    *,
    at: int | None = None,
) -> Picture:
    """Draw eigenvalues and, below, their cumulative share of energy.

    Parameters
    ----------
    at : int, optional
        The selected number of vectors.
    """
    traces: list[dict[str, Any]] = [
        draw.bars(
            energy.n_vectors,
            energy.eigenvalues,
            {"color": palette.primary},
            hover="direction %{x}: %{y:.3~r}",
            name="eigenvalues",
        ),
        draw.lines(
            energy.n_vectors,
            energy.subspace,
            palette.primary,
            hover="%{x} dimensions: %{y:.1%}",
            name="subspace",
            yaxis="y2",
        ),
    ]
    figure = draw.layout(palette, "direction", "eigenvalue", height=SPECTRUM_HEIGHT)
    figure["xaxis"] |= {"anchor": "y2", "range": [0.3, len(energy.n_vectors) + 0.7]}
    figure["yaxis"] |= {"domain": [0.5, 1.0], "nticks": 4}
    figure["yaxis2"] = draw.axis(palette, "share of energy") | {
        "domain": [0.0, 0.4],
        "range": [0.0, 1.05],
        "tickformat": ".0%",
        "nticks": 4,
    }
    if at is not None and at <= len(energy.n_vectors):
        figure["shapes"] = [draw.vline(at, palette.primary)]
    return Picture(traces, figure, *_spectrum_in_words(energy))


def _spectrum_in_words(energy: CapturedEnergy) -> tuple[str, dict[str, Any]]:
    """Return a text alternative and a table of a spectrum."""
    most = int(np.searchsorted(energy.subspace, 0.9)) + 1
    alt = (
        f"{most} of {len(energy.eigenvalues)} directions hold 90% of the energy of "
        f"the differences; the first holds {percent(energy.subspace[0])}."
    )
    return alt, {
        "direction": energy.n_vectors,
        "eigenvalue": energy.eigenvalues,
        "cumulative share": energy.subspace,
    }
