"""Rankings and judgements as one table."""

import pytest

from rankcore import DataError
from rankcore.data.judged_table import judged_table
from rankcore.data.rankings import read_rankings
from rankcore.data.readers import read_judgements, read_table

BM25 = b"mug Q0 A 1 9.5 x\nmug Q0 B 2 7.0 x\nlid Q0 E 1 1.0 x\n"
NEW = b"mug Q0 C 1 0.5 x\npan Q0 D 1 0.25 x\n"
JUDGED = b"mug 0 B 2\nmug 0 F 0\npan 0 D 1\ncup 0 G 1\n"


def test_a_table_has_each_document_that_is_judged_or_ranked():
    rankings = {"bm25": read_rankings(BM25), "new": read_rankings(NEW)}
    table = judged_table(rankings, read_judgements(JUDGED))
    data = read_table(table, unjudged="irrelevant")
    assert data.query_ids == ("mug", "pan")
    assert data.doc_ids == ("B", "F", "A", "C", "D")
    assert data.y.tolist() == [2, 0, 0, 0, 1]
    assert data.judged.tolist() == [True, True, False, False, True]
    assert data.feature_names == ("bm25", "new")
    bm25, new = data.X.T
    assert bm25[[0, 2]].tolist() == [7.0, 9.5]
    assert max(bm25[[1, 3]]) < 7.0
    assert new[[3, 4]].tolist() == [0.5, 0.25]
    assert max(new[:3]) < 0.5
    # The second query is not in the first file.
    assert bm25[4] == 0.0


def test_rankings_of_no_judged_query_are_refused():
    with pytest.raises(DataError, match="No query of the rankings is judged") as caught:
        judged_table({"new": read_rankings(NEW)}, read_judgements(b"cup 0 G 1\n"))
    assert "the first judged is 'cup'" in caught.value.remedy
