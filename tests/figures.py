"""Figures that must be the same on every processor, by the job that computes them.

``python -m tests.figures FILE`` reads names of jobs from its input, and puts what they
give into the file. `tests.test_processors` runs it under simulated processors.
"""

import dataclasses
import json
import math
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rankcore.data.dataset import RankingDataset

DATA = ("toy-3d", "planted", "mslr10k-sample")
# As many as a path needs to part widely from one that began a last bit apart.
ITERATIONS = 25
# A pass of these presets takes seconds, and moves the cone once for each pair.
FEW_ITERATIONS = {"As printed, SG (μ = 0.001)": 1, "As printed, EG (μ = 0.005)": 1}
# Of a path on data that are changed for the sake of a single cause.
FEWER_ITERATIONS = 8
# What a clock decides, or the day.
TIMED = {"seconds", "clock", "date", "made"}

Figures = Iterator[tuple[str, Any]]

Job = Callable[[], Figures]


def jobs() -> dict[str, Job]:
    """Return all jobs by name; each yields figures and where they stand."""
    return {name: job for group in GROUPS for name, job in group().items()}


def some_jobs(names: Iterable[str]) -> dict[str, Job]:
    """Return jobs of these names, without loading what others need."""
    wanted, value = set(names), dict[str, Job]()
    for group in GROUPS:
        if wanted - value.keys():
            value |= group()
    return {name: value[name] for name in names}


def _bundled() -> dict[str, Job]:
    data = {f"data {name}": lambda name=name: _data(name) for name in DATA}
    settings = {
        "arithmetic": _arithmetic,
        "measures": _measures,
        "statistics": _statistics,
        "raters": _raters,
        "importance": _importance,
        "clicks": _clicks,
        "home": _first_sight,
    }
    return data | settings


def _trainings() -> dict[str, Job]:
    from rankcore import get_algorithm, list_algorithms

    raw = "ListNet", {}, "mslr10k-sample-raw", ITERATIONS, "standard"
    entries = {"ListNet on standardised features": partial(_training, *raw)}
    for name in list_algorithms():
        presets = {"": {}, **get_algorithm(name).presets}
        for preset, settings in presets.items():
            for data in DATA:
                job = f"{name} ({preset}) on {data}" if preset else f"{name} on {data}"
                few = FEW_ITERATIONS.get(preset, ITERATIONS)
                entries[job] = partial(_training, name, settings, data, few)
        variant = partial(_training, name, data="planted", iterations=FEWER_ITERATIONS)
        for changes, changed in CHANGES.items():
            entries[f"{name} with {changes}"] = partial(variant, {}, changed=changed)
        if hasattr(get_algorithm(name), "signs"):
            signs = {"signs": "not_negative"}
            entries[f"{name} with signs"] = partial(variant, signs)
    return entries


def _with_query_weights(data: RankingDataset) -> RankingDataset:
    weights = np.random.default_rng(1).integers(1, 17, data.n_queries) / 8.0
    return data.with_query_weights(weights)


def _with_document_weights(data: RankingDataset) -> RankingDataset:
    weights = np.random.default_rng(2).integers(1, 17, data.n_documents) / 8.0
    return data.with_document_weights(weights)


def _with_fractions(data: RankingDataset) -> RankingDataset:
    parts = np.random.default_rng(3).integers(0, 4, data.n_documents) / 4.0
    qid = np.repeat(data.query_ids, data.lengths)
    return RankingDataset.from_arrays(data.X, data.y + parts, qid)


# What training data may have besides.
CHANGES = {
    "weights of queries": _with_query_weights,
    "weights of documents": _with_document_weights,
    "fractional labels": _with_fractions,
}


def _training(
    name: str,
    settings: Mapping[str, Any],
    data: str,
    iterations: int,
    normalisation: Any = None,
    changed: Callable[[RankingDataset], RankingDataset] = lambda data: data,
) -> Figures:
    from rankcore import get_algorithm
    from rankcore.data.catalogue import load_dataset
    from rankcore.training import Stop, drive

    algorithm = get_algorithm(name)(random_state=0, **settings)
    train, valid, _ = load_dataset(data).normalise(normalisation)
    train = changed(train)
    if reason := algorithm.unsupported_reason(train):
        yield "no training", reason
        return
    stop = Stop(max_iterations=iterations)
    run = drive(algorithm, train, valid, stop=stop, measures=("nDCG@10", "AP"))
    for record in run:
        at = f"iteration {record.iteration}"
        yield f"{at}, coefficients", record.coef
        yield f"{at}, state", record.state
        yield f"{at}, objective", record.objective
        yield f"{at}, measures", [record.train, record.valid]
    yield "best iteration", run.best.iteration
    yield "end", run.reason


