"""Values printed in papers, as facts with their sources.

``published.csv`` has one printed value per line: the data set, algorithm and measure as
named in the paper, the value, and its place.
"""

import csv
from functools import cache, lru_cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

# Sources by a distinctive word, with their name here.
SOURCES = {
    "Qin, Liu & Li": ("approx", "Qin, Liu and Li 2010"),
    "Sun, Qin": ("rsrank", "Sun et al. 2009"),
    "Tran & Pham": ("conerank", "Tran and Pham"),
    "Chakrabarti": ("structured", "Chakrabarti et al. 2008"),
    "Liu, Learning": ("liu", "Liu 2011"),
}
RELATIONS = ("<=", "<", "")
_MEASURES = {"MAP": "AP", "MRR10": "RR@10", "NDCG10": "nDCG@10", "NDCG@n": "nDCG"}


class Printed(NamedTuple):
    """A printed value.

    Attributes
    ----------
    number : int
        Its line in the file, from 1.
    source : str
        Authors, title, venue and year.
    dataset, algorithm, metric : str
        Names in the paper; ``algorithm`` may be empty.
    relation : {"", "<", "<="}
        Whether the paper gives the value itself or a limit.
    note : str
        Its place in the paper, and remarks.
    """

    number: int
    source: str
    dataset: str
    algorithm: str
    metric: str
    value: float
    relation: str
    note: str

    @property
    def paper(self) -> str:
        """The paper's key, such as ``approx``."""
        return _source(self.source)[0]

    @property
    def short_source(self) -> str:
        """Authors, year and place, such as "Qin, Liu and Li 2010, Table 4"."""
        return f"{_source(self.source)[1]}, {self.note.partition(';')[0]}"

    @property
    def measure(self) -> str:
        """Our name of the measure; empty if the value has none."""
        return measure_of(self.metric)

    @property
    def text(self) -> str:
        """The value as it is printed, with its relation."""
        return f"{self.relation}{self.value:g}"


def measure_of(metric: str) -> str:
    """Return our name of the measure; empty if the measure is unclear."""
    name = _MEASURES.get(metric, metric)
    kind, _, cutoff = name.partition("@")
    if kind == "NDCG" and cutoff:
        return f"nDCG@{cutoff}"
    return name if kind in ("AP", "RR", "nDCG", "P") else ""


@cache
def every() -> tuple[Printed, ...]:
    """Every printed value, in the order of the file."""
    table = resources.files("rankcore.topics.papers").joinpath("published.csv")
    with table.open() as file:
        return tuple(
            _printed(number, row) for number, row in enumerate(csv.DictReader(file), 1)
        )


def value(note: str = "", **columns: str) -> float:
    """Return the first printed value with these ``columns``, by name, whose note begins
    with ``note``."""
    return next(
        row.value
        for row in every()
        if row.note.startswith(note)
        and all(getattr(row, name) == text for name, text in columns.items())
    )


def of_dataset(dataset: str) -> "pd.DataFrame":
    """Return published five-fold test figures on a data set.

    Parameters
    ----------
    dataset : str
        For example ``"ohsumed"``; upper and lower case count alike.

    Returns
    -------
    pandas.DataFrame
        Columns ``algorithm``, ``measure``, ``value``, ``source``; empty for a data
        set without published figures.
    """
    import pandas as pd

    rows = [
        (row.algorithm, row.measure, row.value, row.short_source)
        for row in every()
        if row.measure and row.dataset.lower() == dataset.lower()
    ]
    return pd.DataFrame(rows, columns=["algorithm", "measure", "value", "source"])


def _printed(number: int, row: dict[str, str]) -> Printed:
    text = row["value"]
    relation = next(sign for sign in RELATIONS if text.startswith(sign))
    return Printed(
        number,
        row["source"],
        row["dataset"],
        row["algorithm"],
        row["metric"],
        float(text.removeprefix(relation)),
        relation,
        row["note"],
    )


@lru_cache(maxsize=256)
def _source(text: str) -> tuple[str, str]:
    return next(source for start, source in SOURCES.items() if text.startswith(start))
