"""Keys and values that links and lessons of earlier versions have."""

from rankcore.views import VERSUS

# What links and lessons of earlier versions say, and what it is called now.
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
OLD_VALUES = {
    ("approx_view", "What is true"): VERSUS,
    ("cone_view", "What is true"): VERSUS,
    ("margin_view", "What is true"): VERSUS,
    ("margin_view", "C and health"): "Regularisation C",
    ("margin_claim", "The second form of φ_po"): "The second form of φₚₒ",
    ("margin_claim", "The values of Δ_mrr"): "The values of Δₘᵣᵣ",
    ("speed", "as fast as it goes"): "unlimited",
    ("speed", "2 steps a second"): "2 iterations/s",
    ("speed", "10 steps a second"): "10 iterations/s",
    ("speed", "30 steps a second"): "30 iterations/s",
    ("speed", "100 steps a second"): "100 iterations/s",
}


def renamed(key: str, text: str) -> tuple[str, str]:
    """Return a key and its value as they are called now."""
    key = OLD_KEYS.get(key, key)
    return key, OLD_VALUES.get((key, text), text)
