"""Forms that results and points of paths had in files of earlier versions."""

from collections.abc import Mapping
from typing import Any, Literal

VERSION = 2
Status = Literal["finished", "pruned", "diverged", "failed"]


def result(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the JSON of a `rankcore.studies.results.Result` in the form of now.

    Before, it had a flag for each way to end, a row of a sensitivity study was within
    that of its level and repeat, and the first ones did not say whether the model
    ranks. What is none of these is returned as it is.

    Raises
    ------
    ValueError
        If a later version has written it.
    """
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


def path_point(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the JSON of a `rankcore.studies.paths.PathPoint` in the form of now.

    Before, a point of several paths was within the name of its path, and the first ones
    had measures of tied documents in their worst order, too.
    """
    if "point" in record:
        record = {"path": record["path"], **record["point"]}
    return {name: value for name, value in record.items() if name != "worst"}


def status(flags: Mapping[str, Any]) -> Status:
    """Return how a run ended, from a flag for each way."""
    ways: tuple[Status, ...] = ("failed", "diverged", "pruned")
    return next((way for way in ways if flags.get(way)), "finished")
