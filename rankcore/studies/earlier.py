"""Forms that results had in files of earlier versions."""

from collections.abc import Mapping
from typing import Any, Literal

VERSION = 2
Status = Literal["finished", "pruned", "diverged", "failed"]


def result(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the JSON of a `rankcore.studies.results.Result` in the form of now.

    Before, it had a flag for each way to end, a row of a sensitivity study was within
    that of its level and repeat, the first ones did not say whether the model ranks,
    and points of paths had a form of their own. What is none of these is returned as it
    is.

    Raises
    ------
    ValueError
        If a later version has written it.
    """
    if "point" in record or "measures" in record:
        return _path_point(record)
    if isinstance(record.get("row"), dict):
        record = record["row"]
    if "version" in record:
        if record["version"] != VERSION:
            raise ValueError("a later version of RankScope has written it")
        return record
    if not {"failed", "diverged", "pruned"} <= record.keys():
        return record
    ranks = bool(record["failed"]) or record.get("nonzeros") != 0
    return {"ranks": ranks, **record, "status": status(record)}


def measure(record: Mapping[str, Any]) -> str:
    """Return the measure that chose a model of a search, with its split.

    Before, the JSON of a `rankcore.studies.results.ModelResults` had its value instead;
    all were studies of one measure.
    """
    for row in record["rows"]:
        for split in ("valid", "train"):
            for name in row[split]:
                return f"{split} {name}"
    return ""


def _path_point(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the JSON of what was a point of a path in the form of now.

    The first ones were within the name of their path, and did not say whether the model
    ranks, nor their models what they reached.
    """
    if "point" in record:
        record = {"path": record["path"], **record["point"]}
    means, model, value = record["measures"], record["model"], record["value"]
    settings = model["hyperparameters"]
    names = [name for name, other in settings.items() if other == value]
    reached = {
        f"{split} {name}": mean
        for split in ("train", "valid")
        for name, mean in means.get(split, {}).items()
        if mean is not None
    }
    cell = {
        "settings": [[name, value] for name in names[:1]],
        "fold": record.get("path", ""),
        "seed": settings["random_state"] or 0,
    }
    return {
        "ranks": record["nonzeros"] > 0,
        **record,
        **means,
        "cell": cell,
        "iterations": record["iteration"],
        "queries": {},
        "history": {},
        "coef": [],
        "model": model | {"measures": model["measures"] or reached},
    }


def status(flags: Mapping[str, Any]) -> Status:
    """Return how a run ended, from a flag for each way."""
    ways: tuple[Status, ...] = ("failed", "diverged", "pruned")
    return next((way for way in ways if flags.get(way)), "finished")
