"""Measures: one declaration each, which gives name, parsing, values and terms."""

import inspect
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore.base.arrays import numbered, read_only, whole_or_not
from rankcore.base.citations import references
from rankcore.base.numbers import quoted
from rankcore.measures._rules import TIES, Convention, Rules, tie_rule

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


# Rounding can make the soft rank of the last document exceed the number of documents.
_ROUNDING = 1e-6
_LARGEST = 10**9
_NEGATIVE = "A label is negative; give grades of 0 (irrelevant) or more."
_NO_SPANS: Integers = np.empty(0, dtype=np.int64)

MEASURES: dict[str, type["Measure"]] = {}


class Lists(NamedTuple):
    """Ranked documents, query by query: all documents, or those with a label above 0.

    Attributes
    ----------
    ranks : (m,) float64
        Ranks among all documents of the query; infinity for a document that was not
        returned, which adds nothing.
    labels : (m,) int64
        Labels; -1 for documents without a judgement, if all are listed. See `levels`.
    offsets : (q + 1,) int64
        Where each query's listed documents begin.
    sizes : (q,) int64
        Number of all documents of each query, listed or not.
    spans : (m,) or (0,) int64
        With averaging over tied documents, the number of documents, listed or not, that
        share the score of each; their rank is then that of the first of them. Empty
        where the ranks are a strict order, or soft.
    """

    ranks: Floats
    labels: Integers
    offsets: Integers
    sizes: Integers
    spans: Integers = _NO_SPANS

    @property
    def levels(self) -> Floats | None:
        """Where some labels are fractions, the ascending labels, from 0, that
        ``labels`` index; None where ``labels`` are the labels themselves."""
        return None

    def relevant(self) -> "Lists":
        """Return these lists without the documents of label 0."""
        from rankcore._kernels.ordering.ranks import keep_relevant

        ranks, labels, offsets, spans = keep_relevant(*self[:3], self.spans)
        lists = Lists(ranks, labels, offsets, self.sizes, spans)
        return of_levels(lists, self.levels)

    def number_of(self, label: float) -> int:
        """Return the least entry of ``labels`` that stands for at least this label."""
        if self.levels is None:
            return math.ceil(label)
        return int(np.searchsorted(self.levels, label))


class _FractionalLists(Lists):
    """Lists whose labels are indices of levels."""

    _levels: Floats

    @property
    def levels(self) -> Floats | None:
        return self._levels


def of_levels(lists: Lists, levels: Floats | None) -> Lists:
    """Return lists with the labels that their indices stand for; see `Lists.levels`."""
    if levels is None:
        return lists
    fractional = _FractionalLists(*lists)
    fractional._levels = levels
    return fractional


class Terms(NamedTuple):
    """A measure of one list as a sum over its positions.

    Attributes
    ----------
    factors : dict of str to (n,) float64
        Factors of the terms: name, as in the head of a column → value by position.
    terms : (n,) float64
        Contribution of each position; they sum to the measure.
    whole : float, optional
        The divisor from products of the factors to terms; None where the terms are not
        such products.
    """

    factors: dict[str, Floats]
    terms: Floats
    whole: float | None = None


