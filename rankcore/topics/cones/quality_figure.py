"""Pictures of cones over their number of vectors: spectrum, objective, quality."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcore.plot.palette import DASHES, LIGHT, Palette
from rankcore.plot.style import (
    Picture,
    axis,
    bars,
    end_names,
    hline,
    layout,
    lines,
    marks,
    span,
    vline,
)
from rankcore.topics.cones.cone import CapturedEnergy
from rankcore.topics.cones.cone_figure import colours
from rankcore.topics.cones.quality import Quality, verdict

Floats = NDArray[np.float64]

HEIGHT = 430
SPECTRUM_HEIGHT = 280
PART_NAMES = {"train": "training", "valid": "validation", "test": "test"}


def quality_figure(
    quality: Quality,
    measure: str,
    palette: Palette = LIGHT,
    *,
    half_space: float | None = None,
) -> Picture:
    """Draw a measure and, below on the same axis, the objective against K.

    Parameters
    ----------
    quality : Quality
    measure : str
        Its name.
    palette : Palette
    half_space : float, optional
        RankSVM's measure on training data, drawn as a level line.
    """
    x = np.log2(quality.n_basis)
    colour, svm = colours(palette)
    references = {} if half_space is None else {"RankSVM": (half_space, svm)}
    traces = _curves(x, quality, measure, palette)
    traces.append(_objective(x, quality, palette))
    figure = _quality_layout(np.array(quality.wanted), measure, palette)
    ends = {PART_NAMES[part]: (v[-1], colour) for part, v in quality.measured.items()}
    ends |= references
    heights = [height for height, _ in ends.values()]
    pixels = 0.8 * 0.54 * HEIGHT / span(heights)
    figure["annotations"] = end_names(ends, palette, pixels, xshift=6)
    figure["shapes"] = [
        hline(value, shade, 1, DASHES["train"]) for value, shade in references.values()
    ]
    judged = verdict(quality)
    (first, start, low), (last, end, high) = judged.first, judged.last
    alt = (
        f"From K = {first} to {last} the objective goes from {start:.3g} to {end:.3g}, "
        f"and training {measure} from {low:.3f} to {high:.3f}."
    )
    return Picture(traces, figure, alt)


def _quality_layout(wanted: Floats, measure: str, palette: Palette) -> dict[str, Any]:
    """Return an axis of the measure above one of the objective, over numbers K."""
    figure = layout(palette, "basis vectors K (log scale)", measure, height=HEIGHT)
    figure["margin"]["r"] = 96
    figure["hovermode"] = "closest"
    figure["xaxis"] |= {
        "anchor": "y2",
        "tickmode": "array",
        "tickvals": np.log2(wanted),
        "ticktext": [str(k) for k in wanted],
        "range": [-0.15, float(np.log2(wanted.max())) + 0.15],
    }
    figure["yaxis"] |= {"domain": [0.46, 1.0], "tickformat": ".3f"}
    figure["yaxis2"] = axis(palette, "objective") | {
        "domain": [0.0, 0.38],
        "rangemode": "tozero",
        "nticks": 4,
    }
    return figure


def _curves(
    x: Floats, quality: Quality, measure: str, palette: Palette
) -> list[dict[str, Any]]:
    """Return a curve for each part of the data, and a ring at the best K."""
    colour = colours(palette).cone
    traces = [
        lines(
            x,
            values,
            colour,
            hover=f"K = %{{customdata}}<br>{PART_NAMES[part]} {measure}: %{{y:.3f}}",
            name=PART_NAMES[part],
            mode="lines+markers",
            customdata=quality.n_basis,
            line={"color": colour, "width": 2, "dash": DASHES[part]},
            marker={"size": 7, "color": colour},
        )
        for part, values in quality.measured.items()
    ]
    if "valid" in quality.measured and len(x):
        best = int(np.argmax(quality.measured["valid"]))
        traces.append(_ring(x[best], quality.measured["valid"][best], palette))
    return traces


def _objective(x: Floats, quality: Quality, palette: Palette) -> dict[str, Any]:
    return lines(
        x,
        quality.objective,
        palette.secondary,
        hover="K = %{customdata[0]}<br>objective %{y:.3~r}, %{customdata[1]:.1%} of "
        "the energy captured",
        name="objective",
        mode="lines+markers",
        yaxis="y2",
        customdata=np.stack([quality.n_basis, quality.captured], axis=1),
        marker={"size": 7, "color": palette.secondary},
    )


def spectrum_figure(
    energy: CapturedEnergy,
    palette: Palette = LIGHT,
    *,
    at: int | None = None,
    cones: tuple[Sequence[int], Sequence[float]] = ((), ()),
) -> Picture:
    """Draw eigenvalues and, below, the share of energy they add up to.

    Parameters
    ----------
    energy : CapturedEnergy
    palette : Palette
    at : int, optional
        The selected number of vectors.
    cones : tuple of two sequences
        Numbers of vectors, and the share of energy that cones of so many capture,
        which is never more than the subspace's.
    """
    traces: list[dict[str, Any]] = [
        bars(
            energy.n_vectors,
            energy.eigenvalues,
            {"color": palette.primary},
            hover="direction %{x}: %{y:.3~r}",
            name="eigenvalues",
        ),
        lines(
            energy.n_vectors,
            energy.subspace,
            palette.primary,
            hover="%{x} dimensions: %{y:.1%}",
            name="subspace",
            yaxis="y2",
        ),
    ]
    if len(cones[0]):
        traces.append(
            marks(
                np.array(cones[0]),
                np.array(cones[1]),
                {"color": colours(palette).cone, "size": 9, "symbol": "diamond"},
                "cone of %{x}: %{y:.1%}",
                name="cones",
                yaxis="y2",
                cliponaxis=False,
            )
        )
    figure = layout(palette, "direction", "eigenvalue", height=SPECTRUM_HEIGHT)
    figure["xaxis"] |= {"anchor": "y2", "range": [0.3, len(energy.n_vectors) + 0.7]}
    figure["yaxis"] |= {"domain": [0.5, 1.0], "nticks": 4}
    figure["yaxis2"] = axis(palette, "share of energy") | {
        "domain": [0.0, 0.4],
        "range": [0.0, 1.05],
        "tickformat": ".0%",
        "nticks": 4,
    }
    if at is not None and at <= len(energy.n_vectors):
        figure["shapes"] = [vline(at, palette.primary)]
    return Picture(traces, figure, *_spectrum_in_words(energy, *cones))


def _spectrum_in_words(
    energy: CapturedEnergy, numbers: Sequence[int], captured: Sequence[float]
) -> tuple[str, dict[str, Any]]:
    """Return a text alternative and a table of a spectrum, or of cones beside it."""
    if len(numbers):
        within = np.array(numbers)[np.array(numbers) <= len(energy.subspace)]
        alt = (
            f"A cone of {numbers[-1]} captures {captured[-1]:.0%} of the energy of the "
            "differences, and no cone more than the subspace of as many dimensions."
        )
        return alt, {
            "K": within,
            "cone": captured[: len(within)],
            "best subspace": energy.subspace[within - 1],
        }
    most = int(np.searchsorted(energy.subspace, 0.9)) + 1
    alt = (
        f"{most} of {len(energy.eigenvalues)} directions hold 90 % of the energy of "
        f"the differences; the first holds {energy.subspace[0]:.0%}."
    )
    return alt, {
        "direction": energy.n_vectors,
        "eigenvalue": energy.eigenvalues,
        "cumulative share": energy.subspace,
    }


def _ring(x: float, y: float, palette: Palette) -> dict[str, Any]:
    ring = {
        "symbol": "circle-open",
        "size": 15,
        "color": palette.ink,
        "line": {"width": 2},
    }
    return marks([x], [y], ring, "best on validation", name="best on validation")
