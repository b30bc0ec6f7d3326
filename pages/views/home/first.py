"""The first screen: stored runs in the visitor's colours."""

from typing import Any

from rankcore.topics.home import first_sight
from rankcore.views import Values


def drawn_first() -> dict[str, Any]:
    """Return the *Train* settings of the run that is drawn first."""
    first = first_sight.VARIED[0]
    return {
        "data": first_sight.DATA,
        "algorithm": first.algorithm,
        f"{first.algorithm}.{first.setting}": first.values[first.first],
        "seed": first_sight.SEED,
    }


def sight(values: Values) -> dict[str, Any]:
    """Return the stored runs in the visitor's colours of algorithms and labels."""
    palette, stored = values.palette, first_sight.stored()
    highest = max(first_sight.SHOWN)
    fills = [palette.label(label, highest) for label in range(highest + 1)]
    algorithms = [
        one | {"colour": colour, "ink": palette.readable(colour)}
        for one in stored["algorithms"]
        for colour, _ in [values.style(one["name"])]
    ]
    return stored | {
        "algorithms": algorithms,
        "fills": fills,
        "inks": [palette.on(fill) for fill in fills],
    }
