"""Ties: positions, and measures of them, when documents have equal scores."""

from pages.ui import texts
from pages.views.approximation.one_list import on_list
from rankcore.base.numbers import three_digits
from rankcore.topics.approximation import claims as insight
from rankcore.topics.approximation.errors_figure import ties_figure
from rankcore.views import Claim, Fact, Panel, Shown, Values

TIED, LABELS = [1.0, 1.0, 0.0], [1, 1, 0]


def show(values: Values) -> Shown:
    """Return the positions of three documents, two of them tied, by each rule."""
    positions = insight.tied_positions(TIED)
    all_tied = insight.tied_measures([1.0, 1.0, 1.0], LABELS)
    pair = insight.tied_measures(TIED, LABELS)
    rules = {
        "equation 10": positions.best,
        "equation 12": positions.middle,
        "strict order": positions.strict,
    }
    three_tied = "three tied scores, labels 1, 1, 0"
    two_tied = "scores 1, 1, 0, labels 1, 1, 0"
    picture = ties_figure(rules, LABELS, values.palette)
    title = "Positions of the scores 1, 1, 0"
    return Shown(
        [
            Fact(
                "NDCG by equation 10", three_digits(all_tied.ndcg["best"]), three_tied
            ),
            Fact("NDCG of a strict order", f"{all_tied.ndcg['strict']:.1f}"),
            Fact("AP, equation 7, line 1", f"{pair.precision_form:.1f}", two_tied),
            Fact("AP, equation 7, line 2", f"{pair.pairs_form:.1f}"),
            Fact("AP of a strict order", f"{pair.average_precision:.1f}"),
        ],
        [Panel("claim_ties", title, "by each rule", picture)],
    )


CLAIM = Claim(
    "Ties",
    *texts.both_tabs(__file__),
    (),
    show,
    {"approx_view": "One list", **on_list("1:1, 1:1, 0:0", 10.0, 10.0, 2, "nDCG")},
    "Show it on the list",
)
