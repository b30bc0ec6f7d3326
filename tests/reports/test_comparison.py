"""A comparison as a table: letters of significance, best values, remarks."""

import numpy as np

from rankcore.reports.comparison import comparison_table
from rankcore.studies.results import Cell, Result, SharedTerms
from rankcore.topics.compare.comparison import compare, contenders

IDS = tuple(map(str, range(30)))
RNG = np.random.default_rng(0)


def trained(algorithm, values, seed=0):
    measures = {"nDCG@10": values, "AP": values / 2}
    return Result(
        Cell((("l2", 1.0),), "", seed), iteration=2, seconds=0.5, nonzeros=2,
        queries=measures, coef=np.ones(2),
        terms=SharedTerms(algorithm, "data", ids=IDS),
    )  # fmt: skip


def compared(measure="nDCG@10"):
    base = RNG.random(30) / 3
    runs = [
        trained("ListNet", base),
        trained("RankSVM", base + 0.4 + 0.01 * RNG.random(30)),
        trained("RankSVM", base + 0.4 + 0.01 * RNG.random(30), seed=1),
        trained("RankNet", base + 0.001 * RNG.normal(size=30)),
    ]
    return compare(contenders(runs), measure)


def test_a_letter_names_those_that_a_model_is_better_than():
    table = comparison_table([compared()], "data (validation)", ["Looked at once."])
    first, second, third = table.rows
    assert [row[0] for row in table.rows] == ["a", "b", "c"]
    assert first[1] == "RankSVM"
    assert first[2].mark == "b, c"
    assert (second[2].mark, third[2].mark) == ("", "")
    assert "30 queries of data (validation)" in table.caption
    assert "over 1 to 2 runs" in table.caption
    assert "Holm's correction for 3 tests" in table.note
    assert table.note.endswith("Looked at once.")


def test_it_is_written_for_latex_and_markdown():
    table = comparison_table([compared(), compared("AP")], "data")
    latex = table.latex()
    assert r"\toprule" in latex
    assert r"\textbf" in latex
    assert "nDCG@10" in table.markdown()
    assert "AP" in table.markdown()
