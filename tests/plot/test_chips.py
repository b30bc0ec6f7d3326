"""Rankings as chips: their places in two orders, their colours."""

import numpy as np

from rankcore.plot.palette import palette
from rankcore.topics.inspect.chips_figure import chips, followed
from rankcore.topics.inspect.ranking import QueryRanking


def test_chips_stand_for_the_first_documents_of_either_order():
    ranking = QueryRanking(
        documents=("a", "b", "an-id-that-is-long"),
        labels=np.array([0, 1, 2]),
        scores=np.array([3.0, 2.0, 1.0]),
        ideal=np.array([2, 1, 0]),
        value=0.5,
    )
    result = chips([ranking], 1, palette("light"))

    assert result["rows"] == 1
    assert [chip["id"] for chip in result["documents"]] == ["a", "an-id-that-is-long"]
    assert [c["places"] for c in result["documents"]] == [[0, 2], [2, 0]]
    assert result["documents"][1]["short"] == "…at-is-long"
    titled = ranking._replace(documents=("a", "b", "A title that is long"))
    result = chips([titled], 1, palette("light"))
    assert result["documents"][1]["short"] == "A title th…"
    assert result["documents"][0]["colour"] != result["documents"][1]["colour"]


def test_forces_are_shares_of_the_largest():
    ranking = QueryRanking(
        documents=("a", "b"),
        labels=np.array([0, 1]),
        scores=np.array([2.0, 1.0]),
        ideal=np.array([1, 0]),
        value=0.5,
        forces=np.array([-0.25, 0.5]),
    )
    first, second = chips([ranking], 2, palette("light"))["documents"]
    assert (first["force"], second["force"]) == (-0.5, 1.0)
    assert first["titles"][0].endswith("force −0.25")
    still = chips([ranking._replace(forces=np.zeros(2))], 2, palette("light"))
    assert {one["force"] for one in still["documents"]} == {0.0}
    without = chips([ranking._replace(forces=None)], 2, palette("light"))
    assert not any("force" in one for one in without["documents"])


def test_followed_chips_have_the_first_documents_of_each_ranking():
    def ranked(order, ideal):
        labels = {"a": 0, "b": 1, "c": 2, "d": 0}
        return QueryRanking(
            documents=tuple(order),
            labels=np.array([labels[name] for name in order]),
            scores=np.arange(4.0)[::-1],
            ideal=np.array([ideal.index(name) for name in order]),
            value=len(order[0]) / 4,
        )

    result = followed(
        [ranked("abcd", "cbad"), ranked("badc", "cbad")], 2, palette("light")
    )
    names = [document["id"] for document in result["documents"]]
    assert [
        ["".join(names[number] for number in item) for item in pair]
        for pair in result["orders"]
    ] == [["ab", "cb"], ["ba", "cb"]]
    # The last one is nowhere among the first two.
    assert set(names) == set("abc")
    assert result["values"] == ["0.250", "0.250"]