def _data(name: str) -> Figures:
    from rankcore.data.catalogue import load_dataset

    for part in load_dataset(name):
        yield part.name, [part.X, part.y, part.offsets]


def _arithmetic() -> Figures:
    from rankcore.mathematics.arithmetic import digest

    yield "digest", digest()


def _models() -> Any:
    """Return test data, and scores (n,) of it by six models of few binary places."""
    from rankcore.data.catalogue import load_dataset

    test = load_dataset("mslr10k-sample").test
    weights = np.random.default_rng(0).integers(-8, 9, (6, test.n_features))
    features = np.rint(test.X * 2.0**20) / 2.0**20
    return test, [(features * row).sum(axis=1) for row in weights]


def _measures() -> Figures:
    from rankcore import measures
    from rankcore.data.rankings import read_rankings
    from rankcore.data.trec import trec_run

    test, scores = _models()
    names = (
        "nDCG@10", "nDCG", "MeanNDCG", "AP", "RR@10", "P@5", "AUC", "ERR@10", "WTA",
        "DCG@10", "R@10", "Success@3", "RBP", "Bpref", "Judged@5",
    )  # fmt: skip
    for convention in ("standard", "letor3", "letor4"):
        for number, value in enumerate(scores):
            for ties in measures.TIES:
                where = f"{convention}, model {number}, ties {ties}"
                args = test, value, names, convention, "skip", ties
                yield where, measures.by_query(*args)
                yield f"{where}, means", measures.means(*args)
    run = read_rankings(trec_run(test, scores[0], "m").encode())
    judged = {
        query.id: dict(zip(query.doc_ids[1:], query.y[1:].tolist(), strict=True))
        for query in map(test.query, range(test.n_queries))
    }
    for convention in measures.RUN_CONVENTIONS:
        rules = measures.run_rules(convention)
        training = measures.measure_run(run, judged, ("nDCG@10", "AP", "Bpref"), rules)
        yield f"a run, {convention}", training.values


def _statistics() -> Figures:
    from rankcore import measures
    from rankcore.mathematics import differences, statistics
    from rankcore.topics.sparsity.changes import relative_change

    test, scores = _models()
    rows = np.array([measures.by_query(test, values)["nDCG@10"] for values in scores])
    pairs = [(i, j) for i in range(len(rows)) for j in range(i)]
    compared = differences.differences(rows, pairs)
    yield "differences", compared
    yield "intervals of means", statistics.mean_intervals(rows)
    yield "mean ranks", differences.mean_ranks(rows.T)
    yield "Holm", statistics.holm([one.p_value for one in compared])
    for i, j in pairs[:4]:
        values = rows[i], rows[j]
        gap = rows[i] - rows[j]
        yield "randomisation", statistics.randomisation_test(*values, sign_flips=5_000)
        yield "exact", statistics.randomisation_test(values[0][:9], values[1][:9])
        yield "interval", statistics.difference_interval(*values)
        yield "relative change", relative_change(*values)
        yield "detectable", statistics.minimal_detectable_difference(gap)
        yield "needed", statistics.queries_needed(gap, 0.01)


def _raters() -> Figures:
    from rankcore.mathematics import agreement

    rng = np.random.default_rng(4)
    item = np.repeat(np.arange(200), 3)
    label = np.rint(rng.random(200) * 3.0)[item] + rng.integers(0, 2, len(item))
    values, counts = agreement.label_counts(item, label)
    for level in agreement.LEVELS:
        yield level, agreement.krippendorff(values, counts, level)
    for weights in ("none", "linear", "quadratic"):
        yield weights, agreement.cohen(label[::3], label[1::3], weights)
    yield "Fleiss", agreement.fleiss(counts)
    for ties in agreement.TIES:
        yield f"majority, {ties}", agreement.majority(values, counts, ties)
        yield f"median, {ties}", agreement.median(values, counts, ties)
    yield "variances", agreement.ordinal_variances(counts)


def _importance() -> Figures:
    from rankcore import RSRank
    from rankcore.data.catalogue import load_dataset
    from rankcore.studies.importance import permuted, refitted

    planted = load_dataset("planted")
    few = planted.train.feature_names[:6]
    train, valid = (part.with_features(few) for part in (planted.train, planted.valid))
    model = RSRank(max_iter=5).fit_dataset(train)
    yield "permuted", permuted([model], valid)
    yield "refitted", refitted(model, train, valid)


