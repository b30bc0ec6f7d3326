"""Charts: functions from plain numbers to a Plotly figure.

Pages, notebooks and reports draw with the same functions. Only this part of the package
imports Plotly, and only when a figure is made.
"""

from rankcore.plot.style import Picture, listed, packed

__all__ = ["Picture", "listed", "packed", "plotly_script"]


def plotly_script() -> str:
    """Return the plotly.js of the installed Plotly package, to write into a page."""
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())
