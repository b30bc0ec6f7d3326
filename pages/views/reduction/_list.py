"""The list under study: ordered by hand, or a query ranked by RSRank."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from pages.ui import shared, texts
from pages.ui.data import datasets
from pages.ui.data.inspecting import inspect
from rankcore import views
from rankcore.algorithms import get_algorithm
from rankcore.base.numbers import label_text
from rankcore.data.dataset import RankingDataset
from rankcore.measures import parse
from rankcore.plot.numbers import decimals
from rankcore.topics.inspect.ranking import query_ranking
from rankcore.topics.measuring import hand_list
from rankcore.topics.reduction.pair_losses import LOSSES, ListPairs, list_pairs
from rankcore.training import train_briefly
from rankcore.views import MORE, Fact, Number, Setting, Values

EXPLAIN = texts.tabs(__file__)
BY_HAND, QUERY = "by hand", "a query of the data"
MOST_ITERATIONS = 60
ROWS = 16


def _stopped_early(values: Values) -> str:
    if datasets.readable(values) is None:
        return ""
    last = len(trained(values.data, values.normalise)) - 1
    return "" if last == MOST_ITERATIONS else f"Training stopped at iteration {last}."


SOURCE = views.Choice("red_source", BY_HAND, "List", names=(BY_HAND, QUERY))
GAP = Number(
    "red_gap",
    0.5,
    "Score gap",
    meaning="Each document's score is this much below that of the one above it. The "
    "surrogate losses depend on it; 1 − NDCG and L do not.",
    stops=(0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0),
)
ITERATIONS = Number(
    "red_steps",
    20,
    "Iterations of RSRank",
    meaning="Iterations on the training data; 0 is the starting point.",
    low=0,
    high=MOST_ITERATIONS,
    whole=True,
    note=_stopped_early,
    group=MORE,
)
_SPLIT = replace(shared.PART, group=MORE)
LISTS: Mapping[str, Sequence[Setting]] = {
    BY_HAND: (shared.RANKING, replace(shared.DOCUMENTS, group=MORE), GAP),
    QUERY: (shared.DATA, shared.NORMALISE, _SPLIT, shared.QUERY, ITERATIONS),
}


class RankedList(NamedTuple):
    """A list from the top down, its pairs and its origin.

    Attributes
    ----------
    names, labels : tuple of n str, tuple of n int
    numbers : (n,) int64
        A permutation of 0 to n - 1: the index i of each document.
    short : sequence of n str
        Names short enough for a matrix.
    column : sequence of blocks
        Blocks that show the list beside the figures.
    queries : tuple of RankingDataset and (m,) float64, or None
        The whole split of the query, and its scores.
    """

    names: tuple[str, ...]
    labels: tuple[int, ...]
    numbers: np.ndarray
    pairs: ListPairs
    short: Sequence[str]
    column: Sequence[views.Block]
    queries: tuple[RankingDataset, np.ndarray] | None = None

    def shown(
        self,
        figures: Sequence[views.Block],
        words: Sequence[str] = (),
        **tables: Any,
    ) -> views.Shown:
        """Return facts and figures beside the list, with bounds and texts below."""
        pairs, total = self.pairs, self.pairs.total(LOSSES["RSRank"])
        wrong = int(pairs.wrong.sum())
        lost, loss, smooth = map(decimals, (pairs.lost, pairs.loss, total))
        # Three formulas instead of one, so that the line can break on a narrow screen.
        bounds = (
            rf"$1 - \mathrm{{NDCG}} = {lost}$ $\;\le\; L = {loss}$"
            rf" $\;\le\; \sum w_{{ij}}\,\phi(s_i - s_j) = {smooth}$"
        )
        facts = [
            Fact("NDCG", f"{1.0 - pairs.lost:.3f}", "of the whole list"),
            Fact("1 − NDCG", lost, "loss of the order"),
            Fact("L", loss, "at least 1 − NDCG"),
            Fact("Misordered pairs", str(wrong), f"of {len(pairs.wrong)}"),
            Fact("RSRank’s loss", smooth, "at least L"),
        ]
        left = [*figures, *map(views.Words, (bounds, *words))]
        row = views.Row([left, self.column], widths=(9, 4), key="beside")
        return views.Shown(facts, [row], tables)


def rows(raw: Mapping[str, Any], settings: Sequence[Setting] = ()) -> list[Setting]:
    """Return the settings of the list, then the view's own settings."""
    return [SOURCE, *LISTS.get(str(raw.get(SOURCE.key)), LISTS[BY_HAND]), *settings]


def hand(ranking: str) -> dict[str, Any]:
    """Return the settings of a list by hand."""
    return {SOURCE.key: BY_HAND, shared.RANKING.key: ranking}


def ranked(values: Values) -> RankedList:
    """Return the selected list; raises DataError if the data cannot be read."""
    if values.red_source == QUERY:
        return _query(values)
    names, labels = zip(*(hand_list.read(values.ranking) or []), strict=True)
    pairs = list_pairs(labels, -values.red_gap * np.arange(len(labels)))
    numbers = np.argsort(np.argsort(names, kind="stable"), kind="stable")
    return RankedList(
        names, labels, numbers, pairs, names, [views.Ask([shared.RANKING])]
    )


def _query(values: Values) -> RankedList:
    dataset, path = shared.split(values), trained(values.data, values.normalise)
    coef = path[min(values.red_steps, len(path) - 1)]
    scores = get_algorithm("RSRank")().scores(dataset.X, coef)
    query = dataset.query(values["query"] - 1)
    pairs = list_pairs(query.y, scores[query.slice])
    order = np.argsort(pairs.ranks, kind="stable")
    labels = tuple(query.y[order].tolist())
    tiles = views.Tiles(
        "red_chips",
        query.title,
        "RSRank → ideal",
        query_ranking(query, scores[query.slice], parse("nDCG")),
        ROWS,
        f"Labels in the order of RSRank: {', '.join(map(label_text, labels[:ROWS]))}.",
    )
    few = min(len(labels), hand_list.MOST)
    act, fractions = f"Drag its first {few} documents by hand", dataset.has_fractions
    act = "Lists by hand have whole labels" if fractions else act
    to_hand = hand(hand_list.labelled(labels))
    return RankedList(
        tuple(query.doc_names[i] for i in order),
        labels,
        order,
        pairs,
        [f"d{number + 1}" for number in order],
        [
            tiles,
            views.Act(act, "red_by_hand", to_hand, disabled=fractions),
            inspect(values),
        ],
        (dataset, scores),
    )


@lru_cache(maxsize=8)
def trained(data: str, normalise: str) -> np.ndarray:
    """Return (iterations + 1, d) coefficients of RSRank along its training."""
    train = datasets.load(data, normalise).train
    algorithm = get_algorithm("RSRank")(max_iter=MOST_ITERATIONS)
    run = train_briefly(algorithm, train, max_iterations=MOST_ITERATIONS)
    return np.array([record.coef for record in run.history.records])
