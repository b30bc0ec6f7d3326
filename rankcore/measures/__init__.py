"""Measures of ranked lists, each declared once and defined on arrays of ranks.

Exact ranks give the measure and soft ranks its smooth surrogate: one definition for
both. To add a measure, declare a `Measure` in a module of this folder.
"""

from rankcore.measures._evaluation import (
    EMPTY_RULES,
    empty_rule,
    evaluate,
    mean,
    means,
)
from rankcore.measures._measure import (
    CONVENTIONS,
    BinaryMeasure,
    Convention,
    Measure,
    convention_named,
)
from rankcore.measures._naming import list_measures, parse
from rankcore.measures._ranking import exact_ranks, soft_ranks, worst_first

__all__ = [
    "CONVENTIONS",
    "EMPTY_RULES",
    "BinaryMeasure",
    "Convention",
    "Measure",
    "convention_named",
    "empty_rule",
    "evaluate",
    "exact_ranks",
    "list_measures",
    "mean",
    "means",
    "parse",
    "soft_ranks",
    "worst_first",
]
