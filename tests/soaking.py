"""Cases that `make soak` runs, of tests of which `make test` runs a sample."""

from typing import Any

import pytest


def soak(*values: Any, **details: Any) -> Any:
    """A case for the soak tests only, as `pytest.param`."""
    return pytest.param(*values, marks=pytest.mark.soak, **details)
