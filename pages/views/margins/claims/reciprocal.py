"""The values of the reciprocal-rank loss."""

from typing import Any

from pages.views.margins.claims import _list as four
from rankcore.base.numbers import three_digits
from rankcore.topics.margins.claims import reciprocal_slack, reciprocal_values
from rankcore.topics.margins.claims_figure import values_figure
from rankcore.views import Fact, Number, Panel, Shown, Values

CUTOFF = Number(
    "margin_claim_k",
    10,
    "Cutoff",
    "k",
    "A first relevant document below this rank counts as 0.",
    low=1,
    high=10,
    whole=True,
)


def show(values: Values) -> Shown:
    """Return the loss by the rank of the first relevant document."""
    k = values.margin_claim_k
    losses = reciprocal_values(11, k)
    slack = reciprocal_slack(four.SCORES, four.labels(values), k)
    picture = values_figure(losses, k, values.palette)
    note = "the loss grows as the first relevant document falls"
    worst, printed = four.order(slack.worst), four.order(slack.printed_worst)
    ideal, predicted = losses.reciprocal[0], three_digits(slack.printed_predicted)
    return Shown(
        [
            Fact("Δ of an ideal order", f"{losses.loss[0]:g}", f"printed {ideal:g}"),
            Fact("Slack ξ of the four", three_digits(slack.slack), worst),
            Fact(
                "Slack, values as printed", three_digits(slack.printed_slack), printed
            ),
            Fact(
                "Δ, predicted",
                three_digits(slack.predicted_loss),
                f"printed {predicted}",
            ),
        ],
        [Panel("claim_values", "Values of Δ", note, picture)],
    )


def scene(values: Values) -> dict[str, Any]:
    """Return the list by hand, with this cutoff."""
    terms = {"feature_map": "pairs", "scaling": "mean", "cutoff": values.margin_claim_k}
    return four.by_hand(values, "SVMMRR", **terms)


CLAIM = four.claim(__file__, [four.LABELS, CUTOFF], show, scene)
