"""Both forms of the feature map of pairs, for every order of four documents."""

from functools import partial

from pages.views.margins.claims import _list as four
from rankcore.plot.numbers import decimals
from rankcore.topics.margins.claims import pair_forms
from rankcore.topics.margins.claims_figure import forms_figure
from rankcore.views import Fact, Panel, Shown, Values


def show(values: Values) -> Shown:
    """Return the value of both forms for all 24 orders."""
    found = pair_forms(four.SCORES, four.labels(values))
    definition = four.order(found.predicted)
    second = four.order(found.predicted_by_inverted)
    of_pairs = f"mean over pairs {decimals(found.ideal / found.n_pairs, 2)}"
    picture = forms_figure(found, four.NAMES, values.palette)
    note = "rings: the order that each form prefers"
    return Shown(
        [
            Fact("Definition predicts", definition, "by falling score"),
            Fact("Second form predicts", second, "by rising score"),
            Fact("wᵀφ of the ideal order", decimals(found.ideal, 2), of_pairs),
            Fact(
                "Second form − ½ (φ* − φ)",
                decimals(found.apart),
                "largest of 24",
            ),
        ],
        [Panel("claim_forms", "Both forms for all 24 orders", note, picture)],
    )


CLAIM = four.claim(
    __file__,
    [four.LABELS],
    show,
    partial(four.by_hand, learner="SVMMAP", scaling="sum"),
)
