"""Models that visitors upload: kept in this process under names made from their
content, such as ``model-3f2a9c1d``, which links carry."""

from hashlib import blake2b

from pages.ui.serving import visitor
from rankcore.algorithms import Ranker
from rankcore.data.uploads import Newest
from rankcore.studies.models import read_model

PREFIX = "model-"
# Name → what the file is called, and its model.
MODELS = Newest[tuple[str, str, Ranker]](each=8, most=64)


def keep(content: bytes, file: str) -> str:
    """Keep the model of a file; returns the name it has from now on.

    Raises
    ------
    DataError
        If it is no model; the sentence says where it departs.
    """
    name = f"{PREFIX}{blake2b(content, digest_size=4).hexdigest()}"
    MODELS.keep(name, (name, file, read_model(content, file)), visitor.current())
    return name


def names() -> dict[str, str]:
    """Return the models that are here, newest first: name → what the file is called."""
    return {name: f"File: {file}" for name, file, _ in MODELS.newest(visitor.current())}
