"""Keys and values that links and lessons of earlier versions have."""

from collections.abc import Mapping

from rankcore.views import VERSUS

OLD_KEYS = {
    "taken_apart": "terms_of",
    "replay": "at",
    "iteration": "at",
    "beside_iteration": "beside_at",
    "mover": "moved_document",
    "tied_to": "n_tied",
    "land_t": "line_position",
    "red_among": "candidates",
    "cones": "job",
    "path": "job",
    "rules": "job",
    "ends": "job",
    "table5": "job",
    "approx_job": "job",
    "rounds_job": "job",
    "health_job": "job",
    "matrix_job": "job",
}
# A value of a key of now → the settings that say the same now.
OLD_VALUES: Mapping[tuple[str, str], Mapping[str, str]] = {
    **{
        (key, "What is true"): {key: VERSUS}
        for key in ("approx_view", "cone_view", "margin_view")
    },
    ("compare_view", "Cost"): {"compare_view": "Models"},
    ("cone_view", "Any data"): {"cone_view": "Geometry", "cone_source": "any data set"},
    ("margin_view", "C and health"): {"margin_view": "Regularisation C"},
    **{
        ("margin_view", old): {"margin_view": "One list", "margin_source": now}
        for old, now in (("By hand", "by hand"), ("One query", "a query of the data"))
    },
    ("margin_claim", "The second form of φ_po"): {
        "margin_claim": "The second form of φₚₒ"
    },
    ("margin_claim", "The values of Δ_mrr"): {"margin_claim": "The values of Δₘᵣᵣ"},
    ("speed", "as fast as it goes"): {"speed": "unlimited"},
    **{
        ("speed", f"{count} steps a second"): {"speed": f"{count} iterations/s"}
        for count in (2, 10, 30, 100)
    },
}


def renamed(texts: Mapping[str, str]) -> dict[str, str]:
    """Return settings by their keys, and values, as they are called now."""
    now: dict[str, str] = {}
    for old, text in texts.items():
        key = OLD_KEYS.get(old, old)
        now |= OLD_VALUES.get((key, text), {key: text})
    return now
