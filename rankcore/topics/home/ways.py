"""Links from the home page to other pages: by kind of visitor, and by question."""

from typing import NamedTuple


class Road(NamedTuple):
    """Links for one kind of visitor, by their texts, and an equivalent command."""

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
    "Race algorithms live": "train?train_view=Race",
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
    "clicks": "Can rankers learn from clicks?",
}
