"""Files with problems of many kinds, and the remedies that make data of them."""

import warnings

import numpy as np
import pytest

from rankcore import DataError, RankingDataset, read_table
from rankcore.data.partitions import load_partitions
from rankcore.data.readers import Splits, read
from rankcore.data.readers.converting import convert
from rankcore.topics.datasets.findings import (
    KINDS,
    chosen_options,
    combined,
    of_features,
    of_splits,
)
from tests.sick import (
    N_DOCUMENTS,
    N_PROBLEMS,
    N_QUERIES,
    UNREADABLE,
    defaults,
    examine,
    numbered,
    sick_table,
)


def read_quietly(source, name, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read(source, name=name, **options)


def table(*rows, head="label,qid,docid,a,b"):
    return "\n".join([head, *rows, ""]).encode()


def test_a_table_with_hundreds_of_problems_is_cured_at_once():
    text = sick_table()
    assert N_PROBLEMS >= 100
    with pytest.raises(DataError):
        read_quietly(text, "sick.csv")
    result = examine(text, name="sick.csv")
    kinds = [one.kind for one in result.findings]
    assert {
        *("unreadable", "missing", "mostly missing", "unjudged", "negative"),
        *("copies", "copies differ", "leak", "row number", "identifier"),
        *("constant", "scales"),
    } <= set(kinds)
    assert kinds == sorted(kinds, key=list(KINDS).index)
    options = chosen_options(result.findings, defaults(result.findings))
    cured = read_quietly(text, "sick.csv", **combined({}, options))
    assert cured.feature_names == ("price", "size", "weight")
    # Each document of each query is there once, but for those of unreadable rows.
    assert cured.n_documents == N_QUERIES * N_DOCUMENTS - UNREADABLE
    again = examine(text, name="sick.csv", **combined({}, options))
    left = {one.kind for one in again.findings}
    assert left <= {
        "missing",
        "unjudged",
        "negative",
        "copies",
        "copies differ",
        "scales",
    }


@pytest.mark.parametrize("kind", ["missing", "unjudged", "copies differ"])
def test_each_remedy_reads_the_file(kind):
    text = sick_table()
    findings = examine(text, name="sick.csv").findings
    (one,) = (finding for finding in findings if finding.kind == kind)
    fingerprints = []
    for key in one.remedies:
        chosen = {**defaults(findings), one.key: key}
        options = combined({}, chosen_options(findings, chosen))
        fingerprints.append(read_quietly(text, "sick.csv", **options).fingerprint)
    assert len(set(fingerprints)) == len(fingerprints) == len(KINDS[kind].remedies)


def test_words_in_a_column_are_found_below_others():
    rows = [f"{i % 2},q{i // 5},d{i},{i % 7},new" for i in range(40)]
    result = examine(table(*rows), name="a.csv")
    (words,) = (one for one in result.findings if one.kind == "words")
    assert words.columns == ("b",)
    options = chosen_options(result.findings, defaults(result.findings))
    assert read_quietly(table(*rows), "a.csv", **options).feature_names == ("a",)


def test_a_clean_file_has_no_finding():
    rng = np.random.default_rng(0)
    rows = [
        f"{rng.integers(3)},q{i // 8},d{i},{rng.normal():.4f},{rng.normal():.4f}"
        for i in range(80)
    ]
    result = examine(table(*rows), name="a.csv")
    assert result.findings == []
    assert result.is_plain
    plain = read_table(table(*rows), name="a.csv")
    assert result.data["train"].fingerprint == plain.fingerprint


def test_what_cannot_be_remedied_has_no_findings():
    result = examine(table("1,a,x,3,4", "9.5,a,y,1,oops", "x,a,z,1,1"), name="a.csv")
    assert (result.data, result.findings) == ({}, [])


# Labels of the rows of one document, and the label that stays.
LABELS = [
    ((2, 2), {"merge": 2, "highest": 2, "median": 2, "lowest": 2, "drop": 2}),
    ((0, 3, 1), {"highest": 3, "median": 1, "lowest": 0, "drop": None}),
    ((1, 3), {"highest": 3, "median": 1, "lowest": 1, "drop": None}),
    ((-1, 0), {"merge": 0, "drop": 0}),
    (("", 2), {"merge": 2, "drop": 2, "lowest": 2}),
]


@pytest.mark.parametrize(
    ("labels", "rule", "stays"),
    [(of, rule, one) for of, by_rule in LABELS for rule, one in by_rule.items()],
)
@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
def test_rows_of_one_document(labels, rule, stays, kind, tmp_path):
    import pandas as pd

    rows = [*((label, "a", "x", 1.0, 2.0) for label in labels), (1, "a", "y", 3.0, 4.0)]
    frame = pd.DataFrame(rows, columns=["label", "qid", "docid", "a", "b"])
    frame["label"] = pd.to_numeric(frame["label"])
    source = frame
    if kind == "csv":
        source = tmp_path / "a.csv"
        frame.to_csv(source, index=False)
    elif kind == "parquet":
        source = tmp_path / "a.parquet"
        frame.to_parquet(source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = read_table(source, unjudged="irrelevant", duplicates=rule)
    settings = dict(zip(data.doc_ids, data.y.tolist(), strict=True))
    assert settings == ({"y": 1} if stays is None else {"x": stays, "y": 1})


def test_merging_refuses_labels_that_differ():
    with pytest.raises(DataError, match="occurs twice") as caught:
        read_table(table("1,a,x,1,1", "2,a,x,1,1"), name="a.csv", duplicates="merge")
    assert caught.value.line == 3


def test_without_ids_rows_with_the_same_features_are_of_one_document():
    rows = ["1,q,3,4", "1,q,3,4", "0,q,5,4", "2,q,5,4"]
    text = table(*rows, head="label,qid,a,b")
    kinds = [one.kind for one in examine(text, name="a.csv").findings]
    assert kinds[:2] == ["alike", "alike differ"]
    assert read_table(text, name="a.csv").n_documents == len(rows)
    for rule, labels in (("merge", [1, 0, 2]), ("highest", [1, 2])):
        assert read_quietly(text, "a.csv", duplicates=rule).y.tolist() == labels
    letor = b"1 qid:q 1:3 2:4\n1 qid:q 1:3 2:4\n0 qid:q 1:5 2:4\n2 qid:q 1:5 2:4\n"
    assert read_quietly(letor, "a.txt", duplicates="highest").y.tolist() == [1, 2]


def test_rows_without_a_label():
    text = table(",a,x,1,2", "2,a,y,3,4", ",b,z,5,6", "0,c,x,5,7")
    with pytest.raises(DataError, match="The label is missing") as caught:
        read_table(text, name="a.csv")
    assert "--unjudged" in caught.value.remedy
    data = read_table(text, name="a.csv", unjudged="irrelevant")
    assert data.y.tolist() == [0, 2, 0, 0]
    assert data.judged.tolist() == [False, True, False, True]
    data = read_quietly(text, "a.csv", unjudged="drop")
    assert (data.query_ids, data.doc_ids) == (("a", "c"), ("y", "x"))
    assert data.judged is None
    with pytest.raises(DataError, match="No row remains"):
        read_quietly(table(",a,x,1,2"), "a.csv", unjudged="drop")


def test_rows_with_missing_values_are_left_out():
    text = table("1,a,x,,2", "2,a,y,3,4", "0,b,z,5,", "1,c,x,5,7")
    with pytest.warns(match="2 rows with missing values are left out"):
        data = read_table(text, name="a.csv", missing="rows")
    assert (data.query_ids, data.X.tolist()) == (("a", "c"), [[3, 4], [5, 7]])


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_conversion_repairs_like_reading(name, tmp_path):
    import pandas as pd

    rows = [
        *(f"{i % 3},q{i // 4},d{i},{i},{i % 5}" for i in range(20)),
        *(",q9,u,1,2", "1,q9,v,3,4", "2,q9,v,3,4", "1,q9,w,,3"),
    ]
    (tmp_path / "a.csv").write_bytes(table(*rows))
    pd.read_csv(tmp_path / "a.csv").to_parquet(tmp_path / "a.parquet")
    for at, unjudged in enumerate(("irrelevant", "drop")):
        options = {"missing": "rows", "unjudged": unjudged, "duplicates": "highest"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            convert(tmp_path / name, tmp_path / f"out{at}", **options)
            data = read(tmp_path / name, **options)
        stored = load_partitions(tmp_path / f"out{at}")
        assert stored.fingerprint == data.fingerprint
        assert stored.n_judged == data.n_judged


def test_a_feature_of_letor_text_is_left_out():
    text = b"1 qid:1 1:3 2:4 3:5\n0 qid:1 1:2 2:1 3:9\n"
    data = read(text, name="a.txt", ignore=["f2"])
    assert (data.feature_names, data.X.tolist()) == (("f1", "f3"), [[3, 5], [2, 9]])
    with pytest.raises(DataError, match="no feature 'price'"):
        read(text, name="a.txt", ignore=["price"])
    with pytest.raises(DataError, match="No feature remains"):
        read(text, name="a.txt", ignore=["f1", "f2", "f3"])


def test_queries_in_two_splits_stay_in_the_first():
    train, test = numbered(["a", "b", "c"]), numbered(["c", "d"], seed=1)
    copy = train.subset([0])._with(query_ids=("e",))
    splits = Splits(train, test, copy)
    (one,) = of_splits(splits)
    assert (one.kind, one.n, one.total) == ("shared", 2, 6)
    distinct = splits.distinct()
    assert distinct.train is train
    assert distinct.valid.query_ids == ("d",)
    assert distinct.test is None
    assert of_splits(distinct) == []
    # Other labels are another query.
    qid = np.repeat(["d", "e", "f"], 3)
    other = RankingDataset.from_arrays(train.X, 2 - train.y, qid)
    assert Splits(train, other).distinct().valid is other


def test_suspicious_features():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 4, 400)
    X = np.column_stack(
        [
            rng.normal(size=400),
            y + rng.normal(0, 0.02, 400),
            np.arange(400),
            rng.integers(0, 10**6, 400),
            np.full(400, 3.0),
        ]
    )
    names = ["fine", "clicked", "row", "shop_id", "same"]
    data = RankingDataset.from_arrays(
        X, y, np.repeat(np.arange(40), 10), feature_names=names
    )
    kinds = {one.columns: one.kind for one in of_features(data)}
    assert kinds == {
        ("clicked",): "leak",
        ("row",): "row number",
        ("shop_id",): "identifier",
        ("same",): "constant",
    }


def test_every_kind_has_a_default_and_every_option_is_known():
    options = {"ignore", "skip_lines", "missing", "unjudged", "duplicates"}
    options |= {"normalise", "shared"}
    for kind in KINDS.values():
        assert kind.remedies
        for remedy in kind.remedies.values():
            assert remedy.option in options | {""}
            assert kind.weight != "error" or remedy.option


def test_where_all_features_are_suspicious_they_stay_by_default():
    data = RankingDataset.from_arrays(
        np.arange(40.0)[:, None], np.arange(40) % 3, np.arange(40) // 4
    )
    (one,) = of_features(data)
    assert (one.kind, list(one.remedies)) == ("row number", ["keep", "ignore"])
    assert chosen_options([one], defaults([one])) == {}
