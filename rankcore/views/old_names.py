"""Keys and values in links and lessons of earlier versions."""

from collections.abc import Callable, Mapping

# The paper, and its first experiment, by the beginning of keys of pages that had "Paper
# versus experiment".
_CLAIMS = {
    "approx": ("approx", "Ties"),
    "cone": ("conerank", "Votes and the linear score"),
    "margin": ("structured", "SVMCombo bounds every loss"),
}
# A map over one axis, which has the study of a removed view.
_MAP = {"explore_view": "Map", "map_y": "none"}
_COUNTS = (5, 9, 16)
# The weight of one of several losses of a learner.
_WEIGHTS = {"SVMCombo": "C_map"}
OLD_KEYS = {
    "cone_most": "map_x_to",
    "margin_points": "map_values",
    "taken_apart": "terms_of",
    "replay": "at",
    "iteration": "at",
    "beside_iteration": "beside_at",
    "mover": "moved_document",
    "tied_to": "n_tied",
    "land_t": "line_position",
    "red_among": "candidates",
    **dict.fromkeys(("cones", "path", "rules", "ends", "table5", "approx_job"), "job"),
    **dict.fromkeys(("rounds_job", "health_job", "matrix_job"), "job"),
    **dict.fromkeys((f"{key}_claim" for key in _CLAIMS), "papers_experiment"),
}
# Settings that replace an earlier value, by present key and earlier value.
OLD_VALUES: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("compare_view", "Cost"): {"compare_view": "Models"},
    ("cone_view", "Geometry"): {},
    ("cone_view", "Any data"): {"cone_source": "any data set"},
    **{
        ("margin_view", old): {"margin_view": "One list", "margin_source": now}
        for old, now in (("By hand", "by hand"), ("One query", "a query of the data"))
    },
    ("margin_model", "round"): {"margin_model": "train"},
    ("papers_experiment", "SVMcombo bounds every loss"): {
        "papers_experiment": "SVMCombo bounds every loss"
    },
    ("papers_experiment", "The second form of φ_po"): {
        "papers_experiment": "The second form of φₚₒ"
    },
    ("papers_experiment", "The values of Δ_mrr"): {
        "papers_experiment": "The values of Δₘᵣᵣ"
    },
    ("speed", "as fast as it goes"): {"speed": "unlimited"},
    **{
        ("speed", f"{count} steps a second"): {"speed": f"{count} iterations/s"}
        for count in (2, 10, 30, 100)
    },
}
# The present page of a removed view, and its settings there, by key and name.
OLD_VIEWS: Mapping[tuple[str, str], tuple[str, Mapping[str, str]]] = {
    ("margin_view", "Rounds"): ("train", {"train_view": "Run"}),
    **{
        ("margin_view", name): (
            "explore",
            _MAP | {"map_x_from": "0.1", "map_iterations": "500"},
        )
        for name in ("Regularisation C", "C and health")
    },
    ("cone_view", "Quality and K"): (
        "explore",
        {
            **_MAP,
            "algorithm": "ConeRank",
            "map_x": "n_basis",
            "map_x_to": "10",
            "map_values": "33",
            "map_iterations": "40",
        },
    ),
} | {
    (f"{key}_view", name): (
        "papers",
        {"papers_view": "Claims", "papers_paper": paper, "papers_experiment": first},
    )
    for key, (paper, first) in _CLAIMS.items()
    for name in ("Paper versus experiment", "What is true")
}


def page_now(page: str, texts: Mapping[str, str]) -> str:
    """Return the present page of the view that ``page`` showed with these settings."""
    views = (OLD_VIEWS[item] for item in texts.items() if item in OLD_VIEWS)
    return next(views, ("papers" if any(map(_alone(texts), texts)) else page,))[0]


def _alone(texts: Mapping[str, str]) -> Callable[[str], bool]:
    """Return whether a key names a claim, and ``texts`` no view of its old page."""
    claims = {f"{key}_claim" for key in _CLAIMS if f"{key}_view" not in texts}
    return claims.__contains__


def renamed(
    texts: Mapping[str, str], beside: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return settings with their present keys and values; ``beside`` are all settings
    of the same link or step, by default ``texts`` themselves."""
    now: dict[str, str] = {}
    every = beside or texts
    alone = _alone(every)
    for old, text in texts.items():
        key = OLD_KEYS.get(old, old)
        page, settings = OLD_VIEWS.get((key, text), ("", {key: text}))
        now |= OLD_VALUES.get((key, text), settings)
        if alone(old):
            now["papers_view"] = "Claims"
        if page in ("train", "explore") and key == "margin_view":
            now["algorithm"] = every.get("margin_learner", "SVMMAP")
        if page == "explore" and key == "margin_view":
            now["map_x"] = _WEIGHTS.get(now["algorithm"], "C")
        if page == "explore" and "cone_most" in every:
            now["map_x_to"] = every["cone_most"]
        if old == "margin_points" and text.isdecimal():
            now[key] = str(min(_COUNTS, key=lambda n: abs(n - int(text))))
    return now
