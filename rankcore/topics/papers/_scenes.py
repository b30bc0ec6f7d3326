"""Views of the app with the settings of a card."""

from rankcore.topics.papers.card import CardView
from rankcore.topics.papers.entry import LeaderboardEntry

LIU_NAMES = (
    "LeastSquares", "RankSVM", "RankBoost", "ListNet", "AdaRank", "SVMMAP"
)  # fmt: skip
TABLE_ONE = "4.20074:1, 3.12378:0, 4.40918:0, 1.55258:0, 4.1333:0"
ALONG = {
    "approx_view": "Along training", "approx_alpha": 100.0, "approx_beta": 10.0,
    "approx_passes": 30,
}  # fmt: skip
TABLE_FIVE = {
    "approx_view": "Landscape", "land_shape": "Circle", "land_measure": "nDCG",
    "approx_alpha": 100.0, "land_restarts_in": "all features", "land_restarts": 100,
}  # fmt: skip
TWO = {"red_source": "by hand", "ranking": "A0-B1"}
UPSIDE_DOWN = {"red_source": "by hand", "ranking": "A0-B1-C2"}
REGRETS = {
    "red_view": "Regrets", "red_first": "001", "red_second": "110", "red_p": 0.6,
    "candidates": "all orders", "red_order": "132",
}  # fmt: skip
PLANE = {
    "cone_source": "a toy",
    "cone_size": "2-D",
    "cone_k": 2,
}
DIRECTIONS = {
    "cone_source": "any data set",
    "cone_along": "principal directions",
}
OVER_K = {
    "explore_view": "Map", "algorithm": "ConeRank", "map_x": "n_basis", "map_y": "none",
    "map_values": 33, "map_iterations": 40, "measure": "AP", "convention": "standard",
}  # fmt: skip
MATRIX = {"margin_view": "Trained on × tested on", "convention": "letor3"}
OVER_C = {
    "explore_view": "Map", "algorithm": "SVMMAP", "map_x": "C", "map_x_from": "0.1",
    "map_y": "none", "map_iterations": 500,
}  # fmt: skip
MAPS = {"margin_view": "Two feature maps", "margin_learner": "SVMMRR"}
FENCHEL = CardView(
    "train", {"train_view": "Run", "algorithm": "FenchelRank", "data": "planted"}
)


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


def trained(entry: LeaderboardEntry, measure: str = "nDCG@10") -> CardView:
    """Return a training run, measured as in LETOR 3.0."""
    name = entry.algorithm
    settings = {f"{name}.{key}": value for key, value in entry.settings.items()}
    rules = {"measure": measure, "convention": "letor3"}
    return CardView(
        "train", {"train_view": "Run", "algorithm": name, **rules, **settings}
    )


def compared(measure: str, *names: str, convention: str = "letor3") -> CardView:
    """Learners beside each other, and whether their differences are noise."""
    rules = {"measure": measure, "convention": convention}
    view = {"compare_view": "Curves and differences", "compared": names}
    return CardView("compare", {**view, **rules})


def cost(*names: str) -> CardView:
    """Return the seconds of learners beside their accuracy."""
    view = {"compare_view": "Models", "compared_cost": "seconds"}
    return CardView("compare", {**view, "compared": names})


def sparse_path(measure: str) -> CardView:
    """RSRank over as many penalties, trained for as long."""
    view = {"sparse_view": "One path", "sparse": "RSRank", "values": 9}
    rules = {"measure": measure, "convention": "standard"}
    return CardView("sparsity", {**view, **rules, "RSRank.max_iter": 500})
