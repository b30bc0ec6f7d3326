"""Views of the app with the settings of a card."""

from collections.abc import Mapping
from typing import Any

from rankcore.topics.papers.card import CardView


def one_list(measure: str, documents: str = "") -> CardView:
    """Return a list, its positions and its measure approximated."""
    settings = {"approx_list": documents} if documents else {}
    sharp = {"approx_alpha": 100.0, "approx_beta": 100.0}
    view = {"approx_view": "One list", "approx_measure": measure}
    return CardView("approximation", {**view, **sharp, **settings})


def experiment(name: str) -> CardView:
    """Return the experiment of a claim on a small case."""
    view = {"papers_view": "Claims", "papers_paper": "all", "papers_experiment": name}
    return CardView("papers", view)


def trained(
    algorithm: str, measure: str, fixed: Mapping[str, Any] | None = None
) -> CardView:
    """Return a training run, measured as in LETOR 3.0."""
    settings = {f"{algorithm}.{key}": value for key, value in (fixed or {}).items()}
    rules = {"measure": measure, "convention": "letor3"}
    return CardView(
        "train", {"train_view": "Run", "algorithm": algorithm, **rules, **settings}
    )


def compared(convention: str, measure: str, *names: str) -> CardView:
    """Return a comparison of learners, with the significance of their differences."""
    rules = {"measure": measure, "convention": convention}
    view = {"compare_view": "Curves and differences", "compared": names}
    return CardView("compare", {**view, **rules})


def cost(*names: str) -> CardView:
    """Return the training times of learners, with their accuracy."""
    view = {"compare_view": "Models", "compared_cost": "seconds"}
    return CardView("compare", {**view, "compared": names})


def sparse_path(measure: str) -> CardView:
    """Return RSRank's path with the same penalties and training length."""
    view = {"sparse_view": "One path", "sparse": "RSRank", "values": 9}
    rules = {"measure": measure, "convention": "standard"}
    return CardView("sparsity", {**view, **rules, "RSRank.max_iter": 500})
