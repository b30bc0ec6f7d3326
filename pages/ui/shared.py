"""Settings that several pages share: data, measure, algorithm, list, lesson."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pages.ui.data import datasets
from rankcore.algorithms import by_family, get_algorithm, list_algorithms
from rankcore.base.numbers import quoted
from rankcore.data.catalogue import Splits
from rankcore.data.dataset import Query, RankingDataset, query_name
from rankcore.measures import CONVENTIONS, Rules, list_measures, parse
from rankcore.topics.datasets.description import parts
from rankcore.topics.measuring import hand_list
from rankcore.topics.train import entries
from rankcore.topics.train.coefficients import COEFFICIENT, IMPORTANCE
from rankcore.training.selection import checked
from rankcore.views import (
    MORE,
    AllBut,
    Choice,
    DraggedRanking,
    Listed,
    Number,
    Several,
    Text,
    Values,
)

CUTOFFS = (10, 5, 3, 1)
SPLITS = {"train": "Training", "valid": "Validation", "test": "Test"}
EMPTY_RULES = {"zero": "counts 0", "skip": "is left out", "one": "counts 1"}
RULES = "Evaluation rules"
# The names to choose from where the data cannot be read.
NO_QUERY = (query_name("1"),)
HIGHEST_SEED = 9999
# Iterations a second at most.
SPEEDS: Mapping[str, float | None] = {
    f"{most} iterations/s": float(most) for most in (2, 10, 30, 100)
} | {"unlimited": None}


@dataclass(frozen=True)
class DataSet(Listed):
    """A data set; a missing one stays selected, and reading it reports the fault."""

    def check(self, value: Any) -> Any:
        if str(value).startswith(datasets.PREFIX) or value in datasets.infos():
            return str(value)
        names = ", ".join(datasets.infos())
        raise ValueError(f"There is no data set '{value!s:.40}' here, only {names}")

    def fitted(self, value: Any, values: Values) -> Any:
        return str(value)

    def examples(self, values: Values) -> Sequence[Any]:
        return ("toy-2d", "toy-3d")


@dataclass(frozen=True)
class Algorithm(Listed):
    """An algorithm, by its name in the registry."""

    def check(self, value: Any) -> Any:
        get_algorithm(str(value))
        return super().check(value)

    def examples(self, values: Values) -> Sequence[Any]:
        """One of each family."""
        return tuple(names[0] for names in by_family().values())


def _titles(values: Values) -> dict[str, str]:
    return {name: info.title for name, info in datasets.infos().items()}


def _algorithms(values: Values) -> dict[str, str]:
    """Every algorithm by family; labels mark those that cannot train on the data."""
    refused = datasets.refusals(values) if "data" in values else {}
    return {
        name: f"{family.capitalize()} · {get_algorithm(name).title}"
        + (" (not for this data)" if name in refused else "")
        for family, names in by_family().items()
        for name in names
    }


def _lines(values: Values) -> dict[str, str]:
    """Return summaries of algorithms, or why they cannot train on the data."""
    refused = datasets.refusals(values) if "data" in values else {}
    summaries = {name: get_algorithm(name).summary for name in list_algorithms()}
    return summaries | refused


def definition(name: str) -> str:
    """Return an algorithm's equation and paper, in Markdown."""
    algorithm = get_algorithm(name)
    return f"**{algorithm.title}**\n\n$$\n{algorithm.equation}\n$$\n\n{algorithm.paper}"


def _measures(values: Values) -> Sequence[str]:
    """Measures to suggest: those that judge models, nDCG first, at a few cutoffs."""
    offered = (kind for kind in list_measures() if kind.judges_models)
    kinds = sorted(offered, key=lambda kind: kind.name != "nDCG")
    names = []
    for kind in kinds:
        few = CUTOFFS if kind.name == "nDCG" else CUTOFFS[:2]
        names += [] if kind.cutoffs == "never" else [f"{kind.name}@{k}" for k in few]
        names += [] if kind.cutoffs == "always" else [kind.name]
    return names


def _splits(values: Values) -> dict[str, str]:
    """Return the splits that the data has."""
    splits = datasets.readable(values)
    return dict(SPLITS) if splits is None else {k: SPLITS[k] for k in parts(splits)}


def _queries(values: Values) -> tuple[int, int]:
    splits = datasets.readable(values)
    if splits is None:
        return 1, 1
    return 1, parts(splits)[values.get("part", "train")].n_queries


def _query_names(values: Values) -> Sequence[str]:
    """Return the names of the queries to choose from."""
    splits = datasets.readable(values)
    if splits is None:
        return NO_QUERY
    return parts(splits)[values.get("part", "train")].query_names


def split(values: Values) -> RankingDataset:
    """Return the split of the data selected by the setting ``part``."""
    return parts(datasets.of(values))[values.part]


def query(values: Values) -> Query:
    """Return the query that the settings choose."""
    return split(values).query(values["query"] - 1)


def no_document(text: str, values: Values) -> str | None:
    """Return why a text names no document of the selected query, chosen by its number
    in a split or, to compare rankings, by its id."""
    splits = datasets.readable(values)
    if splits is None or not values.get("compared_query", "any"):
        return None
    queries = [query(values)] if "query" in values else _of_id(values, splits)
    if any(text in (*one.doc_ids, *one.doc_names) for one in queries):
        return None
    return f"query {queries[0].id} has no document {quoted(text)}" if queries else None


def _of_id(values: Values, splits: Splits) -> list[Query]:
    """Return the queries with the selected id."""
    name = values["compared_query"]
    every = parts(splits).values()
    return [
        one.query(one.query_ids.index(name)) for one in every if name in one.query_ids
    ]


