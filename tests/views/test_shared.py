"""Settings that several pages share, without a browser."""

from pages.ui import shared
from rankcore.measures import STANDARD, Rules
from rankcore.views import read


def test_evaluation_rules_are_one_value():
    assert shared.rules(read(shared.EVALUATION, {})) == STANDARD

    chosen = {"convention": "letor3", "empty": "skip"}
    assert shared.rules(read(shared.EVALUATION, chosen)) == Rules("letor3", "skip")


def test_few_validation_queries_are_told_by_a_chip():
    few, many = (
        shared.DATA.note(read([shared.DATA], {"data": name}))
        for name in ("mslr10k-sample", "planted-900")
    )
    assert few.endswith(":orange-badge[10 validation queries: expect ±0.12]")
    assert "badge" not in many
