"""Model files of `rankcore.studies.model_file` and of other programs."""

import codecs
import os
from pathlib import Path

from rankcore.algorithms import Ranker
from rankcore.base.errors import DataError
from rankcore.base.json_limits import asks_for_much
from rankcore.studies.exports import ModelFile, readable_formats, recognised
from rankcore.studies.model_file import (
    document_scores,
    fitted,
    fitted_linear,
    model_features,
    model_to_json,
    read_own,
    save_model,
)

__all__ = [
    "document_scores",
    "fitted",
    "fitted_linear",
    "load_model",
    "model_features",
    "model_to_json",
    "read_model",
    "save_model",
]

_MARK = b"rankscope model"
LARGEST_FILE = 2**25
MOST_VALUES = 6_000_000
# Each tree node in Elasticsearch and XGBoost dumps has nine values.
MOST_COLONS = 1_500_000


def load_model(path: str | os.PathLike[str]) -> Ranker:
    """Read a model written by `save_model`, or by another program: LightGBM (text),
    XGBoost (JSON), RankLib, SVMrank, or the plugins of Solr and Elasticsearch. It
    predicts at once.

    Raises
    ------
    DataError
        If the file is not such a model; the message says where.
    OSError
        If the file cannot be read.
    """
    with Path(path).open("rb") as file:
        return read_model(file.read(LARGEST_FILE + 1), os.fspath(path))


def read_model(content: bytes, name: str) -> Ranker:
    """Return the model in the content of a file for `load_model`, called ``name``.

    Raises
    ------
    DataError
        As for `load_model`.
    """
    others = ", ".join(kind.title for kind in readable_formats())
    remedy = (
        "Use a file written by `rankscope train --out` or by save_model, or a model of "
        f"{others}"
    )
    if len(content) > LARGEST_FILE:
        problem = f"The file is larger than {LARGEST_FILE} bytes, the limit for models"
        raise DataError(problem, remedy, file=name)
    if asks_for_much(content, MOST_VALUES, MOST_COLONS):
        problem = "The file contains more values than allowed for models"
        raise DataError(problem, remedy, file=name)
    content = content.removeprefix(codecs.BOM_UTF8)
    if not content.strip():
        raise DataError("The file is empty", remedy, file=name)
    if _MARK not in content[:100]:
        file = ModelFile(_text_of(content, name, remedy), name)
        if (kind := recognised(file)) is not None:
            return kind.read(file)
    return read_own(content, name, remedy)


def _text_of(content: bytes, name: str, remedy: str) -> str:
    """Return the text of UTF-8 bytes; refuse other encodings."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise DataError("The file is UTF-16, not UTF-8", "Save it as UTF-8", file=name)
    if b"\0" in content:
        problem = "The file is binary, but models are read as text or JSON"
        raise DataError(problem, remedy, file=name)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = "The file contains bytes that are not UTF-8"
        raise DataError(problem, "Save the file as UTF-8", name, line) from None
