"""The agreement of raters as pages and the command show it."""

import numpy as np
import pytest

from rankcore.data.judgements import read_judgements
from rankcore.data.ratings import read_ratings
from rankcore.mathematics.agreement import krippendorff, label_counts
from rankcore.topics.compare.wins import wins
from rankcore.topics.datasets.raters import RaterAgreement
from tests.readers.samples import RATINGS

TABLE = f"{RATINGS}3,P1,Ann,0\n3,P1,Bob,3\n".encode()


@pytest.fixture
def found():
    return RaterAgreement(read_ratings(TABLE, name="raters.csv"))


def test_measures_are_lines_of_text(found):
    ratings = found.ratings
    alpha = krippendorff(*label_counts(ratings.item, ratings.label))
    first, *lines = found.lines
    value, ends = first.split(", 95% interval ")
    assert value.startswith("Krippendorff's alpha (ordinal): ")
    assert float(value.split()[-1]) == pytest.approx(alpha.value, abs=5e-4)
    assert " to " in ends
    assert [line.partition(":")[0] for line in lines] == [
        "Cohen's kappa", "Cohen's kappa (linear)", "Cohen's kappa (quadratic)",
        "Fleiss' kappa",
    ]  # fmt: skip
    assert found.sentence == (
        "4 documents, 2 raters, 8 ratings. One label per document is made by majority, "
        "with ties for 2 documents, which get the lower grade."
    )
    same = b"query,document,judge,label\n1,P1,Ann,2\n1,P1,Bob,2\n"
    alike = RaterAgreement(read_ratings(same))
    assert alike.lines[0].endswith("alpha (ordinal): undefined: all labels equal")


def test_the_labels_made_are_judgements(found):
    table = found.label_table.encode()
    assert read_judgements(table, name="labels.csv") == {
        "1": {"P1": 1, "P2": 0}, "2": {"P1": 3}, "3": {"P1": 0},
    }  # fmt: skip


def test_queries_of_raters_stand_beside_those_of_models(found):
    order = [one.query for one in found.queries]
    assert order == ["3", "1", "2"]
    assert found.queries[-1].disagreement == 0.0
    compared = wins(["1", "3", "4"], [0.5, 0.25, 1.0], [0.75, 1.0, 0.0])
    rows = found.beside(compared, ("A", "B"))
    assert [row["query"] for row in rows] == ["query 3", "query 1"]
    assert [(row["A"], row["B"]) for row in rows] == [(0.25, 1.0), (0.5, 0.75)]
    assert np.allclose([row["difference"] for row in rows], [-0.75, -0.25])
    assert rows[0]["raters' disagreement"] == found.queries[0].disagreement
    assert found.beside(wins(["9"], [1.0], [0.0]), ("A", "B")) == []
