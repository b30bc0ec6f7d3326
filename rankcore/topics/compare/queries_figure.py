"""Two models query by query: sorted differences, and slices of queries."""

from html import escape
from typing import Any

import numpy as np

from rankcore.base.numbers import counted, percent
from rankcore.plot.palette import LIGHT, Palette, contrast
from rankcore.plot.style import Picture, bars, layout, note, padded_range, short_names
from rankcore.topics.compare.wins import Wins

HEIGHT = 400
LONGEST_NAME = 26
# Largest number of queries named below their bars, and letters of a name.
MOST_NAMED, LONGEST_TICK = 20, 14


def wins_figure(
    wins: Wins,
    names: tuple[str, str],
    colours: tuple[str, str],
    measure: str,
    chosen: str = "",
    palette: Palette = LIGHT,
) -> Picture:
    """Draw the difference of each query, the largest first.

    Parameters
    ----------
    names, colours : (str, str)
        Names and colours of both models.
    chosen : str
        The selected query, which is framed.
    """
    x = np.arange(len(wins.ids))
    won = wins.differences > wins.tolerance
    lost = wins.differences < -wins.tolerance
    fill = np.where(won, colours[0], np.where(lost, colours[1], palette.secondary))
    framed = np.array([name == chosen for name in wins.ids])
    marker = {
        "color": fill.tolist(),
        "line": {
            "color": palette.ink,
            "width": np.where(framed, 2.5, 0.0).tolist(),
        },
    }
    trace = bars(
        x,
        wins.differences,
        marker,
        hover="%{customdata}: %{y:+.3g}<br>click for both rankings",
        customdata=[escape(name) for name in wins.names],
        name="queries",
    )
    figure = layout(palette, "query, by difference", f"difference in {measure}", HEIGHT)
    low, high = padded_range(0.1, wins.differences, 0.0)
    figure["bargap"] = 0.2 if len(x) < 120 else 0.0
    few = len(x) <= MOST_NAMED
    bare = [name.removeprefix("query ") for name in wins.names]
    short = list(map(escape, short_names(bare, LONGEST_TICK)))
    figure["xaxis"] |= {
        "range": [-0.6, len(x) - 0.4],
        "tickvals": x if few else [],
        "ticktext": short if few else [],
    }
    figure["yaxis"] |= {"range": [low, high], "tickformat": "~g", "zeroline": True,
                        "zerolinecolor": palette.secondary}  # fmt: skip
    figure["annotations"] = _titles(wins, names, colours, palette)
    first, second = names
    return Picture([trace], figure).described(
        f"{first} is better on {counted(wins.wins, 'queries')}, {second} on "
        f"{wins.losses}, and "
        f"{wins.ties} are tied within {wins.tolerance:g}.",
        lambda: wins.rows(*names),
    )


def _titles(
    wins: Wins, names: tuple[str, str], colours: tuple[str, str], palette: Palette
) -> list[dict[str, Any]]:
    inks = [
        colour
        if contrast(colour, palette.background) >= 4.5
        else palette.readable(colour)
        for colour in colours
    ]
    # The largest differences come first, so these two corners are empty.
    above: dict[str, Any] = {"xref": "paper", "yref": "paper", "xanchor": "right"}
    below: dict[str, Any] = {"xref": "paper", "yref": "paper", "xanchor": "left"}
    first, second = map(escape, short_names(names, LONGEST_NAME))
    better, worse = (
        "" if share is None else f" ({percent(share)} of the weight)"
        for share in wins.weight_shares or (None, None)
    )
    tied = f"{wins.ties} tied, within {wins.tolerance:g}"
    return [
        note(
            f"<b>{first} better on {wins.wins}{better}</b>", 1.0, 1.0, inks[0],
            yanchor="top", **above,
        ),
        note(tied, 1.0, 1.0, palette.secondary, yanchor="top", yshift=-18, **above),
        note(
            f"<b>{second} better on {wins.losses}{worse}</b>", 0.0, 0.0, inks[1],
            yanchor="bottom", xshift=6, **below,
        ),
    ]  # fmt: skip
