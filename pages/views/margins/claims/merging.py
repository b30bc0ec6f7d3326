"""Orders that merging by score misses with the first-relevant-document map."""

from functools import partial

from pages.views.margins.claims import _list as four
from rankcore.base.numbers import three_digits
from rankcore.topics.margins.claims import first_map_values
from rankcore.topics.margins.claims_figure import first_map_figure
from rankcore.views import Fact, Panel, Shown, Values


def show(values: Values) -> Shown:
    """Return the largest sums by the rank of the first relevant document."""
    first = first_map_values(four.SCORES, four.labels(values))
    lowest, merged = max(first.lowest), max(first.merged)
    picture = first_map_figure(first, values.palette)
    note = "rings: the largest sum of each method"
    return Shown(
        [
            Fact(
                "Largest, lowest first", three_digits(lowest), four.order(first.order)
            ),
            Fact("Largest of a merge", three_digits(merged), four.order(first.merge)),
            Fact("The merge misses", three_digits(first.lost), "of the slack"),
        ],
        [Panel("claim_merge", "Δ + wᵀφₘᵣᵣ by the first rank", note, picture)],
    )


CLAIM = four.claim(
    __file__,
    [four.LABELS],
    show,
    partial(
        four.by_hand, learner="SVMMRR", feature_map="first", scaling="sum", cutoff=None
    ),
)
