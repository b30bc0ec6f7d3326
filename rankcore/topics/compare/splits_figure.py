"""A picture of models on validation queries, which chose them, and on test queries."""

from html import escape
from typing import Any

import numpy as np

from rankcore.plot.numbers import decimals
from rankcore.plot.palette import LIGHT, Palette, mix
from rankcore.plot.style import Picture, bars, layout, shortened
from rankcore.topics.compare.comparison import Comparison
from rankcore.topics.compare.differences_figure import LONGEST_NAME, styles_of

HEIGHT = 300


def splits_figure(
    validation: Comparison, test: Comparison, palette: Palette = LIGHT
) -> Picture:
    """Draw the mean of each model on validation queries and on test queries.

    Parameters
    ----------
    validation, test : Comparison
        Comparisons of the same models by the same measure; the first gives the order.
    """
    names, styles = validation.names, styles_of(validation.contenders, palette)
    tested = dict(zip(test.names, test.means.tolist(), strict=True))
    means = {
        "validation": validation.means.tolist(),
        "test": [tested[name] for name in names],
    }
    colours = [styles[name].colour for name in names]
    fills = {
        "validation": [mix(colour, palette.background, 0.6) for colour in colours],
        "test": colours,
    }
    traces: list[dict[str, Any]] = [
        bars(
            list(range(len(names))),
            values,
            {"color": fills[split], "line": {"color": colours, "width": 1}},
            hover=f"{split} {validation.measure} %{{y:.3f}}",
            name=split,
            text=[f"{split}<br><b>{decimals(value)}</b>" for value in values],
            textposition="outside",
            textfont={"color": palette.secondary, "size": 11},
            cliponaxis=False,
        )
        for split, values in means.items()
    ]
    figure = layout(palette, "", validation.measure, HEIGHT)
    figure["bargap"], figure["bargroupgap"] = 0.35, 0.08
    figure["xaxis"] |= {
        "tickvals": list(range(len(names))),
        "ticktext": [escape(shortened(name, LONGEST_NAME)) for name in names],
    }
    top = max(0.1, *means["validation"], *means["test"])
    figure["yaxis"]["range"] = [0.0, 1.25 * top]
    falls = ", ".join(
        f"{name} {decimals(one)} and {decimals(other)}"
        for name, one, other in zip(names, *means.values(), strict=True)
    )
    change = np.subtract(means["test"], means["validation"])
    return Picture(traces, figure).described(
        f"{validation.measure} on validation and on test queries: {falls}.",
        lambda: {"model": names, **means, "test − validation": change},
    )