def _clicks() -> Figures:
    from rankcore import LambdaRank, ListNet, RSRank
    from rankcore.topics.clicks import evaluation, examination, learning
    from rankcore.topics.clicks import pairs as click_pairs
    from tests.topics.clicks.logs import DATA, simulation

    log = simulation(swaps=True).log(2000)
    yield "clicked", log.clicked
    yield "swaps", examination.by_swaps(log)
    pairs = examination.by_all_pairs(log)
    yield "all pairs", pairs
    for relevance in ("features", "documents"):
        regression = examination.by_regression(log, DATA, 20, relevance=relevance)
        yield f"regression by {relevance}", regression
    weights = learning.click_weights(log, pairs.values)
    yield "model", learning.learn(DATA, weights, log.n_clicks, tolerance=1e-3)
    for learner in (ListNet(max_iter=5), RSRank(max_iter=5), LambdaRank(max_iter=5)):
        learner.fit_dataset(learning.click_data(learner, DATA, weights))
        yield learner.title, learner.coef_
    yield "pairs", click_pairs.learn_pairs(DATA, log, rounds=2)
    utility = evaluation.utilities(log, DATA.X[:, 29], evaluation.discounted)
    yield "value", evaluation.inverse_propensity(log, utility, pairs.values)


def _first_sight() -> Figures:
    from rankcore.topics.home import first_sight

    yield "runs", first_sight.computed()


def _examples() -> dict[str, Job]:
    from pages.ui import examples

    return {
        f"example {own.path.stem}": lambda own=own: iter(
            [("example", json.loads(json.dumps(own.computed())))]
        )
        for own in examples.every()
    }


def _cards() -> dict[str, Job]:
    from rankcore.topics.papers import cards, results
    from rankcore.topics.papers.bench import Bench

    return {
        f"card {card.key}": lambda card=card: iter(
            [("card", results.check(card, Bench()))]
        )
        for card in cards.CARDS
        if not card.data
    }


# Those that load least come first.
GROUPS = (_bundled, _trainings, _cards, _examples)


def leaves(value: Any, where: str) -> Iterator[tuple[str, Any]]:
    """Yield the arrays, numbers and words in a value, with their places."""
    if dataclasses.is_dataclass(value):
        value = vars(value)
    elif hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        if value.get("label") == "seconds":
            return
        for key, item in value.items():
            if key not in TIMED:
                yield from leaves(item, f"{where}.{key}")
    elif isinstance(value, list | tuple):
        if value and all(type(item) is float for item in value):
            yield where, np.array(value)
            return
        for number, item in enumerate(value):
            yield from leaves(item, f"{where}[{number}]")
    elif isinstance(value, np.ndarray | np.generic | float):
        yield where, np.array(value)
    elif value is None or isinstance(value, str | int):
        yield where, value
    else:
        raise TypeError(f"{where} is a {type(value).__name__}")


def probes() -> dict[str, bytes]:
    """Return results that do depend on the processor, one for each cause."""
    from numba import njit

    rng = np.random.default_rng(0)
    matrix, vector = rng.random((200, 301)), rng.random(301)
    row = rng.uniform(0.1, 9.0, 20_000)

    @njit(fastmath={"reassoc", "contract"})
    def summed(a, b):
        total = 0.0
        for i in range(len(a)):
            total += a[i] * b[i]
        return total

    products = np.array([summed(item, vector) for item in matrix])
    return {
        "BLAS": (matrix @ vector).tobytes() + (matrix @ matrix.T).tobytes(),
        "NumPy": b"".join(f(row).tobytes() for f in (np.exp, np.log, np.log2)),
        "C library": np.array([math.exp(item) for item in row]).tobytes()
        + np.array([math.log(item) for item in row]).tobytes(),
        "kernels": products.tobytes(),
    }


def processor() -> dict[str, Any]:
    """Return what the libraries of this process take the processor to be."""
    import scipy.linalg  # noqa: F401  (brings its own BLAS)
    from numba.core.registry import cpu_target
    from numpy._core._multiarray_umath import __cpu_features__
    from threadpoolctl import threadpool_info

    _, cpu, features = cpu_target.target_context.codegen().magic_tuple()
    blas = [item for item in threadpool_info() if item["user_api"] == "blas"]
    return {
        "BLAS": sorted({str(item.get("architecture")).lower() for item in blas}),
        "NumPy": sorted(name for name, there in __cpu_features__.items() if there),
        "kernels": [cpu, features],
    }


if __name__ == "__main__":
    found = {
        name: [leaf for place, own in job() for leaf in leaves(own, place)]
        for name, job in some_jobs(json.load(sys.stdin)).items()
    }
    result = {"processor": processor(), "probes": probes(), "figures": found}
    Path(sys.argv[1]).write_bytes(pickle.dumps(result))
