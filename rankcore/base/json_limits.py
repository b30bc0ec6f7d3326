"""Bounds for JSON that is read: a small text may ask for much memory.

While it is read, a value takes up to 70 bytes, and a list or an object up to 600. Each
fault takes as much, and a file may have millions: a list is read up to its first one.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from rankcore.base.hyperparameters import LARGEST_WHOLE

T = TypeVar("T")

MOST_LISTS = 500_000
MOST_NAMES = 10_000
# Each name has a colon; texts may have some, too.
MOST_COLONS = 500_000
# Characters of a sentence, which may hold a value of the file.
_LONGEST_FAULT = 200

Whole = Annotated[int, Field(ge=0, le=LARGEST_WHOLE)]
Values = Annotated[list[T], Field(fail_fast=True)]
ByName = Annotated[dict[str, T], Field(max_length=MOST_NAMES)]


class JsonContent(BaseModel):
    """Content of known types; what it does not know, such as a later addition, it
    skips."""

    model_config = ConfigDict(strict=True)


def asks_for_much(
    content: bytes | str, most_values: int, most_colons: int = MOST_COLONS
) -> bool:
    """Return whether a text has more values, lists and objects than anybody writes."""
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
    """Look whether all that a file must have is there, before it is validated.

    The validator would keep the whole object once for each name that is absent.

    Parameters
    ----------
    content : bytes or str
        JSON; of anything else but an object nothing is said.
    model : type, or dict of a version to a type

    Raises
    ------
    ValueError
        With the place of the first name that is absent.
    """
    try:
        value = from_json(content)
    except (ValueError, TypeError):
        # A lone surrogate, too: the validator says what is wrong.
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
    """Return the place of the first required name that is absent; empty: all are
    there."""
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
    """Yield the models that a value is, or that a list is of."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif get_origin(annotation) is not dict:
        for part in get_args(annotation):
            yield from _models(part)


def first_fault(error: ValidationError) -> tuple[tuple[int | str, ...], str]:
    """Return where the first fault is, and what it is; of a long text the beginning."""
    # Each fault would bring all that is around it.
    first: Any = error.errors(
        include_url=False, include_context=False, include_input=False
    )[0]
    fault = first["msg"]
    short = fault if len(fault) <= _LONGEST_FAULT else f"{fault[:_LONGEST_FAULT]}…"
    return first["loc"], short
