"""Measures of ranked lists, each declared once and defined on arrays of ranks.

Exact ranks give the measure and soft ranks its smooth surrogate: one definition serves
both. To add a measure, declare a `Measure` in a module of this folder, in a package
with an entry point ``rankscope.measures``, or in a program.

A value also depends on evaluation rules, `Rules`. The functions of this package take
their two parts as arguments, ``convention`` and ``empty``; all others, such as
`rankcore.training.drive`, take ``rules``. The convention determines the treatment of
equal scores, unless ``ties`` names another rule of `TIES`.
"""

import importlib
import pkgutil

from rankcore.measures._evaluation import by_query, evaluate, mean, means
from rankcore.measures._measure import BinaryMeasure, Lists, Measure, Terms
from rankcore.measures._naming import list_measures, parse
from rankcore.measures._ranking import exact_ranks, soft_ranks, worst_first
from rankcore.measures._rules import (
    CONVENTIONS,
    EMPTY_RULES,
    LETOR_MEASURES,
    STANDARD,
    TIES,
    Convention,
    Rules,
    tie_rule,
)
from rankcore.measures._runs import (
    RUN_CONVENTIONS,
    RunRules,
    RunValues,
    evaluate_run,
    measure_run,
    run_rules,
)
from rankcore.measures._ties import Ties, ranks_nothing, ties_of
from rankcore.measures.cumulated_gain import discounts

__all__ = [
    "CONVENTIONS",
    "EMPTY_RULES",
    "LETOR_MEASURES",
    "RUN_CONVENTIONS",
    "STANDARD",
    "TIES",
    "BinaryMeasure",
    "Convention",
    "Lists",
    "Measure",
    "Rules",
    "RunRules",
    "RunValues",
    "Terms",
    "Ties",
    "by_query",
    "discounts",
    "evaluate",
    "evaluate_run",
    "exact_ranks",
    "list_measures",
    "mean",
    "means",
    "measure_run",
    "parse",
    "ranks_nothing",
    "run_rules",
    "soft_ranks",
    "tie_rule",
    "ties_of",
    "worst_first",
]

for _module in pkgutil.iter_modules(__path__):
    if not _module.name.startswith("_"):
        importlib.import_module(f"{__name__}.{_module.name}")