@dataclass(frozen=True)
class Measure(ABC):
    """A measure of ranked lists: one value per query, where higher is better.

    A subclass is a declaration: the class attributes below, a field for each option,
    `values` and, for a sum over positions, `terms`. Defining it registers it for
    `parse`, the command line and the app.

    Parameters
    ----------
    cutoff : int, optional
        Number of positions k that count; None for the whole list.

    Attributes
    ----------
    name : str
        Its name, spelt as in `ir_measures` if that has the measure.
    aliases : tuple of str
        Other names that `parse` accepts.
    title, meaning : str
        The name in full, and one line on the meaning of a value.
    paper : str
        Its source, in Markdown.
    cutoffs : {"never", "optional", "always"}
        Whether it takes a cutoff.
    usually_cut : bool
        Whether it is usually reported with a cutoff, as nDCG@10, or without, as AP.
    undefined_without : str
        Documents that a query must have for the measure to be defined.
    letters : str
        Meaning of the symbols in `formula`, in Markdown.
    judges_models : bool
        Whether it suits choosing and comparing models: its values are the quality of a
        ranking, from 0 to 1. The app suggests only such measures.
    of_returned : bool
        Whether it is defined if a ranker does not return all documents.
    takes_fractions : bool
        Whether `values` reads labels by `Lists.levels` or `Lists.number_of`, so that
        labels may be fractions.
    reads_irrelevant : bool
        Whether `values` needs the documents with label 0. If not, evaluation does not
        compute their ranks.
    """

    cutoff: int | None = None

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    title: ClassVar[str]
    meaning: ClassVar[str]
    paper: ClassVar[str] = ""
    cutoffs: ClassVar[Literal["never", "optional", "always"]] = "optional"
    usually_cut: ClassVar[bool] = False
    undefined_without: ClassVar[str] = "relevant documents"
    letters: ClassVar[str] = ""
    judges_models: ClassVar[bool] = True
    of_returned: ClassVar[bool] = True
    takes_fractions: ClassVar[bool] = False
    reads_irrelevant: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" in cls.__dict__:
            MEASURES[cls.name] = cls
            parts = (inspect.cleandoc(cls.__doc__ or ""), references(cls.paper))
            cls.__doc__ = "\n\n".join(filter(None, parts))

    def __post_init__(self) -> None:
        if self.cutoff is None:
            if self.cutoffs == "always":
                raise ValueError(
                    f"{self.name} needs a cutoff: write {self.name}@10 for the first "
                    "10 positions."
                )
        elif self.cutoffs == "never":
            raise ValueError(f"{self.name} has no cutoff: write {self.name} alone.")
        elif type(self.cutoff) is not int or not 1 <= self.cutoff <= _LARGEST:
            raise ValueError(
                f"The cutoff of {self.name} is {quoted(self.cutoff)}; give a whole "
                f"number from 1 to {_LARGEST}, as in {self.name}@10."
            )

    def within(self, length: int) -> NDArray[np.bool_]:
        """Return a mask (length,) of the positions of a list within the cutoff."""
        return np.arange(length) < (self.cutoff or length)

    def __str__(self) -> str:
        changed = [f"{k}={v!r}" for k, v in self.options().items() if v is not None]
        options = f"({','.join(changed)})" if changed else ""
        return f"{self.name}{options}" + (f"@{self.cutoff}" if self.cutoff else "")

    @property
    def symbol(self) -> str:
        """Its name with the cutoff, in LaTeX."""
        at = "" if self.cutoff is None else f"@{self.cutoff}"
        return rf"\mathrm{{{self.name}{at}}}"

    def positions(self, *conditions: str) -> str:
        """Return, in LaTeX, the index of a sum over the documents within the cutoff
        that fulfil conditions."""
        bounds = () if self.cutoff is None else (rf"\pi_i \le {self.cutoff}",)
        those = r",\, ".join((*conditions, *bounds))
        return rf"i:\, {those}" if those else "i"

    def check_option(self, option: str, fits: bool, wanted: str) -> None:
        """Raise ValueError, naming the permitted values, where an option is invalid."""
        if not fits:
            raise ValueError(
                f"The option {option} of {self.name} is "
                f"{quoted(getattr(self, option))}; give {wanted}."
            )

    def options(self) -> dict[str, Any]:
        """Return the options by name, with None for default values."""
        return {
            f.name: None
            if getattr(self, f.name) == f.default
            else getattr(self, f.name)
            for f in fields(self)
            if f.name != "cutoff"
        }

    def __call__(
        self,
        ranks: ArrayLike,
        labels: ArrayLike,
        offsets: ArrayLike,
        convention: str = "standard",
        beta: float = math.inf,
    ) -> Floats:
        """Measure every query.

        Parameters
        ----------
        ranks : (n,) float64
            Rank of each document within its query, 1 = best, from `exact_ranks` or
            `soft_ranks`.
        labels : (n,) int64 or float64
            Relevance labels, 0 = irrelevant.
        offsets : (q + 1,) int64
            Where each query begins; its documents are contiguous.
        convention : {"standard", "letor3", "letor4"}
        beta : float
            Sharpness of the smooth cutoff sigma(beta (k + 1/2 - rank)) and of the
            smooth comparison sigma(beta (rank' - rank)), which give the surrogates of
            Qin, Liu and Li (2010) for soft ranks; infinity makes them steps (1/2 at
            equality) and so gives the measure itself.

        Returns
        -------
        (q,) float64
            Values in [0, 1], except that DCG can exceed 1; NaN for a query for which
            the measure is undefined.

        Raises
        ------
        ValueError
            For inconsistent arrays or an unknown convention.
        """
        definition = Rules(convention).definition
        if not beta > 0:
            raise ValueError(f"beta is {beta}; give a number above 0, or infinity.")
        grades, levels = numbered_levels(labels)
        places, grades, starts = checked(ranks, grades, offsets, "ranks")
        sizes = np.diff(starts)
        last = np.repeat(sizes, sizes) + _ROUNDING
        if not ((places >= 1) & (places <= last)).all():
            raise ValueError(
                "Some ranks are below 1 or above the number of documents of their "
                "query; compute them with exact_ranks or soft_ranks."
            )
        self.check_levels(levels)
        lists = of_levels(Lists(places, grades, starts, sizes), levels)
        if not self.reads_irrelevant:
            lists = lists.relevant()
        return self.values(lists, definition, float(beta))

    def check_levels(self, levels: Floats | None) -> None:
        """Raise ValueError if labels are fractions and the measure needs integers."""
        if levels is not None and not self.takes_fractions:
            raise ValueError(
                f"{self.name} needs whole labels, and some are fractions; round them, "
                "or choose another measure, such as nDCG."
            )

    @abstractmethod
    def values(self, lists: Lists, convention: Convention, beta: float) -> Floats:
        """Return the values per query of validated lists, as `__call__` describes."""

    def terms(self, labels: Integers, convention: Convention) -> Terms | None:
        """Return the contribution of each position of one list to the measure.

        Parameters
        ----------
        labels : (n,) int64
            Relevance grades from the top of the list down.

        Returns
        -------
        Terms or None
            None for a measure that is not a sum over positions.
        """
        return None

    def choices(self, convention: Convention) -> tuple[str, ...]:
        """Choices within the definition that change the value, as phrases."""
        return ()

    def formula(self, convention: Convention) -> str:
        """Return the definition in LaTeX, or an empty string."""
        return ""

    def describe(
        self,
        convention: str = "standard",
        empty: str = "zero",
        ties: str | None = None,
    ) -> str:
        """Name the measure and every choice that affects its mean, in one line."""
        rules = Rules(convention, empty)
        definition = rules.definition
        undefined = f"queries without {self.undefined_without} {rules.undefined.phrase}"
        choices = *self.choices(definition), definition.title
        tied = TIES[tie_rule(convention, ties)]
        return ", ".join((str(self), *choices, tied, undefined))


