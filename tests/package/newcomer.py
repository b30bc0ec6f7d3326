"""Twenty steps of a newcomer's notebook, as `tests/package/test_newcomer.py` runs them
without a warning; mypy checks them strictly."""

from pathlib import Path

import numpy as np
import pandas as pd

from rankcore import (
    ListNet,
    RankingDataset,
    RSRank,
    Stop,
    drive,
    export,
    load_model,
    measures,
    save_model,
)
from rankcore.mathematics.statistics import randomisation_test
from rankcore.studies import interop
from rankcore.studies.sweeps import sweep
from rankcore.topics.train.curves import run_curves
from rankcore.topics.train.training_figure import Drawn, run_figure


def steps(folder: Path) -> dict[str, object]:
    """Go from a table to a model that another program reads; return what was found."""
    # 1-3: a table of one's own.
    rng = np.random.default_rng(0)
    shop = pd.DataFrame(rng.random((240, 4)), columns=["bm25", "stars", "age", "price"])
    shop["query"] = np.repeat([f"q{number}" for number in range(30)], 8)
    shop["grade"] = np.digitize(shop["bm25"] + shop["stars"], [0.9, 1.4])
    # 4-6: a data set, looked at and split by query.
    features = shop[["bm25", "stars", "age", "price"]]
    data = RankingDataset.from_arrays(features, shop["grade"], shop["query"])
    first = data[0]
    train, valid, test = data.split((0.6, 0.2, 0.2), seed=1)
    # 7-10: two models, measured.
    model = RSRank(max_iter=15).fit(train, eval_set=valid)
    other = ListNet(max_iter=15).fit(train, eval_set=valid)
    score = model.score(test)
    table = measures.evaluate(test, model.predict(test), ["nDCG@5", "AP"])
    # 11-12: compared on the same queries.
    rival = measures.evaluate(test, other.predict(test), ["nDCG@5", "AP"])
    verdict = str(randomisation_test(rival["AP"].to_numpy(), table["AP"].to_numpy()))
    # 13-14: settings, swept.
    over = {"g": [0.0, 5.0]}
    cells = sweep("RSRank", train, valid, over, stop=Stop(max_iterations=5)).run()
    best = cells.to_frame().sort_values("valid nDCG@10").iloc[-1]["g"]
    # 15-16: a run, and its picture.
    run = drive(RSRank(g=float(best), max_iter=5), train, valid)
    history = [record.objective for record in run]
    picture = run_figure(Drawn(run_curves(run.history, "nDCG@10"), "#0072B2"))
    # 17-19: written for another program, written and read again.
    solr = export(model, "solr")
    save_model(model, folder / "model.json")
    again = load_model(folder / "model.json")
    # 20: the rankings as trec_eval has them.
    rankings = interop.to_frame(interop.run_of(test, again.predict(test)))
    return {
        "first": len(first),
        "score": score,
        "queries": len(table),
        "verdict": verdict,
        "cells": len(cells),
        "iterations": len(history),
        "figure": picture.figure(),
        "solr": solr,
        "same": again.predict(test).tolist() == model.predict(test).tolist(),
        "rankings": len(rankings),
    }
