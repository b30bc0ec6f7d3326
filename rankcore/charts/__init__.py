"""Charts: functions from plain numbers to a Plotly figure.

Pages, notebooks and reports draw with the same functions. This is the only part of the
package that imports Plotly, and only when a figure is made.
"""

from rankcore.charts._style import Picture

__all__ = ["Picture"]
