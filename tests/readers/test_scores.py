"""Scores of models in use: columns of a table that are no features."""

import io
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rankcore import DataError, RankingDataset, load_partitions, read_table
from rankcore.data.partitions import sample_partitions
from rankcore.data.readers import Splits, find_problems, preview_table, reading_options
from rankcore.data.readers.converting import convert
from rankcore.topics.compare.comparison_plan import pooled

# The rows of a query are not adjacent.
TABLE = b"label,qid,a,used,old\n" + b"".join(
    b"%d,q%d,%d.5,%d.25,-%d\n" % (n % 3, n % 4, n, 7 * n % 10, n) for n in range(12)
)
NAMES = ["used", "old"]
USED = np.array([7 * n % 10 + 0.25 for n in range(12)])


def source(kind, table=TABLE):
    if kind == "csv":
        return table
    frame = pd.read_csv(io.BytesIO(table))
    return frame if kind == "frame" else frame.to_parquet()


@pytest.fixture
def data():
    return read_table(TABLE, score=NAMES)


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
def test_a_score_is_no_feature(kind, data):
    dataset = read_table(source(kind), score=NAMES)
    assert dataset.feature_names == ("a",)
    assert list(dataset.doc_scores) == NAMES
    assert dataset.original_order(dataset.doc_scores["used"]).tolist() == USED.tolist()
    assert (dataset.doc_scores["old"] == 0.5 - dataset.X[:, 0]).all()
    without = read_table(source(kind), ignore=NAMES)
    assert dataset.fingerprint == without.fingerprint
    assert without.doc_scores is None
    assert not dataset.doc_scores["used"].flags.writeable


def test_scores_go_with_their_documents(data):
    parts = [
        data.subset([2, 0]),
        data.part(slice(1, 3)),
        data.normalise(),
        data.stored("float32").split((0.5, 0.5))[0],
        pickle.loads(pickle.dumps(data)),
        read_table(data.to_frame().sort_index(), score=NAMES),
        pooled(Splits(data.subset([3, 1]), data.subset([0]))),
        replace(data, name="other"),
    ]
    for part in parts:
        assert list(part.doc_scores) == NAMES
        assert part.doc_scores["used"].tolist() == USED[part_rows(part)].tolist()


def part_rows(part):
    """The rows of documents in the table, of which a query has every fourth."""
    firsts = [int(query[1:]) for query in part.query_ids]
    return [first + 4 * at for first in firsts for at in range(3)]


def test_scores_that_do_not_fit_are_refused():
    plain = RankingDataset.from_arrays([[1.0], [2.0]], [1, 0])
    for scores, problem in [
        ([1.0], "have shape (1,) for 2 documents"),
        ([1.0, np.nan], "row 2, column used: The score NaN is not finite"),
        (["a", "b"], "are not all numbers"),
    ]:
        with pytest.raises(DataError) as caught:
            replace(plain, doc_scores={"used": scores})
        assert problem in str(caught.value)
        assert caught.value.remedy


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
@pytest.mark.parametrize("cell", [b"", b"many", b"inf"])
def test_a_score_that_is_no_number_is_found(kind, cell):
    table = TABLE.replace(b",5.25,", b",%s," % cell)
    with pytest.raises(DataError, match="not a finite number") as caught:
        read_table(source(kind, table), score=NAMES)
    # The sixth row; of CSV, the header is the first line.
    assert caught.value.line == 6 + (kind == "csv")
    assert caught.value.column == "used"
    assert "production score" in caught.value.remedy


def test_all_problems_of_scores_are_found():
    table = TABLE.replace(b",5.25,", b",?,").replace(b",-3\n", b",\n")
    for name, content in [("a.csv", table), ("a.parquet", source("parquet", table))]:
        problems = find_problems(content, name=name, score=NAMES)
        first = 2 if name == "a.csv" else 1
        places = [(error.line - first, error.column) for error in problems.errors]
        assert places == [(3, "old"), (5, "used")]


def test_a_column_has_one_role():
    for options, problem in [
        ({"score": ["none"]}, "no score or weight column 'none'"),
        ({"score": ["used"], "ignore": ["used"]}, "both the score and to be ignored"),
        ({"score": ["used"], "group": ["used"]}, "both the group and the score"),
        ({"score": ["used"], "label": "used"}, "both the label and the score"),
        ({"score": ["a", "used", "old"]}, "no feature column"),
    ]:
        with pytest.raises(DataError, match=problem):
            read_table(TABLE, **options)


def test_a_score_may_have_the_usual_name_of_a_role():
    table = TABLE.replace(b",used,", b",rating,")
    data = read_table(table, score=["rating"])
    assert data.y.tolist() == read_table(TABLE, score=NAMES).y.tolist()
    assert list(data.doc_scores) == ["rating"]


def test_a_score_in_use_is_detected_by_its_name():
    table = TABLE.replace(b",used,", b",Production score,")
    preview = preview_table(table)
    assert preview.roles["Production score"] == "score"
    assert preview.roles["old"] == "feature"
    roles = preview.roles | {"old": "score"}
    options = reading_options(preview, roles)
    assert options == {"score": ["Production score", "old"]}
    assert read_table(table, **options).feature_names == ("a",)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_converted_folder_keeps_scores(kind, tmp_path, monkeypatch):
    monkeypatch.setattr("rankcore.data.formats.parts.part_sizes.CELLS", 2)
    rows = sorted(
        TABLE.splitlines(keepends=True)[1:], key=lambda row: row.split(b",")[1]
    )
    path = tmp_path / f"shop.{kind}"
    path.write_bytes(source(kind, TABLE.splitlines(keepends=True)[0] + b"".join(rows)))
    converted = convert(path, tmp_path / "parts", score=NAMES)
    assert converted.parts > 1
    result, expected = (
        load_partitions(tmp_path / "parts"),
        read_table(path, score=NAMES),
    )
    assert result.fingerprint == expected.fingerprint
    few = sample_partitions(tmp_path / "parts", 4)
    assert 0 < few.n_queries < 4
    chosen = expected.subset(
        [expected.query_ids.index(query) for query in few.query_ids]
    )
    for one, other in [(result, expected), (few, chosen)]:
        assert one.doc_scores.keys() == other.doc_scores.keys()
        for name in NAMES:
            assert (one.doc_scores[name] == other.doc_scores[name]).all()
    pd.testing.assert_frame_equal(result.to_frame(), expected.to_frame())
    again = pickle.loads(pickle.dumps(result))
    assert (again.doc_scores["used"] == result.doc_scores["used"]).all()
    plain = tmp_path / "plain"
    convert(path, plain)
    assert "doc_scores" not in (plain / "dataset.json").read_text()
