"""Both forms of the feature map of pairs, for every order of four documents."""

from functools import partial

from pages.views.margins.claims import _list as four
from rankcore.plot.numbers import decimals
from rankcore.topics.margins.claims import pair_forms
from rankcore.topics.margins.claims_figure import forms_figure
from rankcore.views import Fact, Panel, Shown, Values


def show(values: Values) -> Shown:
    """Return the value of both forms for all 24 orders."""
    forms = pair_forms(four.SCORES, four.labels(values))
    definition = four.order(forms.predicted)
    second = four.order(forms.predicted_by_inverted)
    of_pairs = f"mean over pairs {decimals(forms.ideal / forms.n_pairs, 2)}"
    picture = forms_figure(forms, four.NAMES, values.palette)
    note = "rings: the order that each form prefers"
    return Shown(
        [
            Fact("Definition predicts", definition, "by descending score"),
            Fact("Second form predicts", second, "by rising score"),
            Fact("wᵀφ of the ideal order", decimals(forms.ideal, 2), of_pairs),
            Fact(
                "Second form − ½ (φ* − φ)",
                decimals(forms.apart),
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
