"""The terms of the interface, each with one sentence that is shown on hover.

Texts of the app use only these terms, one for each thing; a test checks this
(``tests/views/test_words.py``).
"""

import re
from html import escape

TERMS = {
    "query": "A request to the search engine, with the documents to rank for it.",
    "propensity": "The probability that the position of a click was examined.",
    "document": "One candidate of a query, given as a vector of features.",
    "relevance label": "A grade that says how relevant a document is; 0 is irrelevant.",
    "split": "The training, validation or test queries of a data set.",
    "fold": "One of several divisions of a data set into splits.",
    "NDCG": "Normalised discounted cumulative gain: the gain of a ranking over that of "
    "the ideal ranking, from 0 to 1.",
    "gain": "The value of a label in NDCG, 2^label − 1.",
    "discount": "The weight of a rank in NDCG, 1 / log2(1 + rank).",
    "cutoff": "The number of ranks from the top that a measure counts.",
    "average precision": "The mean precision at the ranks of relevant documents.",
    "reciprocal rank": "One over the rank of the first relevant document.",
    "convention": "The version of a measure's definition, such as LETOR's.",
    "ideal order": "Documents by descending label.",
    "predicted order": "Documents by descending score.",
    "most violated order": "The order that violates the margin of a query most.",
    "tie": "Documents with equal scores.",
    "iteration": "One step of the optimiser over the training data.",
    "epoch": "One visit of all training data, in mini-batches.",
    "round": "One iteration of cutting planes or boosting.",
    "run": "One training of a model.",
    "study": "Several trainings that belong to one figure.",
    "objective": "The function that training minimises or maximises.",
    "surrogate": "A function with a gradient that replaces the exact measure.",
    "exact measure": "The measure itself, a staircase in every score.",
    "margin": "The amount by which one score or order exceeds another.",
    "slack": "The amount by which the margins of a query are violated.",
    "hinge loss": "The amount by which a margin falls short of 1, or 0.",
    "pair": "Two documents of a query with different labels.",
    "swap": "Two documents that exchange their ranks.",
    "regret": "The loss of a ranking above the lowest possible one.",
    "coefficient": "The weight of a feature in a linear model.",
    "kept features": "Features whose coefficient is not zero.",
    "removed features": "Features whose coefficient training has set to zero.",
    "soft thresholding": "Moving coefficients towards zero by a fixed amount, and to "
    "exact zero where they are smaller.",
    "truncation interval": "The iterations between two soft thresholdings.",
    "penalty": "The term of an objective that grows with the coefficients.",
    "cone": "All sums of basis vectors with non-negative weights.",
    "basis vector": "One of the vectors that generate a cone.",
    "half-space": "The vectors on one side of a plane through the origin.",
    "cutting plane": "A linear lower bound of an objective.",
    "dual gap": "The objective minus its lower bound.",
    "restart": "A training from another starting point.",
    "sharpness": "The slope of the sigmoids that replace ranks.",
    "force": "The gradient of a surrogate with respect to a document's score.",
    "cutting planes": "Training that adds linear lower bounds of the objective, round "
    "by round.",
    "standard error": "The standard deviation of a mean.",
    "bootstrap interval": "An interval for a mean, from queries with random weights.",
    "seed": "The number that initialises random numbers.",
}

_ANY = re.compile(
    r"\b("
    + "|".join(re.escape(term) for term in sorted(TERMS, key=len, reverse=True))
    + r")(s|es)?\b",
    re.I,
)
_MEANINGS = {term.lower(): meaning for term, meaning in TERMS.items()}


def definition(text: str) -> str:
    """Return the sentence for the first term in a text; empty if no term occurs."""
    match = _ANY.search(text)
    return _MEANINGS[match.group(1).lower()] if match else ""


def marked(text: str) -> str:
    """Return text as HTML whose first term shows its sentence on hover."""
    match = _ANY.search(text)
    if match is None:
        return escape(text)
    before, term, after = text[: match.start()], match.group(), text[match.end() :]
    hint = escape(_MEANINGS[match.group(1).lower()], quote=True)
    return f'{escape(before)}<abbr title="{hint}">{escape(term)}</abbr>{escape(after)}'


def heading(title: str, note: str = "") -> str:
    """Return the caption above a figure as HTML."""
    small = f" <small>{marked(note)}</small>"
    return f'<h2 class="rs-heading">{marked(title)}{small}</h2>'
