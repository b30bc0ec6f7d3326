"""What the panels of the ConeRank paper's claims share."""

from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.ui.theme import algorithm_style
from rankcore.charts.cone import vector_name

Floats = NDArray[np.float64]
Tables = dict[str, Any]


def verdict(claim: str, truth: str, holds: bool) -> None:
    """A claim beside what is true of it."""
    left, right = st.columns([2, 3], gap="medium")
    left.markdown(f"**Claimed.** {claim}")
    right.markdown(f"**{'It holds' if holds else 'It does not hold'}.** {truth}")


def vector_names(count: int) -> list[str]:
    """What the vectors of a cone are called."""
    return [vector_name(k) for k in range(count)]


def vector(numbers: Floats, digits: int = 6) -> str:
    """A vector in brackets."""
    return "({})".format(", ".join(f"{n + 0.0:.{digits}f}" for n in numbers))


def colour() -> str:
    """ConeRank's colour."""
    return algorithm_style("ConeRank")[0]
