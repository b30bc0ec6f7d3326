"""How one file is split: by shares, by folds, by a column."""

import pytest

from rankcore import DataError, read_table
from rankcore.data.readers import ByColumn, Fold, Shares, parse_division

TABLE = b"label,qid,a,set,size\n" + b"".join(
    b"%d,q%d,%d,%s,%s\n"
    % (d % 2, q, d, [b"Train", b"train", b"vali", b"TEST"][q % 4], b"sl"[q % 2 :][:1])
    for q in range(12)
    for d in range(3)
)
DATA = read_table(TABLE, group=["set", "size"])


@pytest.mark.parametrize(
    "division", [Shares(), Shares((0.8, 0.2), 7), Fold(2, 5, 3), ByColumn("a b")]
)
def test_a_division_comes_back_from_its_text(division):
    assert parse_division(str(division), division.seed or 0) == division


@pytest.mark.parametrize(
    "text", ["", "60", "60/50", "50/30", "6-of-5", "1-of-2", "0-of-5", "column:"]
)
def test_what_is_no_division_is_refused(text):
    with pytest.raises(ValueError, match="such as"):
        parse_division(text)


@pytest.mark.parametrize("division", [Shares(), Fold(2, 4, 3), ByColumn("set")])
def test_a_call_of_the_data_gives_the_same(division):
    made = eval(f"data.{division.call}", {"data": DATA})
    for result, split in zip(made, division.divide(DATA), strict=True):
        assert result.fingerprint == split.fingerprint


def test_every_query_is_tested_once_over_the_folds():
    tested, validated = [], []
    for number in range(1, 6):
        train, valid, test = Fold(number, 5, seed=1).divide(DATA)
        ids = [*train.query_ids, *valid.query_ids, *test.query_ids]
        assert sorted(ids) == sorted(DATA.query_ids)
        tested += test.query_ids
        validated += valid.query_ids
    assert sorted(tested) == sorted(validated) == sorted(DATA.query_ids)
    for number in range(1, 6):
        after = Fold(number % 5 + 1, 5, seed=1).divide(DATA)
        assert Fold(number, 5, seed=1).divide(DATA).valid.query_ids == (
            after.test.query_ids
        )
    with pytest.raises(ValueError, match="no fold 6 of 5"):
        DATA.fold(6, 5)
    with pytest.raises(DataError, match="12 queries cannot be split into 13"):
        DATA.fold(1, 13)


def test_a_column_says_the_split():
    train, valid, test = DATA.split_by("set")
    assert train.query_ids == ("q0", "q1", "q4", "q5", "q8", "q9")
    assert valid.query_ids == ("q2", "q6", "q10")
    assert test.query_ids == ("q3", "q7", "q11")
    assert train.query_groups == {"size": ("s", "l") * 3}
    with pytest.raises(DataError, match="no column 'other'"):
        DATA.split_by("other")
    with pytest.raises(DataError, match="'q0' has the split 's'"):
        DATA.split_by("size")
    few = DATA.subset([2, 6])
    with pytest.raises(DataError, match="No query is for training"):
        few.split_by("set")


def test_groups_go_with_their_queries():
    part = DATA.part(slice(2, 4))
    assert part.query_groups == {"set": ("vali", "TEST"), "size": ("s", "l")}
    assert DATA.normalise().query_groups == DATA.query_groups
    frame = DATA.to_frame()
    again = read_table(frame.sort_index(), group=["set", "size"])
    assert again.query_groups == DATA.query_groups
    assert again.fingerprint == DATA.fingerprint


def test_a_query_is_in_one_group():
    mixed = TABLE.replace(b"1,q3,1,TEST", b"1,q3,1,train")
    with pytest.raises(
        DataError, match="'q3' has another 'set' here than in"
    ) as caught:
        read_table(mixed, group=["size", "set"])
    assert (caught.value.line, caught.value.column) == (12, "set")
