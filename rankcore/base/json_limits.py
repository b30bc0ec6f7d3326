"""Limits on JSON input: a small text may require much memory.

During reading, a value takes up to 70 bytes, and a list or an object up to 600. Each
error takes as much, and a file may have millions: a list is read up to its first error.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from rankcore.base.hyperparameters import LARGEST_WHOLE

T = TypeVar("T")

MOST_LISTS = 500_000
MOST_NAMES = 10_000
# Each name has a colon; texts may contain more.
MOST_COLONS = 500_000
# Maximum length of a message, which may quote a value of the file.
_LONGEST_FAULT = 200

Whole = Annotated[int, Field(ge=0, le=LARGEST_WHOLE)]
Values = Annotated[list[T], Field(fail_fast=True)]
ByName = Annotated[dict[str, T], Field(max_length=MOST_NAMES)]


class JsonContent(BaseModel):
    """Content of known types; unknown names, such as later additions, are skipped."""

    model_config = ConfigDict(strict=True)


def asks_for_much(
    content: bytes | str, most_values: int, most_colons: int = MOST_COLONS
) -> bool:
    """Return whether a text has more values, lists and objects than any real file."""
    text = content.encode("utf-8", "replace") if isinstance(content, str) else content
    lists = text.count(b"[") + text.count(b"{")
    return (
        lists > MOST_LISTS
        or text.count(b",") > most_values
        or text.count(b":") > most_colons
    )


def check_names(
    content: bytes | str, model: type[BaseModel] | Mapping[Any, type[BaseModel]]
) -> None:
    """Check that all required names are present, before validation.

    The validator would store the whole object once for each missing name.

    Parameters
    ----------
    content : bytes or str
        JSON; anything that is not an object passes.
    model : type, or dict of a version to a type

    Raises
    ------
    ValueError
        With the location of the first missing name.
    """
    try:
        value = from_json(content)
    except (ValueError, TypeError):
        # Also for a lone surrogate, which the validator reports.
        return
    if not isinstance(value, dict):
        return
    if isinstance(model, Mapping):
        version = value.get("version")
        if not isinstance(version, int) or version not in model:
            return
        model = model[version]
    if place := _absent(value, model):
        raise ValueError(f"{place}: Field required")


def _absent(value: dict[str, Any], model: type[BaseModel]) -> str:
    """Return the location of the first missing required name; empty if none is
    missing."""
    for name, field in model.model_fields.items():
        if name not in value:
            if field.is_required():
                return name
            continue
        inner = value[name]
        for below in _models(field.annotation):
            for number, one in enumerate(inner if isinstance(inner, list) else ()):
                place = _absent(one, below) if isinstance(one, dict) else ""
                if place:
                    return f"{name}.{number}.{place}"
            if isinstance(inner, dict) and (place := _absent(inner, below)):
                return f"{name}.{place}"
    return ""


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the model types of a value, or of the elements of a list."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif get_origin(annotation) is not dict:
        for part in get_args(annotation):
            yield from _models(part)


def first_fault(error: ValidationError) -> tuple[tuple[int | str, ...], str]:
    """Return the location and the text of the first error, shortened if long."""
    # Each error would include its whole context.
    first: Any = error.errors(
        include_url=False, include_context=False, include_input=False
    )[0]
    fault = first["msg"]
    short = fault if len(fault) <= _LONGEST_FAULT else f"{fault[:_LONGEST_FAULT]}…"
    return first["loc"], short
