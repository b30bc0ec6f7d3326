"""A run store with many runs of realistic size, without training each one."""

import json
import random
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from rankcore import RankingDataset
from rankcore.algorithms import get_algorithm
from rankcore.base.hyperparameters import hyperparameters
from rankcore.studies.store import open_store
from rankcore.training import Stop, drive

RUNS, ITERATIONS, FEATURES, QUERIES, DOCUMENTS = 10_000, 200, 46, 100, 20
ALGORITHMS = ("RSRank", "RankSVM", "LambdaRank", "ListNet", "ApproxNDCG", "AdaRank")
DATA = ("mslr10k-sample train", "planted train", "shop train")
TAGS = ("paper", "baseline", "lecture", "second look")
MEASURES = ("nDCG@10", "AP", "RR")
PARTS = ("pieces", "models", "queries")


def fill(file: Path, count: int = RUNS) -> str:
    """Create a store with this many runs.

    One is trained and recorded; the others are copies of its rows with different ids,
    names, dates and values.

    Returns
    -------
    str
        The address of the store.
    """
    address = f"sqlite:///{file}"
    with open_store(address) as store:
        _record(store)
    draw = random.Random(0)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.row_factory = sqlite3.Row
        first = dict(connection.execute("SELECT * FROM rankscope_runs").fetchone())
        for row in (_varied(first, number, draw) for number in range(1, count)):
            _insert(connection, "rankscope_runs", row)
        others = "SELECT id FROM rankscope_runs WHERE id != ?"
        keys = [row["id"] for row in connection.execute(others, [first["id"]])]
        for name in PARTS:
            table = f"rankscope_{name}"
            for part in connection.execute(f"SELECT * FROM {table}").fetchall():
                for key in keys:
                    _insert(connection, table, dict(part) | {"run": key})
    return address


def alike(file: Path, count: int) -> list[str]:
    """Return keys of ``count`` runs on one data set, from a store filled by `fill`."""
    with closing(sqlite3.connect(file)) as connection:
        rows = connection.execute(
            "SELECT id FROM rankscope_runs WHERE data = ? ORDER BY id LIMIT ?",
            [DATA[0], count],
        )
        return [key for (key,) in rows]


def _record(store: Any) -> None:
    draw = np.random.default_rng(0)
    n = QUERIES * DOCUMENTS
    X = draw.random((n, FEATURES))
    wanted = X @ draw.normal(size=FEATURES) + draw.normal(size=n, scale=3.0)
    y = np.searchsorted(np.quantile(wanted, (0.6, 0.8, 0.92, 0.98)), wanted)
    qid = np.repeat(np.arange(QUERIES), DOCUMENTS)
    data = RankingDataset.from_arrays(X, y, qid, name=DATA[0])
    model = get_algorithm("LambdaRank")(learning_rate=0.01, max_iter=ITERATIONS)
    run = drive(model, data, data, stop=Stop(ITERATIONS), measures=MEASURES)
    with store.recording(run, title="The run that was trained"):
        for _ in run:
            pass


def _varied(row: dict[str, Any], number: int, draw: random.Random) -> dict[str, Any]:
    algorithm, gain = draw.choice(ALGORITHMS), draw.gauss(0.0, 0.03)
    cls = get_algorithm(algorithm)
    began = datetime.fromisoformat(row["created"]) - timedelta(minutes=7 * number)
    settings = {
        name: parameter.default for name, parameter in hyperparameters(cls).items()
    }
    tags = sorted(draw.sample(TAGS, draw.choice((0, 0, 1, 2))))
    curve = [value + gain for value in json.loads(row["curve"])]
    return row | {
        "id": f"{number:016x}",
        "created": began.isoformat(" "),
        "updated": began.isoformat(" "),
        "algorithm": algorithm,
        "title": f"{cls.title} {number}",
        "hyperparameters": json.dumps(settings),
        "data": draw.choice(DATA),
        "status": draw.choice(("finished", "finished", "finished", "stopped")),
        "tags": json.dumps(tags),
        "notes": "Checked by hand." if number % 50 == 0 else "",
        "curve": json.dumps(curve),
        "best": _gained(row["best"], gain),
        "last": _gained(row["last"], gain),
    }


def _gained(figures: str, gain: float) -> str:
    """Return the values of an iteration with different validation measures."""
    return json.dumps(
        {
            name: value + gain if name.startswith("valid ") else value
            for name, value in json.loads(figures).items()
        }
    )


def _insert(connection: sqlite3.Connection, table: str, row: dict[str, Any]) -> None:
    names = ", ".join(f'"{name}"' for name in row)
    places = ", ".join("?" * len(row))
    connection.execute(
        f"INSERT INTO {table} ({names}) VALUES ({places})", list(row.values())
    )
