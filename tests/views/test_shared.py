"""Settings that several pages share, without a browser."""

from pages.ui import shared
from rankcore.measures import STANDARD, Rules
from rankcore.views import read


def test_evaluation_rules_are_one_value():
    assert shared.rules(read(shared.EVALUATION, {})) == STANDARD

    chosen = {"convention": "letor3", "empty": "skip"}
    assert shared.rules(read(shared.EVALUATION, chosen)) == Rules("letor3", "skip")
