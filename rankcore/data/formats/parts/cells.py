"""Cells of tables and logs: numbers, words, or missing values."""

import re
from datetime import date, time, timedelta
from math import isnan, nan
from numbers import Number
from typing import Any
from uuid import UUID

import numpy as np

# A remedy for labels that are not grades.
GRADES = (
    "map labels to grades with labels='0.3,0.6' (lower bounds of the grades 1, 2, …) "
    "or labels='bad=0,good=2', or keep fractions with labels='fractional' (on the "
    "command line --labels)"
)
BOOLEANS = {"True": 1.0, "TRUE": 1.0, "true": 1.0} | dict.fromkeys(
    ("False", "FALSE", "false"), 0.0
)
PRINTED = Number | np.bool_ | date | time | timedelta | UUID
MISSING = {"", "?", "-", "na", "n/a", "nan", "null", "none"}
DECIMAL_COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*")
SHOWN = 40


def number(value: Any) -> float:
    """Return the number in a cell; NaN if it is not a number."""
    if isinstance(value, str) and "_" in value:
        return nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return BOOLEANS.get(value, nan) if isinstance(value, str) else nan


def identifier(value: Any) -> str | None:
    """Return a cell as a string; a whole number loses its ``.0``.

    Missing values become the empty string, and values that are not identifiers None.
    """
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, PRINTED):
        try:
            return str(value)
        except ValueError:  # a number with thousands of digits
            return None
    return None


def is_word(value: Any) -> bool:
    """Return whether a cell is neither missing nor like a number."""
    if value is None or isinstance(value, float):
        return False
    if isinstance(value, str) and value.strip().lower() in MISSING:
        return False
    return isnan(number(value))


def is_missing(cell: Any) -> bool:
    """Return whether a cell is empty or holds a word for a missing value."""
    if isinstance(cell, str):
        return cell.strip().lower() in MISSING
    return cell is None or (isinstance(cell, float) and isnan(cell))


def shown(cell: Any) -> str:
    """Return the beginning of a cell's text."""
    if isinstance(cell, str):
        return cell[:SHOWN]
    if isinstance(cell, PRINTED):
        try:
            return str(cell)[:SHOWN]
        except ValueError:  # a number with thousands of digits
            pass
    return type(cell).__name__
