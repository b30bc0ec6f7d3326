"""The measure of an iteration as text for the page."""

import math

from rankcore.base.numbers import listed
from rankcore.training import Record

NONE_YET = "–"


def in_three_digits(record: Record | None, split: str, measure: str) -> str:
    """Return the measure of a record on a split in three digits, or a dash."""
    value = None if record is None else getattr(record, split).get(measure)
    if record is None or value is None or math.isnan(value):
        return NONE_YET
    return listed(f"{value:.3f}", record.ranks)
