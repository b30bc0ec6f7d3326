"""The landscape's numbers to take away."""

from collections.abc import Mapping, Sequence

from pages.ui import downloads, landscape_jobs
from pages.ui import landscape_numbers as numbers
from pages.ui.landscape_numbers import SPHERE, Choice
from rankcore.charts.sphere import map_latitudes

Columns = Mapping[str, Sequence[float]]


def menu(chosen: Choice) -> None:
    """Offer the exact values, and the restarts where there are any."""
    what = "Directions" if chosen.scene.shape == SPHERE else "Exact steps"
    scene = chosen.scene._asdict() | {"names": chosen.names}
    job = landscape_jobs.current(landscape_jobs.chosen())
    restarted = job is not None and bool(landscape_jobs.points(job))
    downloads.menu(
        {what: lambda: columns(chosen)}
        | ({"Restarts": _restarts} if restarted else {}),
        {"Settings": lambda: scene},
    )


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
    job = landscape_jobs.current(landscape_jobs.chosen())
    points = [] if job is None else landscape_jobs.points(job)
    fields = ("alpha", "seed", "surrogate", "exact", "flat", "passes")
    return {name: [getattr(point, name) for point in points] for name in fields}
