"""Pictures of one query's documents and of their differences."""

from html import escape
from typing import Any

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.base.numbers import counted, label_text
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture, joined, lines, marks, note, outlined
from rankcore.topics.cones.cone_figure import colours, limits, square, to_border
from rankcore.topics.cones.documents import ComparedDocuments
from rankcore.topics.cones.plane_figure import (
    cone_area,
    difference_marks,
    direction_arrow,
    generators,
    ray_label,
    vector_labels,
)


def documents_figure(
    compared: ComparedDocuments, begins: Floats, palette: Palette = LIGHT
) -> Picture:
    """Draw documents, which can be dragged, and the cone at one of them.

    Parameters
    ----------
    begins : (n, 2) float64
        Initial positions of documents, all within the picture, which extends to
        documents dragged beyond them.
    """
    X, view = compared.dataset.X, compared.view
    at, cone = X[compared.centre], colours(palette).cone
    middle = begins.mean(axis=0)
    ends = limits(1.3 * (begins - middle), *(X - middle)) + middle[:, None]
    extent = float(np.ptp(ends, axis=1).max())
    traces = [
        cone_area(view, extent, cone, at),
        cone_area(view, -extent, palette.secondary, at, name="negative cone"),
        _arrows(compared, palette),
        _documents(compared, palette),
    ]
    figure = square(palette, compared.dataset.feature_names, ends)
    for axis in ("xaxis", "yaxis"):
        figure[axis] |= {"zeroline": False}
    figure["annotations"] = _regions(compared, ends, palette)
    x = compared.names[compared.centre]
    alt = f"{counted(len(X), 'documents')}, the cone drawn at {x}. "
    return Picture(
        traces, figure, alt + compared.in_words(), lambda: _document_table(compared)
    )


def _arrows(compared: ComparedDocuments, palette: Palette) -> dict[str, Any]:
    """Return an arrow from the worse to the better document of each pair with x."""
    X, points, centred = compared.dataset.X, compared.points, compared.with_centre
    x, y = (
        joined(*ends)
        for ends in zip(
            X[points.worse[centred]].T, X[points.better[centred]].T, strict=True
        )
    )
    return lines(x, y, palette.ink, 1.2, name="pairs with x") | {
        "mode": "lines+markers",
        "marker": {
            "symbol": "arrow",
            "angleref": "previous",
            "standoff": 14,
            "size": np.tile([0, 9, 0], int(centred.sum())),
            "color": palette.ink,
        },
    }


def _documents(compared: ComparedDocuments, palette: Palette) -> dict[str, Any]:
    dataset, n = compared.dataset, compared.dataset.n_documents
    highest = dataset.y.max().item() or 1
    fills = [palette.label(label, highest) for label in dataset.y.tolist()]
    ring = np.arange(n) == compared.centre
    edges = [palette.ink if on else palette.secondary for on in ring]
    return marks(
        dataset.X[:, 0].tolist(),
        dataset.X[:, 1].tolist(),
        outlined(26, fills, edges, np.where(ring, 3.5, 0.8)),
        "%{customdata}<br>(%{x:.3g}, %{y:.3g}), drag it",
        name="documents",
        mode="markers+text",
        meta={"drag": "xy"},
        text=compared.names,
        textfont={"color": [palette.on(fill) for fill in fills], "size": 12},
        customdata=[
            f"{escape(str(name))}: label {label_text(label)}"
            for name, label in zip(
                dataset.query(0).doc_names, dataset.y.tolist(), strict=True
            )
        ],
    )


def _regions(
    compared: ComparedDocuments, ends: Floats, palette: Palette
) -> list[dict[str, Any]]:
    """Return labels of the regions: the cone, its negative, and outside both."""
    x = compared.names[compared.centre]
    inks = [palette.readable(colours(palette).cone), *[palette.secondary] * 2]
    texts = [f"{x} + K:<br>better", f"{x} − K:<br>worse", "not<br>comparable"]
    return [
        note(f"<b>{text}</b>", float(place[0]), float(place[1]), ink, 13)
        for text, place, ink in zip(
            texts, compared.free_places(ends), inks, strict=True
        )
        if place is not None
    ]


def _document_table(compared: ComparedDocuments) -> dict[str, Any]:
    dataset = compared.dataset
    kinds = {"better": compared.better, "worse": compared.worse}
    x = compared.names[compared.centre]
    return {
        "document": compared.names,
        "name": list(dataset.query(0).doc_names),
        "label": dataset.y,
        **dict(zip(dataset.feature_names, dataset.X.T, strict=True)),
        **{f"{kind} than {x}": flags for kind, flags in kinds.items()},
    }


def query_differences_figure(
    compared: ComparedDocuments, palette: Palette = LIGHT
) -> Picture:
    """Draw the differences of the documents and the cone, with arrows for differences
    with the document at the cone's apex."""
    points, view, cone = compared.points, compared.view, colours(palette).cone
    centred = compared.with_centre
    reach = np.array([[1.0, 1.0], [-1.0, -1.0]])
    ends = limits(np.vstack([reach, points.z, view.basis.T]))
    extent = float(np.abs(ends).max())
    tip = 0.85 * to_border(view.direction, ends)[0]
    x, y = (joined(np.zeros_like(row), row) for row in points.z[centred].T)
    arrows = lines(x, y, palette.ink, 1.2, name="differences with x")
    traces = [
        cone_area(view, extent, cone),
        arrows,
        *difference_marks(points, view, palette),
        generators(view, cone),
        direction_arrow(tip, palette.ink),
    ]
    names = [f"difference of {name}" for name in compared.dataset.feature_names]
    figure = square(palette, names, ends)
    figure["annotations"] = [
        *vector_labels(view, palette.readable(cone)),
        ray_label("a", tip, palette.ink),
    ]
    documents = compared.names
    pairs = zip(points.better.tolist(), points.worse.tolist(), strict=True)
    table = {
        "difference": [f"{documents[i]} − {documents[j]}" for i, j in pairs],
        **dict(zip(names, points.z.T, strict=True)),
        "in the cone": view.inside,
        "ranked correctly": view.right,
    }
    alt = (
        f"{counted(len(points.z), 'differences')} of better and worse documents; "
        f"{int(view.inside.sum())} lie in the cone, and its direction ranks "
        f"{int(view.right.sum())} correctly."
    )
    return Picture(traces, figure, alt, table)
