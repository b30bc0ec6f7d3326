"""SVMCombo's weighted slacks as a bound on the sum of losses."""

from pages.views.margins.claims import _list as four
from rankcore.base.numbers import three_digits
from rankcore.topics.margins.claims import combo_bound
from rankcore.topics.margins.claims_figure import bound_figure
from rankcore.views import Fact, Number, Panel, Shown, Table, Values

WEIGHT = Number(
    "margin_claim_C",
    0.1,
    "Weight of every loss",
    r"C_\ell",
    "A common weight for 1 − AUC, 1 − AP, 1 − NDCG and 1 − RR.",
    stops=(0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0),
)


def show(values: Values) -> Shown:
    """Return both sides of the bound against C."""
    C = values.margin_claim_C
    bound = combo_bound(four.SCORES, four.labels(values))
    here = combo_bound(four.SCORES, four.labels(values), [C])
    slacks, weighted = here.weighted_slacks.item(), here.weighted.item()
    holds = slacks >= here.claimed - 1e-12
    picture = bound_figure(bound, C, values.palette)
    note = "the bound fails where Σ C ξ is below Σ R"
    verdict = "not above Σ C ξ: it holds" if holds else "above Σ C ξ: it fails"
    rows = [
        {
            "loss": f"1 − {name}",
            "slack ξ": three_digits(xi),
            "R, predicted": three_digits(risk),
        }
        for name, xi, risk in zip(here.names, here.slacks, here.risks, strict=True)
    ]
    least = here.holds_from
    from_C = f"C ≥ {three_digits(least)}" if least > 0.0 else "every C"
    return Shown(
        [
            Fact(
                "Σ C ξ",
                three_digits(slacks),
                f"C = {C:g}, Σ ξ = {three_digits(here.slacks.sum())}",
            ),
            Fact("Σ R", three_digits(here.claimed), verdict),
            Fact("Σ C R", three_digits(weighted), "never above Σ C ξ"),
            Fact("max R", three_digits(here.risks.max()), "never above Σ R"),
            Fact("Here it holds for", from_C, "always from 1"),
        ],
        [
            Panel("claim_bound", "Both ends of the bound", note, picture),
            Table("claim_losses", "Losses", "slack and loss of each", rows),
        ],
    )


CLAIM = four.claim(
    __file__,
    [four.LABELS, WEIGHT],
    show,
    lambda values: four.by_hand(values, "SVMCombo") | {"margin_loss": "AP"},
)
