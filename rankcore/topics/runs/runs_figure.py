"""Pictures of stored runs: best values by algorithm and over time, or curves as small
multiples.

Each function takes rows of `rankcore.studies.store.Found` on the same terms, as others
are not comparable.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcore.base.numbers import counted
from rankcore.plot import style as draw
from rankcore.plot.palette import LIGHT, Palette, algorithm_style
from rankcore.plot.style import Picture
from rankcore.topics.train.training_figure import plain

if TYPE_CHECKING:
    import pandas as pd

HEIGHT = 380
ROW_HEIGHT = 30
# Two charts side by side, also on a telephone, and the letters that fit above each.
COLUMNS, MOST_CURVES = 2, 12
LONGEST_NAME = 17
_EDGE, _TOP = 52, 12
# Heights in pixels of a small chart, of the text above it and of the numbers below it.
_CHART, _ABOVE, _BELOW = 90, 38, 26


def algorithms_figure(
    table: "pd.DataFrame", measure: str, palette: Palette = LIGHT, height: int = HEIGHT
) -> Picture:
    """Draw a mark for the best value of each run, a row for each algorithm.

    The algorithm with the highest value is on top. A trace holds the runs of one
    algorithm, in the order of the table.

    Parameters
    ----------
    table : DataFrame
        Runs with a value, ``best``; those that are ``chosen`` get a ring.
    measure : str
        Name of the measure.
    height : int
        In pixels, at least.
    """
    top = table.groupby("algorithm")["best"].max().sort_values()
    traces, notes = [], []
    for name, best in top.items():
        colour, symbol = algorithm_style(str(name), palette)
        runs = table[table["algorithm"] == name]
        hover = [
            f"{escape(title)}<br>{measure} {value:.3f}"
            for title, value in zip(runs["title"], runs["best"], strict=True)
        ]
        traces.append(
            draw.marks(
                runs["best"].to_numpy(),
                [str(name)] * len(runs),
                _marker(runs, colour, symbol, palette),
                hover="%{text}",
                name=str(name),
                text=hover,
            )
        )
        notes.append(
            draw.note(
                f"<b>{best:.3f}</b>",
                1.0,
                0.0,
                palette.readable(colour),
                xref="paper",
                xanchor="left",
                xshift=8,
            )
            | {"y": str(name)}
        )
    figure = draw.layout(palette, f"Best {measure} (validation)", "", height)
    figure["height"] = max(height, ROW_HEIGHT * len(top) + _EDGE)
    figure["margin"] = {"l": 110, "r": 58, "t": 10, "b": _EDGE}
    figure["xaxis"] |= {
        "showgrid": True,
        "range": draw.padded_range(0.05, table["best"]),
        "tickformat": ".3~f",
    }
    figure["yaxis"] |= {
        "type": "category",
        "categoryarray": [str(name) for name in top.index],
        "range": [-0.6, len(top) - 0.4],
        "tickmode": "array",
        "tickvals": [str(name) for name in top.index],
    }
    figure["annotations"] = notes
    return Picture(traces, figure).described(_alternative(table, measure), _rows(table))


def time_figure(
    table: "pd.DataFrame", measure: str, palette: Palette = LIGHT, height: int = HEIGHT
) -> Picture:
    """Draw a mark for the best value of each run against its start time, and a step
    line of the highest value so far; parameters as of `algorithms_figure`."""
    in_time = table.sort_values("created", kind="stable")
    record = in_time["best"].cummax()
    moments = _moments(in_time)
    traces = [
        draw.lines(
            moments,
            record.to_numpy(),
            palette.secondary,
            1.5,
            line={"shape": "hv", "dash": "dot"},
            name="best so far",
        )
    ]
    for name in dict.fromkeys(table["algorithm"]):
        colour, symbol = algorithm_style(name, palette)
        runs = table[table["algorithm"] == name]
        traces.append(
            draw.marks(
                _moments(runs),
                runs["best"].to_numpy(),
                _marker(runs, colour, symbol, palette),
                hover="%{text}<br>%{x}<br>%{y:.3f}",
                name=name,
                text=[escape(title) for title in runs["title"]],
            )
        )
    figure = draw.layout(
        palette, "Started (UTC)", f"Best {measure} (validation)", height
    )
    figure["xaxis"] |= {"type": "date", "nticks": 6}
    figure["yaxis"] |= {
        "range": draw.padded_range(0.08, table["best"]),
        "tickformat": ".3~f",
    }
    figure["showlegend"] = True
    figure["legend"] = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    figure["margin"] |= {"t": 30}
    return Picture(traces, figure).described(_alternative(table, measure), _rows(table))


def curves_figure(
    table: "pd.DataFrame", measure: str, palette: Palette = LIGHT, height: int = HEIGHT
) -> Picture:
    """Draw the curves of up to twelve runs as small multiples with one vertical axis.

    Parameters
    ----------
    table : DataFrame
        Runs whose curve has at least one number.
    measure : str
        Title of the vertical axis.
    height : int
        In pixels, at least.
    """
    shown = table.iloc[:MOST_CURVES]
    curves = [np.array(curve, dtype=np.float64) for curve in shown["curve"]]
    numbers = [curve[np.isfinite(curve)] for curve in curves]
    grid = _Grid(len(shown), height)
    ends = draw.padded_range(0.08, *(curve for curve in numbers if len(curve)))
    figure: dict[str, Any] = plain(palette) | {
        "height": grid.height,
        "margin": {"l": 56, "r": 16, "t": _TOP, "b": _EDGE},
        "annotations": [],
    }
    traces = []
    for place, (curve, row) in enumerate(zip(curves, shown.itertuples(), strict=True)):
        figure |= grid.axes(place, row.iterations, ends, measure, palette)
        figure["annotations"].append(grid.name(place, row, palette))
        traces.append(
            draw.lines(
                np.linspace(0, row.iterations, len(curve)).round(),
                curve,
                algorithm_style(row.algorithm, palette)[0],
                2.2,
                hover="iteration %{x:.0f}: %{y:.3f}",
                name=escape(row.title),
                xaxis=f"x{draw.axis_number(place)}",
                yaxis=f"y{draw.axis_number(place)}",
            )
        )
    return Picture(traces, figure).described(
        f"Curves of {counted(len(shown), 'runs')} on {shown['terms'].iloc[0]}, from "
        "the first iteration to the last.",
        [
            {"run": row.title, "data": row.terms, "place": place, measure: value}
            for row in shown.itertuples()
            for place, value in enumerate(row.curve)
        ],
    )


@dataclass(frozen=True)
class _Grid:
    """Small charts row by row, each over its own iterations."""

    charts: int
    least: int

    @property
    def height(self) -> int:
        """Height of the figure, in pixels."""
        row = _CHART + _ABOVE + _BELOW
        return max(self.least, row * self.down + _TOP + _EDGE)

    def share(self, pixels: float) -> float:
        """Return pixels as a share of the charts' height."""
        return pixels / (self.height - _TOP - _EDGE)

    @property
    def across(self) -> int:
        return min(COLUMNS, max(self.charts, 1))

    @property
    def down(self) -> int:
        return -(-self.charts // self.across)

    def corner(self, place: int) -> tuple[float, float]:
        """Return the left and the upper end of a chart, as shares of the figure."""
        row, column = divmod(place, self.across)
        return column / self.across, 1 - row / self.down

    def axes(
        self,
        place: int,
        iterations: int,
        ends: Sequence[float],
        measure: str,
        palette: Palette,
    ) -> dict[str, Any]:
        """Return both axes of a chart; only outer axes of the figure have titles."""
        number, (left, top) = draw.axis_number(place), self.corner(place)
        row, column = divmod(place, self.across)
        foot = 0.0 if row == self.down - 1 else self.share(_BELOW)
        lowest = place + self.across >= self.charts
        return {
            f"xaxis{number}": draw.axis(palette, "iteration" if lowest else "")
            | {
                "domain": [left + 0.02, left + 1 / self.across - 0.02],
                "anchor": f"y{number}",
                "range": [0, max(iterations, 1) * 1.03],
                "showgrid": False,
                "nticks": 3,
            },
            f"yaxis{number}": draw.axis(palette, "" if column else measure)
            | {
                "domain": [top - 1 / self.down + foot, top - self.share(_ABOVE)],
                "anchor": f"x{number}",
                "range": ends,
                "nticks": 4,
                "tickformat": ".3~f",
                "showticklabels": not column,
            },
        }

    def name(self, place: int, row: Any, palette: Palette) -> dict[str, Any]:
        """Return the name and the best value of a run, above its chart."""
        left, top = self.corner(place)
        colour = palette.readable(algorithm_style(row.algorithm, palette)[0])
        longest = LONGEST_NAME * max(1, COLUMNS + 1 - self.across)
        value = "" if np.isnan(row.best) else f"{row.best:.3f}"
        title = escape(draw.shortened(row.title, longest))
        return draw.note(
            f'<b style="color:{colour}">{title}</b><br>{value}',
            left + 0.02,
            top - self.share(_ABOVE - 2),
            palette.ink,
            xref="paper",
            yref="paper",
            xanchor="left",
            yanchor="bottom",
            align="left",
        )


def _marker(
    table: "pd.DataFrame", colour: str, symbol: str, palette: Palette
) -> dict[str, Any]:
    """Return the marker of an algorithm's runs, with rings around the selected ones."""
    widths = np.where(table["chosen"], 2.5, 0.0).tolist()
    return draw.outlined(10, colour, palette.ink, widths, symbol=symbol, opacity=0.75)


def _moments(table: "pd.DataFrame") -> list[str]:
    return [f"{moment:%Y-%m-%d %H:%M:%S}" for moment in table["created"]]


def _alternative(table: "pd.DataFrame", measure: str) -> str:
    first = table.loc[table["best"].idxmax()]
    return (
        f"Best {measure} of {counted(len(table), 'runs')} on validation queries of "
        f"{first['terms']}; the highest is {first['best']:.3f}, of {first['title']}."
    )


def _rows(table: "pd.DataFrame") -> dict[str, list[Any]]:
    return {
        "run": list(table.index),
        "title": list(table["title"]),
        "algorithm": list(table["algorithm"]),
        "data": list(table["terms"]),
        "begun": _moments(table),
        "best": list(table["best"]),
        "last": list(table["last"]),
    }
