"""Evaluation rules: the choices, other than the measure, that affect a value."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from rankcore.base.numbers import quoted


@dataclass(frozen=True)
class Convention:
    """A convention for computing measures in published tables.

    Attributes
    ----------
    title : str
        Its name in a sentence.
    letor_discount : bool
        Discount 1, 1, 1/log2(3), 1/log2(4) … instead of 1/log2(1 + rank).
    short_ndcg, short_precision : bool
        Whether nDCG@k, or P@k, of a query with fewer than k documents is computed as
        usual; otherwise it is 0.
    ties : str
        The rule of `TIES` for documents of equal scores.
    """

    title: str
    letor_discount: bool = False
    short_ndcg: bool = True
    short_precision: bool = True
    ties: str = "mean"


# The scripts of LETOR keep the order of the file, which may list the best documents
# first.
CONVENTIONS = {
    "standard": Convention("standard convention"),
    "letor3": Convention("LETOR 3.0 convention", True, False, False, "input"),
    "letor4": Convention("LETOR 4.0 convention", True, False, True, "input"),
}

# The measures that published results on the LETOR data sets usually report.
LETOR_MEASURES = ("nDCG@1", "nDCG@3", "nDCG@5", "nDCG@10", "AP")

TIES = {
    "mean": "ties by the mean over their orders",
    "input": "ties as in the data",
    "worst": "ties in their worst order",
    "trec": "ties as in trec_eval",
}


def tie_rule(convention: str = "standard", ties: str | None = None) -> str:
    """Return the rule for ties: ``ties``, or else that of the convention.

    Raises
    ------
    ValueError
        If the rule or the convention is unknown.
    """
    if ties is None:
        return Rules(convention).definition.ties
    if ties not in TIES:
        raise ValueError(f"ties must be one of {', '.join(TIES)}, not {ties!r}.")
    return ties


@dataclass(frozen=True)
class EmptyRule:
    """Value of an undefined measure in a mean; NaN omits the query."""

    value: float
    phrase: str


EMPTY_RULES = {
    "zero": EmptyRule(0.0, "count 0"),
    "skip": EmptyRule(math.nan, "are left out"),
    "one": EmptyRule(1.0, "count 1"),
}


class Rules(NamedTuple):
    """Evaluation rules: the convention, and the value of queries without relevance.

    They unpack into the arguments of `evaluate`, `means` and `Measure.describe`, as in
    ``means(dataset, scores, "AP", *rules)``.

    Attributes
    ----------
    convention : {"standard", "letor3", "letor4"}
        The discount of nDCG, and the value of nDCG@k and P@k of queries with fewer than
        k documents.
    empty : {"zero", "skip", "one"}
        Value of queries without relevant documents in a mean; ``skip`` omits them.

    Examples
    --------
    >>> Rules("letor3").empty
    'zero'
    """

    convention: str = "standard"
    empty: str = "zero"

    def checked(self) -> "Rules":
        """Return the rules; ValueError if either name is unknown."""
        _ = self.definition, self.undefined
        return self

    @property
    def definition(self) -> Convention:
        """The convention; ValueError if the name is unknown."""
        if self.convention not in CONVENTIONS:
            raise ValueError(
                f"There is no convention {quoted(self.convention)}. Choose one of "
                f"{', '.join(CONVENTIONS)}."
            )
        return CONVENTIONS[self.convention]

    @property
    def undefined(self) -> EmptyRule:
        """The rule for undefined values; ValueError for an unknown rule."""
        if self.empty not in EMPTY_RULES:
            raise ValueError(
                f"There is no rule {quoted(self.empty)} for queries without relevant "
                f"documents. Choose one of {', '.join(EMPTY_RULES)}."
            )
        return EMPTY_RULES[self.empty]


STANDARD = Rules()
