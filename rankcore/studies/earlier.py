"""Conversion of results from files of earlier versions."""

from collections.abc import Mapping
from typing import Any, Literal

VERSION = 2
Status = Literal["finished", "pruned", "diverged", "failed"]


def result(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the JSON of a `rankcore.studies.results.Result` in the current form.

    Earlier versions had one flag per status, nested a row of a sensitivity study in
    that of its level and repeat, did not store whether the model ranks, and had another
    form of points of paths. Other values are returned unchanged.

    Raises
    ------
    ValueError
        If a later version wrote it.
    """
    if "point" in record or "measures" in record:
        return _path_point(record)
    if isinstance(record.get("row"), dict):
        record = record["row"]
    if "version" in record:
        if record["version"] != VERSION:
            raise ValueError("it was written by a later version of RankScope")
        return record
    if not {"failed", "diverged", "pruned"} <= record.keys():
        return record
    ranks = bool(record["failed"]) or record.get("nonzeros") != 0
    return {"ranks": ranks, **record, "status": status(record)}


def measure(record: Mapping[str, Any]) -> str:
    """Return the measure, with its split, that chose a model of a search.

    Earlier JSON of a `rankcore.studies.results.ModelResults` had its value instead; all
    were studies of one measure.
    """
    for row in record["rows"]:
        for split in ("valid", "train"):
            for name in row[split]:
                return f"{split} {name}"
    return ""


def _path_point(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the JSON of an earlier point of a path in the current form.

    The earliest points were nested under the name of their path, without measures of
    models and without a flag of whether the model ranks.
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
    """Return the status of a run from its flags."""
    ways: tuple[Status, ...] = ("failed", "diverged", "pruned")
    return next((way for way in ways if flags.get(way)), "finished")
