"""What all figures have in common."""

from typing import Any

from rankcore.charts.palette import Palette

HEIGHT = 240


def layout(palette: Palette, x: str, y: str, height: int = HEIGHT) -> dict[str, Any]:
    """The layout of a figure with two axes, named ``x`` and ``y``."""
    return {
        "template": "none",
        "height": height,
        "margin": {"l": 52, "r": 12, "t": 10, "b": 44},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {
            "family": "Source Sans, sans-serif",
            "size": 12,
            "color": palette.secondary,
        },
        "showlegend": False,
        "dragmode": False,
        "bargap": 0.15,
        "hoverlabel": {"bgcolor": palette.panel, "font": {"color": palette.ink}},
        "xaxis": axis(palette, x) | {"showgrid": False},
        "yaxis": axis(palette, y),
    }


def axis(palette: Palette, title: str) -> dict[str, Any]:
    """A thin axis with at most six grid lines."""
    return {
        "title": {"text": title, "standoff": 6},
        "gridcolor": palette.line,
        "linecolor": palette.line,
        "tickcolor": palette.line,
        "zeroline": False,
        "nticks": 6,
        "automargin": True,
    }
