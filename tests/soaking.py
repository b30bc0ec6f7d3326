"""Cases that `make soak` runs, of tests of which `make test` runs a sample."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis.strategies import SearchStrategy


def soak(*values: Any, **details: Any) -> Any:
    """A case for the soak tests only, as `pytest.param`."""
    return pytest.param(*values, marks=pytest.mark.soak, **details)


def sample(values: Iterable[Any], every: int) -> list[Any]:
    """Cases of a test: each ``every``-th value, the others in the soak tests only."""
    return [soak(value) if i % every else value for i, value in enumerate(values)]


def spread(values: Sequence[Any], most: int | None) -> Sequence[Any]:
    """Both ends of values and those at equal distances between them."""
    if most is None or len(values) <= most:
        return values
    return [values[i * (len(values) - 1) // (most - 1)] for i in range(most)]


def numbers(few: int, many: int) -> pytest.MarkDecorator:
    """Give a test the ``number`` of its examples: many in the soak tests."""
    return pytest.mark.parametrize("number", [few, soak(many)])


def examples(few: int, many: int, *drawn: SearchStrategy[Any]) -> Callable[..., Any]:
    """Test a function of what is drawn, on many examples in the soak tests."""

    def made(check: Callable[..., None]) -> Callable[..., None]:
        @numbers(few, many)
        def test(number: int) -> None:
            limited = settings(max_examples=number, deadline=None)
            limited(given(*drawn)(check))()

        test.__doc__ = check.__doc__
        return test

    return made
