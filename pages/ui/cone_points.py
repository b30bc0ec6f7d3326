"""Points that a visitor has put somewhere, as text that fits in a link: ``1,0;-1,1``.

Every figure in which points are dragged has number fields beside it that do the same
from the keyboard.
"""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.ui import state
from rankcore.numbers import read_number

Floats = NDArray[np.float64]

LARGEST = 1000.0
DIGITS = 3
FIELD_WIDTH = 84


def read(key: str, default: Floats) -> Floats:
    """The points (n, d) of a setting; ``default`` where the text is not as many."""
    points = parse(str(state.get(key)))
    return default.copy() if points is None or points.shape != default.shape else points


def parse(text: str) -> Floats | None:
    """The points (n, d) that are written so, or None if there are none."""
    try:
        rows = [
            [float(read_number(n)) for n in point.split(",")]
            for point in text.split(";")
        ]
    except ValueError:
        return None
    if len({len(row) for row in rows}) > 1:
        return None
    if not all(abs(n) <= LARGEST for row in rows for n in row):
        return None
    return np.array(rows)


def write(key: str, points: Floats) -> None:
    """Keep points in a setting, rounded as a hand would write them."""
    rounded = np.round(points, DIGITS) + 0.0
    rows = (",".join(f"{n:g}" for n in row) for row in rounded.tolist())
    state.put(key, ";".join(rows))


def move(key: str, default: Floats, place: int, at: Sequence[float]) -> None:
    """Put one of the points elsewhere."""
    points = read(key, default)
    if 0 <= place < len(points) and all(abs(n) <= LARGEST for n in at):
        points[place] = at
        write(key, points)


def fields(key: str, default: Floats, names: Sequence[str], label: str) -> None:
    """Number fields for one of the points at a time."""
    points = read(key, default)
    place = 0
    if len(names) > 1:
        chosen = st.selectbox(label, names, key=f"{key}_which")
        place = list(names).index(chosen) if chosen in names else 0
    else:
        st.markdown(label)
    boxes = [f"{key}_field_{axis}" for axis in range(points.shape[1])]
    for box, number in zip(boxes, points[place], strict=True):
        st.session_state[box] = round(float(number), DIGITS)

    def moved() -> None:
        move(key, default, place, [st.session_state[box] for box in boxes])

    with st.container(horizontal=True, gap="small"):
        for axis, box in enumerate(boxes, start=1):
            st.number_input(
                f"{label}, coordinate {axis}",
                -LARGEST,
                LARGEST,
                step=0.05,
                format="%.3f",
                label_visibility="collapsed",
                width=FIELD_WIDTH,
                key=box,
                on_change=moved,
            )
