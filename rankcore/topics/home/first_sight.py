"""Stored runs that the home page draws in the browser, without training.

Four algorithms on the data set ``planted``, each with five values of one of its
settings. A file in this folder holds their curves, the importance of features and one
ranking;

    python -m rankcore.topics.home.first_sight

computes it again. Reading it imports no large package.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from rankcore.data.dataset import Query, RankingDataset
    from rankcore.training import Record

FILE = Path(__file__).with_suffix(".json")

DATA = "planted"
MEASURE = "nDCG@10"
SEED = 0
# The iterations at which features and ranking are stored; curves have all iterations.
FRAMES = (*range(7), *range(8, 21, 2), *range(24, 61, 4))
# A validation query, and the number of its documents shown for each label.
QUERY = 6
SHOWN = {2: 4, 1: 4, 0: 6}
# A feature is stored as one character: this one is zero, later ones are positive.
ZERO = ord("P")
LEVELS = 40


class Varied(NamedTuple):
    """An algorithm, the setting to vary, its values, and the one shown first."""

    algorithm: str
    setting: str
    values: tuple[float, ...]
    first: int


VARIED = (
    Varied("RSRank", "g", (0.0, 3.0, 10.0, 30.0, 100.0), 3),
    Varied("ApproxNDCG", "alpha", (1.0, 10.0, 50.0, 100.0, 300.0), 1),
    Varied("SVMNDCG", "C", (0.1, 1.0, 10.0, 100.0, 1000.0), 2),
    Varied("LambdaRank", "learning_rate", (1e-6, 1e-5, 1e-4, 1e-3, 1e-2), 3),
)


def stored() -> dict[str, Any]:
    """Return the stored runs, as `computed` returned them."""
    content: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return content


def computed() -> dict[str, Any]:
    """Train all runs, which takes a few seconds.

    Returns
    -------
    dict
        ``data``, ``split``, ``queries``, ``measure``, ``seed``, ``frames`` describe the
        numbers. ``features`` are the features' names, those that made the labels first,
        ``causes`` of them, by importance. ``query`` has the ranking's documents.
        ``algorithms`` have their setting, its values, and for each a run:

        - ``curve``: mean of the measure on the split at every iteration, in thousandths
        - ``importances``: at each frame, a character a feature (see `importances`)
        - ``orders``: at each frame, the documents best first, ``a`` being the first
        - ``values``: at each frame, the measure of that ranking, in thousandths
        - ``reason``: why the run ended, as a sentence
    """
    import numpy as np

    from rankcore.algorithms import RSRank
    from rankcore.data.catalogue import load_dataset, planted_truth

    train, valid, _ = load_dataset(DATA)
    assert valid is not None
    truth = np.abs(RSRank().importances(planted_truth(), train))
    features = np.argsort(-truth, kind="stable")
    query, rows = _documents(valid)
    return {
        "data": DATA,
        "split": "validation",
        "queries": valid.n_queries,
        "measure": MEASURE,
        "seed": SEED,
        "frames": list(FRAMES),
        "features": [train.feature_names[i] for i in features],
        "causes": int((truth > 0).sum()),
        "query": {
            "name": f"validation {query.name}",
            "documents": [query.doc_ids[row] for row in rows],
            "labels": query.y[rows].tolist(),
            "of": len(query),
        },
        "algorithms": [
            _algorithm(varied, train, valid, features, query, rows) for varied in VARIED
        ],
    }


def importances(text: str) -> list[float]:
    """Return importances from characters, as shares of the run's largest, -1 to 1.

    Only exact zeros become 0.
    """
    return [(ord(character) - ZERO) / LEVELS for character in text]


def table() -> list[dict[str, Any]]:
    """Return the stored curves: a row for each algorithm, value and iteration."""
    content = stored()
    return [
        {
            "algorithm": one["title"],
            "setting": one["setting"],
            "value": value,
            "iteration": iteration,
            f"{content['split']} {content['measure']}": thousandths / 1000,
        }
        for one in content["algorithms"]
        for value, run in zip(one["values"], one["runs"], strict=True)
        for iteration, thousandths in enumerate(run["curve"])
    ]


def _documents(dataset: "RankingDataset") -> "tuple[Query, np.ndarray]":
    """Return the query, and the rows of the documents to show, unsorted."""
    import numpy as np

    query, rng = dataset.query(QUERY), np.random.default_rng(SEED)
    chosen = [
        np.sort(rng.choice(np.flatnonzero(query.y == label), count, replace=False))
        for label, count in SHOWN.items()
    ]
    return query, np.sort(np.concatenate(chosen))


def _algorithm(
    varied: Varied,
    train: "RankingDataset",
    valid: "RankingDataset",
    features: "np.ndarray",
    query: "Query",
    rows: "np.ndarray",
) -> dict[str, Any]:
    from rankcore.algorithms import get_algorithm
    from rankcore.base.hyperparameters import hyperparameters
    from rankcore.base.symbols import plain
    from rankcore.training import Stop, drive

    chosen = get_algorithm(varied.algorithm)
    declared = hyperparameters(chosen)[varied.setting]
    runs = []
    for value in varied.values:
        settings: Mapping[str, Any] = {varied.setting: value, "random_state": SEED}
        algorithm = chosen(**settings)
        stop = Stop(max_iterations=FRAMES[-1])
        run = drive(algorithm, train, valid, stop=stop, measures=(MEASURE,))
        records = list(run)
        frames = [record for record in records if record.iteration in FRAMES]
        if frames[-1] is not records[-1]:
            frames.append(records[-1])
        rankings = [_ranking(algorithm, record, query, rows) for record in frames]
        runs.append(
            {
                "curve": [round(1000 * record.valid[MEASURE]) for record in records],
                "importances": _characters(algorithm, frames, train, features),
                "orders": [order for order, _ in rankings],
                "values": [value for _, value in rankings],
                "reason": run.reason,
            }
        )
    return {
        "name": varied.algorithm,
        "title": chosen.title,
        "setting": varied.setting,
        "symbol": plain(declared.symbol),
        "meaning": declared.title,
        "values": [declared.short(value) for value in varied.values],
        "first": varied.first,
        "runs": runs,
    }


def _characters(
    algorithm: Any,
    records: "list[Record]",
    train: "RankingDataset",
    features: "np.ndarray",
) -> list[str]:
    """Return the importance of features at each record, a character a feature; see
    `importances`."""
    import numpy as np

    coef = np.array([record.coef for record in records])
    values = algorithm.importances(coef, train)[:, features]
    shares = LEVELS * values / max(np.abs(values).max(), np.finfo(float).tiny)
    # Rounded away from zero, so that only zero becomes zero.
    levels = np.sign(shares) * np.ceil(np.abs(shares))
    return ["".join(chr(ZERO + int(level)) for level in row) for row in levels]


def _ranking(
    algorithm: Any, record: "Record", query: "Query", rows: "np.ndarray"
) -> tuple[str, int]:
    """Return the documents from the top down as letters, and the measure of that
    list."""
    from rankcore.measures import parse
    from rankcore.topics.inspect.ranking import order_by

    scores = algorithm.scores(query.X[rows], record.coef)
    ranking = order_by(scores, query.y[rows], parse(MEASURE))
    order = "".join(chr(ord("a") + int(row)) for row in ranking.rows)
    return order, round(1000 * ranking.value)


if __name__ == "__main__":
    text = json.dumps(computed(), ensure_ascii=False, separators=(",", ":"))
    FILE.write_text(text + "\n", "utf-8")
