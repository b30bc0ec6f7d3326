"""The landscape's numbers to take away."""

import json
from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from pages.ui import landscape_jobs
from pages.ui import landscape_numbers as numbers
from pages.ui.landscape_numbers import SPHERE, Choice
from rankcore.charts.sphere import map_latitudes

Columns = Mapping[str, Sequence[float]]


def menu(chosen: Choice) -> None:
    """Offer the exact values as CSV and JSON, and the restarts where there are any."""
    with st.popover("Export", key="land_export", on_change="rerun") as popover:
        if not popover.open:
            return
        what = "Directions" if chosen.scene.shape == SPHERE else "Exact steps"
        _button(f"{what} as CSV", "landscape.csv", lambda: _csv(columns(chosen)))
        _button(f"{what} as JSON", "landscape.json", lambda: _json(chosen))
        job = landscape_jobs.current()
        if job is not None and landscape_jobs.points(job):
            _button("Restarts as CSV", "restarts.csv", lambda: _csv(_restarts()))


def columns(chosen: Choice) -> Columns:
    """Where each step begins and ends, and its value; on the sphere a map's cells."""
    scene = chosen.scene
    if scene.shape != SPHERE:
        steps = numbers.profile(scene)
        return {
            "from": steps.edges[:-1].tolist(),
            "to": steps.edges[1:].tolist(),
            scene.measure: steps.values.tolist(),
        }
    ball, up = numbers.sphere(scene), map_latitudes(numbers.BANDS)
    values = ball.values(up)
    return {
        "longitude": ball.longitudes.tolist() * len(up),
        "latitude": up.repeat(len(ball.longitudes)).tolist(),
        scene.measure: values.ravel().tolist(),
    }


def _restarts() -> Columns:
    job = landscape_jobs.current()
    points = [] if job is None else landscape_jobs.points(job)
    fields = ("alpha", "seed", "surrogate", "exact", "flat", "passes")
    return {name: [getattr(point, name) for point in points] for name in fields}


def _csv(table: Columns) -> str:
    rows = zip(*table.values(), strict=True)
    lines = [",".join(table), *(",".join(map(repr, row)) for row in rows)]
    return "\n".join(lines) + "\n"


def _json(chosen: Choice) -> str:
    scene = chosen.scene._asdict() | {"names": chosen.names}
    return json.dumps({"settings": scene, "numbers": dict(columns(chosen))})


def _button(label: str, name: str, make: Callable[[], str]) -> None:
    st.download_button(
        label,
        make,
        file_name=name,
        mime="application/json" if name.endswith("json") else "text/csv",
        on_click="ignore",
        key=name,
    )
