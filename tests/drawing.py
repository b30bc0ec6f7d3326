"""The numbers of figures beside those of their tables, over every view."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from rankcore.views import Panel, Shown

# Of each page, the columns of the tables of its figures that these draw on toy-2d, by
# the keys of the figures.
DRAWN = {
    "approximation": {
        "approx_by_alpha": "iteration; mean error",
        "approx_by_beta": "iteration; mean error",
        "approx_flat": "iteration; queries without gradient",
        "approx_positions": "label; score; position; approximated; force",
        "approx_spread": "queries",
        "approx_sum": "score of x1; position; approximated; sigmoid of x3",
        "approx_sweep": "α; bound of AP",
        "approx_truncation": "counts; approximated position; counts approximately",
        "approx_values": "exact; approximated; force on x1; force on x5",
        "buying": "restarts; α = 1; α = 300",
        "landscape": "from; to; nDCG",
        "ring": "nDCG",
        "spread": "nDCG",
    },
    "clicks": {
        "click_curves": "sessions; mean; lowest; highest",
        "click_examination": "position; true; estimate",
    },
    "compare": {
        "compared_agreement_figure": "Kendall τ",
        "compared_cost_figure": "nDCG@10; from; to; features kept",
        "compared_curves": "iteration; mean nDCG@10; smallest; largest; best nDCG@10",
        "compared_pairs": "difference; from; to",
        "compared_queries": "difference",
        "compared_slices": "difference; from; to",
    },
    "cones": {
        "cone_plane": "gap; z: text match; z: popularity",
        "cone_training": "iteration; objective; ranked correctly",
        "cone_weights": "weight; without constraints",
        "query_differences": "difference of text match; difference of popularity",
        "query_documents": "text match; popularity",
    },
    "data": {
        "labels": "documents",
        "lengths": "from; to; queries",
        "spread": "lowest; median; highest",
    },
    "explore": {
        "map": "Validation nDCG@10; features kept",
        "map_curve": "iteration; nDCG@10",
        "search_importance": "share",
        "search_models": "Validation nDCG@10; features kept",
        "search_progress": "nDCG@10; best so far",
        "search_slices": "Validation nDCG@10; features kept",
        "sensitivity": "training queries; features kept",
        "sensitivity_kept": "levels; mean; low; high",
        "trade_offs": "Validation nDCG@10; features kept",
    },
    "inspect": {
        "inspect_importance": "loss",
        "why": "contribution",
    },
    "margins": {
        "staircase": "irrelevant above",
        "swaps": "adds to Δ",
    },
    "measures": {
        "moving": "score; exact; α = 1; α = 3",
        "terms": "gain; discount; ideal area",
    },
    "papers": {
        "claim_alone": "irrelevant above",
        "claim_bound": "C; Σ C ξ; Σ C R; Σ R",
        "claim_centre": "γ; whole; any",
        "claim_equality": "α",
        "claim_forms": "definition; second form; ½ (ideal − definition)",
        "claim_merge": "first relevant at; lowest first; merge by score",
        "claim_ties": "equation 10; equation 12; strict order",
        "claim_values": "first relevant at; RR, as printed; Δ = 1 − RR",
        "cone_documents_plane": "feature 1; feature 2",
        "cone_excess": "steps; SG, as printed − exact",
        "cone_flat_space": "inside",
        "cone_inside": "K; inside",
        "cone_negative": "1; 2",
        "cone_orders": "rank by votes; rank by score",
        "cone_segment": "weight w₁; squared distance",
        "papers_selected": "printed; here",
    },
    "reduction": {
        "red_along": "p; regret in NDCG; regret in pairs",
        "red_curves": "margin; RSRank; hinge; logistic; 0-1",
        "red_plane": "1 − NDCG; L",
        "red_regrets": "regret in NDCG; regret in pairs",
        "red_swaps": "1 − NDCG after it; remaining L after it",
        "red_totals": "1 − NDCG; RSRank; hinge; logistic; 0-1",
        "red_weights": "weight",
    },
    "sparsity": {
        "certificate": "iteration; primal; dual; validation nDCG@10",
        "coefficient_paths": "importance of text match; importance of popularity",
        "life": "iteration; pull of the data; coefficient",
        "pulls": "coefficient; pull of the data",
        "ratios": "nDCG@1; nDCG@5; nDCG@10",
        "rules_compared": "g; nonzeros; valid nDCG@10",
        "trade_off": "g; nonzeros; train nDCG@10; valid nDCG@10; test nDCG@10",
    },
    "train": {
        "coefficients": "importance",
        "curves": "iteration; objective; nonzeros; train nDCG@10; valid nDCG@10; loss",
        "race": "iteration; nDCG@10",
        "why": "contribution",
    },
}


def undrawn(page: str, shown: Shown) -> Iterator[str]:
    """Columns of tables whose numbers the figures beside them do not draw."""
    for panel in shown.panels():
        # Plotly knows every property.
        panel.picture.figure()
        parts = [np.zeros(0), *_parts(panel.picture.data)]
        drawn = np.unique(np.concatenate(parts).astype(np.float32))
        columns = _columns(panel)
        for name in filter(None, DRAWN.get(page, {}).get(panel.key, "").split("; ")):
            if not np.isin(_numbers(columns[name]).astype(np.float32), drawn).all():
                yield f"{panel.key} does not draw {name}"


def _columns(panel: Panel) -> Mapping[Any, Any]:
    table = panel.picture.numbers()
    if isinstance(table, list):
        return {name: [row.get(name) for row in table] for name in table[0]}
    return table


def _parts(value: Any) -> Iterator[np.ndarray]:
    """The numbers of all arrays in traces."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple) and any(
        isinstance(item, Mapping | list | tuple | np.ndarray) for item in value
    ):
        for item in value:
            yield from _parts(item)
    elif isinstance(value, list | tuple | np.ndarray):
        yield _numbers(value)


def _numbers(values: Any) -> np.ndarray:
    """The finite numbers among values."""
    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        flat = np.ravel(np.array(values, dtype=object))
        kinds = int, float, np.number
        array = np.array([n for n in flat if isinstance(n, kinds)], dtype=float)
    return array[np.isfinite(array)].ravel()