def entrants(key: str, default: tuple[str, ...], most: int, meaning: str) -> Several:
    """Return the setting for a choice of at most ``most`` algorithms."""
    return Several(
        key,
        default,
        "Algorithms",
        meaning=meaning,
        names=lambda values: entries.offered_entries(),
        reads=lambda text: entries.read_entry(text).text,
        boxed=True,
        least=1,
        most=most,
    )


def rules(values: Values) -> Rules:
    """Return the evaluation rules that the settings `CONVENTION` and `EMPTY` choose."""
    return Rules(values.convention, values.empty)


def sparse_algorithms() -> Mapping[str, str]:
    """Return the algorithms that trade features against fit."""
    algorithms = {name: get_algorithm(name) for name in list_algorithms()}
    return {name: cls.title for name, cls in algorithms.items() if cls.sparsity}


@dataclass(frozen=True)
class FeatureNumber(Listed):
    """A feature by its number, from 0; if empty, the first feature of the view."""

    def check(self, value: Any) -> Any:
        if value == "" or str(value).isdecimal():
            return str(value)
        raise ValueError(
            f"{self.key} must be the number of a feature, not {quoted(str(value))}"
        )


DATA = DataSet(
    "data",
    "mslr10k-sample",
    "Data",
    meaning="Type to search. The Data page describes each set and accepts your files. "
    "With few validation queries, a chip gives the precision of a mean such as "
    "nDCG@10: half the width of the 95% interval.",
    names=_titles,
    note=lambda values: datasets.describe(values.data),
    writes=lambda values, name: {"data": name, "without": ()},
)
NORMALISE = Listed(
    "normalise",
    datasets.AS_GIVEN,
    "Normalise features",
    meaning="`standard`: linear models train on features of deviation 1, and score "
    "raw ones. Per query, `minmax` maps them to 0 to 1, `zscore` to deviation 1.",
    names=datasets.NORMALISATIONS,
    group=MORE,
)
WITHOUT = AllBut(
    "without",
    (),
    "Switch features off",
    meaning="Models are trained and measured without them.",
    names=lambda values: datasets.feature_names(values.data),
    boxed=True,
    group=MORE,
)
PART = Choice(
    "part", "train", "Split", names=_splits, every=tuple(SPLITS), studied=False
)
QUERY = Number(
    "query", 1, "Query", low=1, whole=True, limits=_queries, names=_query_names,
    studied=False,
)  # fmt: skip
ALGORITHM = Algorithm(
    "algorithm",
    "RSRank",
    "Algorithm",
    meaning="Type to search by name or family. *All algorithms* lists them by family.",
    names=_algorithms,
    note=lambda values: get_algorithm(values.algorithm).summary,
    about=lambda values: definition(values.algorithm),
    lines=_lines,
)
WHICH_QUERY = (PART.beside(), QUERY.beside())
MEASURE = Listed(
    "measure",
    "nDCG@10",
    "Measure",
    meaning="Choose one, or type any other: `nDCG@20`, `P(rel=2)@5`, `AP@100`.",
    names=_measures,
    reads=lambda text: str(parse(text)),
)
CONVENTION = Listed(
    "convention",
    "standard",
    "Convention",
    meaning="`standard` discounts by 1 / log2(1 + rank) from the first rank on; "
    "`letor3` and `letor4` count as the evaluation scripts of LETOR 3.0 and 4.0 do.",
    names=tuple(CONVENTIONS),
    group=RULES,
)
EMPTY = Listed(
    "empty",
    "zero",
    "A query without relevant documents",
    names={rule: f"{rule}: {words}" for rule, words in EMPTY_RULES.items()},
    group=RULES,
)
SEED = Number(
    "seed",
    0,
    "Seed",
    meaning="The same seed, data and settings give the same run.",
    low=0,
    high=HIGHEST_SEED,
    whole=True,
    box=True,
    group=MORE,
)
SPEED = Listed(
    "speed",
    "30 iterations/s",
    "Speed",
    meaning="Slows playback only.",
    names={
        name: "Full speed" if most is None else f"{most:g} iterations a second"
        for name, most in SPEEDS.items()
    },
    studied=False,
)
RANKING = DraggedRanking(
    "ranking",
    "A0-B2-C1-D0-E1",
    "The list",
    meaning="drag, or arrow keys; + and − set the label",
    read=hand_list.read,
    rule=hand_list.RULE,
    inline=True,
)
DOCUMENTS = Number(
    "documents",
    5,
    "Documents",
    low=hand_list.FEWEST,
    high=hand_list.MOST,
    whole=True,
    box=True,
    computed=lambda values: len(hand_list.read(values.ranking) or []),
    writes=lambda values, count: {"ranking": hand_list.resized(values.ranking, count)},
)
EXPLAINED = Text(
    "why_document", "", "Document to explain", fault=no_document, inline=True,
    studied=False,
)  # fmt: skip
AT = Listed(
    "at",
    "",
    "Iteration of the model",
    meaning="For a run: its best model by validation or objective, its last, or the "
    "stored model of an iteration.",
    names=lambda values: {},
    reads=lambda text: checked(text) if text else "",
    studied=False,
)
WEIGHED = Choice(
    "weighed_by", IMPORTANCE, "Features by",
    names={IMPORTANCE: "Importance", COEFFICIENT: "Coefficients"},
    inline=True, bare=True, studied=False,
)  # fmt: skip
LESSON = Text("lesson", "", studied=False)
STEP = Number("step", 1, low=1, high=99, whole=True, studied=False)
PRESENT = Number("present", 0, low=0, high=1, whole=True, studied=False)
# The visitor's place in a lesson.
PLACE = (LESSON, STEP, PRESENT)
EVALUATION = (MEASURE, CONVENTION, EMPTY)