@dataclass(frozen=True)
class BinaryMeasure(Measure):
    """A measure of binary relevance.

    Parameters
    ----------
    rel : int
        Smallest grade that counts as relevant.
    """

    rel: int = 1

    letters = (
        r"$\pi_i$ is the rank of document $i$, 1 at the top; $r_i$ is 1 if it is "
        "relevant, else 0; $m$ is the number of relevant documents."
    )
    reads_irrelevant = False

    def __post_init__(self) -> None:
        super().__post_init__()
        fits = type(self.rel) is int and 1 <= self.rel <= _LARGEST
        wanted = f"the smallest relevant grade, a whole number from 1 to {_LARGEST}"
        self.check_option("rel", fits, wanted)

    def threshold(self, lists: Lists) -> int:
        """Return the least entry of the labels of lists that counts as relevant."""
        return lists.number_of(self.rel)

    def relevant(self, labels: Integers) -> Floats:
        """Return 1 for each relevant document and 0 for all others, (n,)."""
        return (labels >= self.rel).astype(np.float64)

    def choices(self, convention: Convention) -> tuple[str, ...]:
        return (f"relevant from grade {self.rel} up",)


def numbered_levels(labels: ArrayLike) -> tuple[Any, Floats | None]:
    """Return labels as indices and the levels that they stand for, as in `Lists`."""
    array = np.asarray(labels)
    if array.dtype.kind != "f" or np.isnan(array).any():
        return array, None
    if array.size and array.min() < 0:
        raise ValueError(_NEGATIVE)
    return numbered(whole_or_not(array))


def checked(
    values: ArrayLike, labels: ArrayLike, offsets: ArrayLike, what: str
) -> tuple[Floats, Integers, Integers]:
    """Return the three arrays read-only and contiguous, in the types of the kernels.

    Raises
    ------
    ValueError
        If they are inconsistent, or a label is negative.
    """
    floats, starts = checked_values(values, offsets, what)
    grades = read_only(labels, np.int64)
    if grades.shape != floats.shape:
        raise ValueError(
            f"There are {grades.size} labels but {floats.size} {what}; give one of "
            "each per document."
        )
    if grades.size and grades.min() < 0:
        raise ValueError(_NEGATIVE)
    return floats, grades, starts


def checked_values(
    values: ArrayLike, offsets: ArrayLike, what: str
) -> tuple[Floats, Integers]:
    """Return per-document numbers and offsets read-only; ValueError if inconsistent."""
    floats = read_only(values, np.float64)
    starts = read_only(offsets, np.int64)
    if floats.ndim != 1 or np.isnan(floats.min(initial=np.inf)):
        raise ValueError(
            f"The {what} are not one number per document: some are NaN, or the array "
            f"has shape {floats.shape}. Check the model or formula that computed them."
        )
    fits = (
        starts.ndim == 1
        and starts.size > 0
        and starts[0] == 0
        and starts[-1] == floats.size
        and bool((starts[1:] >= starts[:-1]).all())
    )
    if not fits:
        raise ValueError(
            f"The offsets do not divide {floats.size} documents into queries; give "
            f"rising numbers from 0 to {floats.size}, one more than there are queries."
        )
    return floats, starts
