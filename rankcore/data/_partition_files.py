"""Content of the JSON files of a converted folder: see `rankcore.data.partitions`."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import Field, ValidationError, model_validator

from rankcore.base.errors import DataError
from rankcore.base.hyperparameters import LARGEST_WHOLE
from rankcore.base.json_limits import JsonContent, Whole

# Bytes of a file; a part has about 16 MB of text.
LARGEST = 2**26
AGAIN = "Convert the source again, into another folder"


class Contents(JsonContent):
    """Contents of ``dataset.json``."""

    format: Literal[1] = 1
    name: str
    # For a feature log, the names are known only after reading.
    features: list[str]
    normalisation: Literal["minmax", "zscore"] | None
    dtype: Literal["float64", "float32"]
    judged: bool = False
    # Whether documents have no labels and can only be scored.
    unlabelled: bool = False
    missing: Literal["keep"] | None = None
    # Whether labels may be fractions, and are float64.
    fractional: bool = False
    source: dict[str, Any]
    texts: dict[Literal["doc_texts", "query_texts"], str] = Field({})
    doc_scores: list[str] = Field([])
    queries: Whole = 0
    documents: Whole = 0
    complete: bool = False

    @model_validator(mode="after")
    def _ends_with_features(self) -> Self:
        if self.complete and not self.features:
            raise ValueError("there is no feature")
        return self

    def text(self) -> str:
        """Return the text of the file."""
        return self.model_dump_json(indent=1, exclude_unset=True)


class Part(JsonContent):
    """Contents of ``part-00000.json``: the queries of a part."""

    queries: list[str] = Field(min_length=1)
    lengths: list[Annotated[int, Field(ge=1, le=LARGEST_WHOLE)]]
    # Number of judged documents; None in parts of earlier versions, where all are.
    judged: Whole | None = None
    named: bool
    end: Whole
    # The values of each group of queries, if there are groups.
    query_groups: dict[str, list[str]] = Field({})

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        sizes = {name: len(words) for name, words in self.query_groups.items()}
        for name, size in {"lengths": len(self.lengths), **sizes}.items():
            if size != len(self.queries):
                raise ValueError(f"{name} does not have one entry for each query")
        return self

    @property
    def documents(self) -> int:
        """Number of documents."""
        return sum(self.lengths)

    def text(self) -> str:
        """Return the text of the file."""
        # Without groups, older versions can read the part.
        return self.model_dump_json(exclude_defaults=True)


Model = TypeVar("Model", Contents, Part)


def _content(path: Path) -> bytes:
    check_regular(path)
    with path.open("rb") as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise OSError(f"it is larger than {LARGEST} bytes")
    return content


def check_regular(path: Path) -> None:
    """Raise OSError for a pipe, a device or a folder, whose reading may not end."""
    if path.exists() and not path.is_file():
        raise OSError("it is not a regular file")


def read(model: type[Model], path: Path) -> Model:
    """Return the content of a file.

    Raises
    ------
    DataError
        If it cannot be read or has other content; the message says where.
    """
    try:
        return model.model_validate_json(_content(path))
    except OSError as error:
        problem = error.strerror or str(error)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        problem = f"{place}: {first['msg']}" if place else first["msg"]
    raise DataError(f"The file cannot be read ({problem})", AGAIN, str(path))
