"""Kept runs in one picture: their best values by algorithm and over time, or their
curves as small multiples.

Each function takes rows of `rankcore.studies.store.Found` on the same terms: values of
others are not compared.
"""

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcore.base.numbers import counted
from rankcore.plot.palette import LIGHT, Palette, algorithm_style
from rankcore.plot.style import (
    Picture,
    axis,
    layout,
    lines,
    marks,
    note,
    padded_range,
    shortened,
)
from rankcore.topics.train.training_figure import plain

if TYPE_CHECKING:
    import pandas as pd

HEIGHT = 380
ROW_HEIGHT = 30
COLUMNS, MOST_CURVES = 4, 12
LONGEST_NAME = 17
_EDGE = 52


def algorithms_figure(
    table: "pd.DataFrame",
    measure: str,
    palette: Palette = LIGHT,
    chosen: tuple[str, ...] = (),
    height: int = HEIGHT,
) -> Picture:
    """Draw a mark for the best value of each run, a row for each algorithm.

    The algorithm with the highest value is on top. A trace holds the runs of one
    algorithm, in the order of the table.

    Parameters
    ----------
    table : DataFrame
        Of runs that have a value.
    measure : str
        What it is.
    palette : Palette
    chosen : tuple of str
        Ids of runs that are marked with a ring.
    height : int
        In pixels, at least.
    """
    top = table.groupby("algorithm")["best"].max().sort_values()
    traces, notes = [], []
    for name, best in top.items():
        colour, symbol = algorithm_style(str(name), palette)
        own = table[table["algorithm"] == name]
        hover = [
            f"{escape(title)}<br>{measure} {value:.3f}"
            for title, value in zip(own["title"], own["best"], strict=True)
        ]
        marker = {"size": 10, "color": colour, "symbol": symbol, "opacity": 0.75}
        traces.append(
            marks(
                own["best"].to_numpy(),
                [str(name)] * len(own),
                marker | _ringed(own, chosen, palette),
                hover="%{text}",
                name=str(name),
                text=hover,
            )
        )
        notes.append(
            note(
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
    found = layout(palette, f"Best {measure} (validation)", "", height)
    found["height"] = max(height, ROW_HEIGHT * len(top) + _EDGE)
    found["margin"] = {"l": 110, "r": 58, "t": 10, "b": _EDGE}
    found["xaxis"] |= {
        "showgrid": True,
        "range": padded_range(0.05, table["best"]),
        "tickformat": ".3~f",
    }
    found["yaxis"] |= {
        "type": "category",
        "categoryarray": [str(name) for name in top.index],
        "range": [-0.6, len(top) - 0.4],
        "tickmode": "array",
        "tickvals": [str(name) for name in top.index],
    }
    found["annotations"] = notes
    return Picture(traces, found).described(_said(table, measure), _rows(table))


def time_figure(
    table: "pd.DataFrame",
    measure: str,
    palette: Palette = LIGHT,
    chosen: tuple[str, ...] = (),
    height: int = HEIGHT,
) -> Picture:
    """Draw a mark for the best value of each run over the time when it was begun, and a
    step line of the highest value so far; the parameters are `algorithms_figure`'s."""
    begun = table.sort_values("created", kind="stable")
    record = begun["best"].cummax()
    moments = _moments(begun)
    traces = [
        lines(
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
        own = table[table["algorithm"] == name]
        traces.append(
            marks(
                _moments(own),
                own["best"].to_numpy(),
                {"size": 10, "color": colour, "symbol": symbol, "opacity": 0.75}
                | _ringed(own, chosen, palette),
                hover="%{text}<br>%{x}<br>%{y:.3f}",
                name=name,
                text=[escape(title) for title in own["title"]],
            )
        )
    found = layout(palette, "Begun (UTC)", f"Best {measure} (validation)", height)
    found["xaxis"] |= {"type": "date", "nticks": 6}
    found["yaxis"] |= {"range": padded_range(0.08, table["best"]), "tickformat": ".3~f"}
    found["showlegend"] = True
    found["legend"] = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    found["margin"] |= {"t": 30}
    return Picture(traces, found).described(_said(table, measure), _rows(table))


def curves_figure(
    table: "pd.DataFrame",
    measure: str,
    palette: Palette = LIGHT,
    height: int = HEIGHT,
) -> Picture:
    """Draw the curves of up to twelve runs as small multiples with one vertical axis.

    Parameters
    ----------
    table : DataFrame
        Of runs that have a curve with a number in it.
    measure : str
        What the vertical axis is called.
    palette : Palette
    height : int
        In pixels.
    """
    shown = table.iloc[:MOST_CURVES]
    curves = [np.array(curve, dtype=np.float64) for curve in shown["curve"]]
    known = [curve[np.isfinite(curve)] for curve in curves]
    across = min(COLUMNS, max(len(shown), 1))
    down = -(-len(shown) // across)
    found: dict[str, Any] = plain(palette) | {
        "height": height,
        "margin": {"l": 56, "r": 16, "t": 26, "b": _EDGE},
        "annotations": [],
    }
    traces, ends = [], padded_range(0.08, *(curve for curve in known if len(curve)))
    for place, (curve, row) in enumerate(zip(curves, shown.itertuples(), strict=True)):
        down_at, across_at = divmod(place, across)
        number = str(place + 1) if place else ""
        left, top = across_at / across, 1 - down_at / down
        lowest = place + across >= len(shown)
        bottom = down_at == down - 1
        found[f"xaxis{number}"] = axis(palette, "Iterations" if lowest else "") | {
            "domain": [left + 0.02, left + 1 / across - 0.02],
            "anchor": f"y{number}",
            "range": [0, max(row.iterations, 1) * 1.03],
            "showgrid": False,
            "nticks": 3,
        }
        found[f"yaxis{number}"] = axis(palette, "" if across_at else measure) | {
            "domain": [top - 1 / down + (0 if bottom else 0.1), top - 0.07],
            "anchor": f"x{number}",
            "range": ends,
            "nticks": 4,
            "tickformat": ".3~f",
            "showticklabels": not across_at,
        }
        colour, _ = algorithm_style(row.algorithm, palette)
        at = np.linspace(0, row.iterations, len(curve)).round()
        traces.append(
            lines(
                at,
                curve,
                colour,
                2.2,
                hover="iteration %{x:.0f}: %{y:.3f}",
                name=escape(row.title),
                xaxis=f"x{number}",
                yaxis=f"y{number}",
            )
        )
        longest = LONGEST_NAME if across == COLUMNS else 2 * LONGEST_NAME
        value = "" if np.isnan(row.best) else f" {row.best:.3f}"
        found["annotations"].append(
            note(
                f'<b style="color:{palette.readable(colour)}">'
                f"{escape(shortened(row.title, longest))}</b>{value}",
                left + 0.02,
                top - 0.065,
                palette.ink,
                xref="paper",
                yref="paper",
                xanchor="left",
                yanchor="bottom",
            )
        )
    on = shown["terms"].iloc[0]
    runs = counted(len(shown), "runs")
    said = f"Curves of {runs} on {on}, from the first iteration to the last."
    numbers = [
        {"run": row.title, "data": row.terms, "place": place, measure: value}
        for row in shown.itertuples()
        for place, value in enumerate(row.curve)
    ]
    return Picture(traces, found).described(said, numbers)


def _ringed(
    table: "pd.DataFrame", chosen: tuple[str, ...], palette: Palette
) -> dict[str, Any]:
    """Return the outline of marks, thick where a run is chosen."""
    widths = [2.5 if key in chosen else 0.0 for key in table.index]
    return {"line": {"width": widths, "color": palette.ink}}


def _moments(table: "pd.DataFrame") -> list[str]:
    return [f"{moment:%Y-%m-%d %H:%M:%S}" for moment in table["created"]]


def _said(table: "pd.DataFrame", measure: str) -> str:
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
