"""Rankings as chips: their places in two orders, their colours."""

import numpy as np

from rankcore.charts.chips import chips
from rankcore.charts.palette import palette
from rankcore.insight.ranking import QueryRanking


def test_chips_stand_for_the_first_documents_of_either_order():
    ranking = QueryRanking(
        documents=("a", "b", "an-id-that-is-long"),
        labels=np.array([0, 1, 2]),
        scores=np.array([3.0, 2.0, 1.0]),
        ideal=np.array([2, 1, 0]),
        value=0.5,
    )
    found = chips([ranking], 1, palette("light"))

    assert found["rows"] == 1
    assert [chip["id"] for chip in found["documents"]] == ["a", "an-id-that-is-long"]
    assert [c["places"] for c in found["documents"]] == [[0, 2], [2, 0]]
    assert found["documents"][1]["short"] == "…at-is-long"
    titled = ranking._replace(documents=("a", "b", "A title that is long"))
    found = chips([titled], 1, palette("light"))
    assert found["documents"][1]["short"] == "A title th…"
    assert found["documents"][0]["colour"] != found["documents"][1]["colour"]
