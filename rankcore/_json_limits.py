"""Bounds for JSON that is read: a small text may ask for much memory.

While it is read, a value takes up to 70 bytes, and a list or an object up to 600. Each
fault takes as much, and a file may have millions: a list is read up to its first one.
"""

from typing import Annotated, Any, TypeVar

from pydantic import Field, ValidationError

T = TypeVar("T")

MOST_LISTS = 500_000
MOST_NAMES = 10_000

Values = Annotated[list[T], Field(fail_fast=True)]
Named = Annotated[dict[str, T], Field(max_length=MOST_NAMES)]


def asks_for_much(content: bytes | str, most_values: int) -> bool:
    """Return whether a text has more values, lists and objects than anybody writes."""
    text = content.encode("utf-8", "replace") if isinstance(content, str) else content
    lists = text.count(b"[") + text.count(b"{")
    return lists > MOST_LISTS or text.count(b",") > most_values


def first_fault(error: ValidationError) -> tuple[tuple[int | str, ...], str]:
    """Return where the first fault is, and what it is."""
    # Each fault would bring all that is around it.
    first: Any = error.errors(
        include_url=False, include_context=False, include_input=False
    )[0]
    return first["loc"], first["msg"]
