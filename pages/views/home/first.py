"""The first screen: stored runs in the visitor's colours, and roads from there."""

from typing import Any, NamedTuple

from rankcore.topics.home import first_sight
from rankcore.views import Values


class Road(NamedTuple):
    """Links for one kind of visitor, by their words, and a command for the same."""

    title: str
    icon: str
    command: str
    links: dict[str, str]


TEACH = {
    "Lessons to present": "lessons",
    "Move documents, watch each measure": "measures",
    "Check a paper's claims in class": "papers",
}
SEARCH = {
    "Load your judgements": "data",
    "Train and export a model": "train",
    "Find the features you can drop": "sparsity",
}
RESEARCH = {
    "Measure a surrogate's error": "approximation",
    "Compare objectives": "margins?margin_view=Trained+on+%C3%97+tested+on",
    "Test regret bounds of reductions": "reduction?red_view=Regrets",
}
ROADS = (
    Road("I teach", "school", "rankscope serve --lessons FOLDER", TEACH),
    Road("I run a search engine", "search", "rankscope export model.json solr", SEARCH),
    Road(
        "I do research", "science", "rankscope path planted RSRank --over g", RESEARCH
    ),
)

# Questions by the page that answers them.
QUESTIONS = {
    "compare": "Which algorithm wins?",
    "sparsity": "Which features can go?",
    "inspect": "Why is this document here?",
    "explore": "Which settings are best?",
    "papers": "Is the paper right?",
    "approximation": "How close is a smooth measure?",
    "margins": "Which wrong order costs most?",
    "reduction": "What does a swap cost?",
    "cones": "When is one document better?",
}


def drawn_first() -> dict[str, Any]:
    """Return the settings, on the page *Train*, of the run that is drawn first."""
    first = first_sight.VARIED[0]
    return {
        "data": first_sight.DATA,
        "algorithm": first.algorithm,
        f"{first.algorithm}.{first.setting}": first.values[first.first],
        "seed": first_sight.SEED,
    }


def sight(values: Values) -> dict[str, Any]:
    """Return the stored runs with the colours of algorithms and labels."""
    palette, found = values.palette, first_sight.stored()
    highest = max(first_sight.SHOWN)
    fills = [palette.label(label, highest) for label in range(highest + 1)]
    algorithms = [
        one | {"colour": colour, "ink": palette.readable(colour)}
        for one in found["algorithms"]
        for colour, _ in [values.style(one["name"])]
    ]
    return found | {
        "algorithms": algorithms,
        "fills": fills,
        "inks": [palette.on(fill) for fill in fills],
    }
