"""Uploads: from files to a data set, errors reported line by line."""

import shlex
import warnings
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from pages.ui.data import datasets, in_use, upload
from pages.ui.data.datasets import PREFIX
from rankcore import DataError, RankingDataset, load_dataset, load_model
from rankcore.data.catalogue import Splits
from rankcore.data.uploads import FileStore, Newest
from rankcore.views import Notice, Table, Watched, flat
from tests import viewing
from tests.cli.conftest import rankscope
from tests.sick import sick_table
from tests.views.test_train import click, paused

__all__ = ["rankscope"]

ROOT = Path(__file__).parents[3]
INPUTS = ROOT / "tests" / "inputs"
LETOR = b"2 qid:1 1:0.5 2:3\n0 qid:1 1:0.1 2:3\n1 qid:2 1:0.9 2:3\n0 qid:2 1:0 2:3\n"
BROKEN = b"2 qid:1 1:0.5\n0 qid:1 1:oops\n"
TABLE = b"grade,topic,f\n2,a,0.5\n0,a,0.1\n1,b,0.4\n"
SHOP = b"label,query,price,stars\n" + b"".join(
    b"%d,q%d,%d,%d\n" % (document % 3, query, query + document, document)
    for query in range(30)
    for document in range(4)
)


@pytest.fixture
def uploaded(run_page):
    """The Data page with files uploaded."""

    def given(**files: bytes):
        page = run_page("data")
        named = [(name.replace("__", "."), content) for name, content in files.items()]
        box = page.file_uploader(key="upload")
        box.set_value([(name, content, "text/plain") for name, content in named])
        page.run()
        assert not page.exception
        return page

    return given


def said(page):
    """What the page says of the file, as a person reads it."""
    return page.success[0].value.replace("\\", "")


def test_a_file_is_split_by_query(uploaded):
    assert said(uploaded(shop__csv=SHOP)) == (
        "shop.csv loaded: 30 queries, 120 documents, 2 features, split 60/20/20 into "
        "training, validation and test."
    )


def test_a_file_becomes_the_chosen_data(uploaded):
    page = uploaded(mine__txt=LETOR)
    assert said(page) == (
        "mine.txt loaded: 2 queries, 4 documents, 2 features, too few queries to split."
    )

    page.run()
    assert not page.exception
    assert page.selectbox(key="data#1").value.startswith(PREFIX)
    assert page.query_params["data"].startswith(PREFIX)
    assert "f2" in page.warning[0].value
    assert "use_upload" not in [button.key for button in page.button]


def test_several_files_become_the_splits_their_names_say(uploaded):
    page = uploaded(my_test__txt=LETOR, my_train__txt=LETOR, my_vali__txt=LETOR)
    assert said(page) == (
        "my_train.txt, my_vali.txt, my_test.txt loaded: 6 queries, 12 documents, "
        "2 features."
    )

    page.run()
    assert not page.exception
    assert any("2 training queries" in caption.value for caption in page.caption)


def test_a_corrected_file_takes_the_place_of_the_one_before(uploaded):
    page = uploaded(mine__txt=BROKEN, better__txt=LETOR)

    assert not page.error
    assert said(page).startswith("better.txt loaded: 2 queries")


def test_a_broken_file_gets_line_column_and_remedy(uploaded):
    page = uploaded(bad__txt=BROKEN)

    assert "bad.txt" in page.error[0].value.replace("\\", "")
    assert "line 2" in page.error[0].value
    assert "column" in page.error[0].value
    assert not page.success


def choose(page, **roles):
    """Choose the roles of columns in their menus."""
    for name, role in roles.items():
        page.selectbox(key=f"upload_role {name.replace('__', ' ')}").set_value(role)
    return page.run()


def captions(page):
    return [caption.value.replace("\\", "") for caption in page.caption]


def apply_all(page, **remedies):
    """Choose remedies of kinds of findings, and apply all."""
    for kind, remedy in remedies.items():
        (menu,) = (
            box
            for box in page.selectbox
            if str(box.key).startswith("upload_remedy")
            and str(box.key).endswith(f" {kind.replace('_', ' ')}")
        )
        menu.set_value(remedy)
    page.button(key="upload_apply").click().run()
    assert not page.exception
    return page


def test_missing_values_are_asked_about_with_their_share(uploaded):
    lacking = SHOP.replace(b",5,1\n", b",5,\n", 1)
    page = uploaded(shop__csv=lacking)
    assert "is missing" in page.error[0].value
    assert "1 of 120 rows: stars 1; line 19" in captions(page)
    assert "data" not in page.query_params

    apply_all(page, missing="zero")
    assert not page.error
    assert any("counts as 0" in warning.value for warning in page.warning)
    files = datasets.files(page.query_params["data"])
    assert files.options["missing"] == "zero"
    assert "--missing zero" in " ".join(files.words())


def test_a_file_with_hundreds_of_problems_is_cured_in_one_upload(
    uploaded, tmp_path, monkeypatch, rankscope
):
    page = uploaded(sick__csv=sick_table())
    assert page.error
    assert not page.success
    apply_all(page, unjudged="drop")
    assert not page.error
    files = datasets.files(page.query_params["data"])
    splits = datasets.load(page.query_params["data"])
    assert splits.train.feature_names == ("price", "size", "weight")
    assert page.query_params["normalise"] == "standard"
    assert page.button(key="upload_apply").disabled

    command, python = (block.value for block in page.code[-2:])
    (tmp_path / "sick.csv").write_bytes(sick_table())
    monkeypatch.chdir(tmp_path)
    made: dict = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(python, made)
    scaled = splits.normalise("standard")
    for result, other in zip(made["data"], scaled, strict=True):
        assert result.fingerprint == other.fingerprint
    assert command == files.command("standard")
    words = [*shlex.split(command)[1:], "--max-iter", "1", "--json"]
    trained = rankscope(*words)
    assert trained.code == 0, trained.err
    assert trained.json["fingerprint"] == scaled.train.fingerprint


def test_queries_in_two_splits_stay_in_the_first(uploaded):
    other = SHOP.splitlines(keepends=True)[0] + b"".join(
        b"%d,%s,%d,%d\n" % (d % 2, query, d**2, 5 * d + n)
        for n, query in enumerate([b"q7", b"r1", b"r2"])
        for d in range(4)
    )
    page = uploaded(my_train__csv=SHOP, my_test__csv=other)
    assert "1 of 33 queries: q7 (training) = q7 (test)" in captions(page)
    apply_all(page)
    splits = datasets.load(page.query_params["data"])
    assert "q7" in splits.train.query_ids
    assert "q7" not in splits.test.query_ids
    assert "--shared drop" in " ".join(datasets.words(page.query_params["data"]))


def chosen(page, label):
    """The choice of this name."""
    return next(one for one in page.get("button_group") if one.label == label)


def kept_files(page):
    """The files of the data that is shown."""
    return datasets.files(page.query_params["data"])


def test_the_encoding_is_chosen_where_text_is_not_in_utf8(uploaded):
    page = uploaded(shop__csv=SHOP.replace(b"q1,", "Küche,".encode("cp1252")))
    assert "0xFC is not text in UTF-8" in page.error[0].value
    chosen(page, "Encoding of the text").set_value("windows-1252").run()
    assert not page.exception
    assert not page.error
    assert "30 queries, 120 documents" in said(page)
    files = kept_files(page)
    assert "--encoding windows-1252" in " ".join(files.words())
    assert files.python("train").startswith("read('shop.csv'")


def test_a_table_without_a_header_is_read_by_choice(uploaded):
    page = uploaded(shop__tsv=(INPUTS / "B29_no_header.tsv").read_bytes())
    assert "There is no header line with" in page.error[0].value
    chosen(page, "The first line holds").set_value("none").run()
    assert not page.exception
    assert not page.error
    assert "1 query, 2 documents, 2 features" in said(page)
    assert "--no-header" in kept_files(page).words()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rates__txt", (INPUTS / "B4_fraction_labels.txt").read_bytes()),
        ("rates__csv", b"label,qid,f\n0.6,1,0.5\n0.3,1,0.1\n0,1,0\n"),
    ],
)
def test_fractional_labels_are_mapped_to_grades_by_choice(uploaded, name, text):
    page = uploaded(**{name: text})
    assert page.error
    box = next(one for one in page.text_input if one.label == "Grades of the labels")
    box.set_value("0.6, 0.3").run()
    assert "are not ascending numbers" in page.error[0].value
    box = next(one for one in page.text_input if one.label == "Grades of the labels")
    box.set_value("0.3, 0.6").run()
    assert not page.exception
    assert not page.error
    files = kept_files(page)
    assert "--labels 0.3, 0.6" in " ".join(files.words())
    assert datasets.UPLOADS.get(page.query_params["data"]).splits.train.y.tolist() == [
        *(2, 1, 0)
    ]


def test_sizes_of_queries_are_uploaded_beside_the_text(uploaded):
    file = INPUTS / "B8_no_qid.txt"
    sizes = Path(f"{file}.query").read_bytes()
    page = uploaded(b__txt=file.read_bytes(), b__txt__query=sizes)
    assert "2 queries, 4 documents" in said(page)
    assert kept_files(page).words()[0] == "b.txt"
    assert "only query sizes" in uploaded(b__txt__query=sizes).error[0].value
    wrong = uploaded(b__txt=file.read_bytes(), b__txt__query=b"2\n3\n")
    assert "sizes of the queries add up to 5" in wrong.error[0].value


def test_detected_columns_of_a_table_are_said_and_can_be_changed(uploaded):
    page = uploaded(shop__csv=SHOP)
    assert "Query: query · Label: label · Features: 2" in captions(page)
    assert page.selectbox(key="upload_role label").value == "label"
    assert "Its name is usual for this." in captions(page)

    page = uploaded(t__csv=TABLE.replace(b"grade", b"stars"))
    assert "No column is the label. Open Columns" in page.error[0].value
    choose(page, stars="label")
    assert not page.exception
    assert "2 queries, 3 documents, 1 feature," in said(page)
    assert "You chose this. Detected: feature." in captions(page)

    choose(page, f="label")
    assert "'stars' and 'f' are both the label" in page.error[0].value


def test_a_feature_that_may_be_none_is_left_out_by_one_click(uploaded):
    rows = b"".join(
        b"%d,q%d,%d,%d\n" % (place % 3, place // 4, place, place**2 % 7)
        for place in range(40)
    )
    page = uploaded(shop__csv=b"label,query,row,f\n" + rows)
    assert "row" in captions(page)
    assert "2 features" in said(page)

    apply_all(page)
    assert "1 feature," in said(page)
    assert datasets.files(page.query_params["data"]).options["ignore"] == ["row"]
    # The role that a person gives a column counts for more than a remedy.
    choose(page, row="document")
    assert not page.exception
    assert not page.error
    assert "1 feature," in said(page)
    assert "ignore" not in datasets.files(page.query_params["data"]).options


def test_the_meaning_of_the_labels_is_said(uploaded):
    page = uploaded(shop__csv=SHOP)
    assert (
        "Labels, with their documents: 0 = irrelevant (60), 1 (30), "
        "2 = most relevant (30)." in captions(page)
    )


def test_of_many_columns_those_to_ignore_are_chosen(uploaded):
    names = [f"f{n}" for n in range(20)]
    rows = [",".join(["label", "qid", "word", *names])]
    rows += [",".join([str(n % 2), str(n // 2), "a b", *["1"] * 20]) for n in range(12)]
    page = uploaded(wide__csv="\n".join(rows).encode())
    assert "Query: qid · Label: label · Features: 20 · Ignored: 1" in captions(page)

    (others,) = (box for box in page.multiselect if box.key == "upload_ignored")
    others.set_value(["f18", "f19"]).run()
    assert "18 features" in said(page)


def test_a_file_is_parsed_once(uploaded, monkeypatch):
    parsed = []
    result = upload.read
    monkeypatch.setattr(
        upload,
        "read",
        lambda *given, **named: parsed.append(1) or result(*given, **named),
    )
    page = uploaded(shop__csv=SHOP)
    page.text_input(key="upload_shares").input("80/20").run()
    assert said(page).endswith("split 80/20 into training and validation.")
    assert len(parsed) == 1

    choose(page, price="ignore")
    assert len(parsed) == 2


def test_one_fold_of_several_becomes_the_data(uploaded):
    page = uploaded(shop__csv=SHOP)
    (kind,) = (box for box in page.selectbox if box.label == "Split the file")
    kind.set_value("k folds").run()
    page.number_input(key="upload_fold 5").set_value(2).run()
    assert said(page).endswith("split 2-of-5 into training, validation and test.")
    assert any("Fold 2 is for testing, fold 3" in text for text in captions(page))

    result = datasets.UPLOADS.get(page.query_params["data"])
    assert [part.n_queries for part in result.splits] == [18, 6, 6]
    assert result.info.title == "shop.csv, fold 2 of 5"
    assert result.files.words()[1:] == ["--divide", "2-of-5", "--divide-seed", "0"]
    assert result.files.python("valid").endswith(".fold(2, 5, seed=0)[1]")


def test_what_is_only_tried_does_not_take_the_room_of_other_data(uploaded):
    used = datasets.upload(
        Splits(load_dataset("toy-2d").train), datasets.Files({"train": "mine"})
    )
    page = uploaded(shop__csv=SHOP.replace(b"q29", b"only here"))
    before = page.query_params["data"]
    for seed in range(1, 12):
        page.number_input(key="upload_seed").set_value(seed).run()
        assert not page.exception
        assert page.query_params["data"] != before
        assert datasets.missing(before)
        before = page.query_params["data"]
    assert datasets.UPLOADS.get(used) is not None
    assert not any("not here" in warning.value for warning in page.warning)


def test_other_data_can_be_chosen_beside_an_upload(uploaded):
    page = uploaded(shop__csv=SHOP)
    data = page.query_params["data"]
    page.selectbox(key="data#1").set_value("toy-2d").run()
    assert page.query_params["data"] == "toy-2d"
    page.button(key="use_upload").click().run()
    assert page.query_params["data"] == data


def test_a_link_to_an_upload_works_once_the_file_is_used_again(uploaded, monkeypatch):
    page = uploaded(shop__csv=SHOP)
    monkeypatch.setattr(datasets, "UPLOADS", Newest(8, 64))
    page.run()
    assert any("not here" in warning.value for warning in page.warning)
    page.button(key="use_upload").click().run()
    page.run()
    assert not any("not here" in warning.value for warning in page.warning)
    assert "use_upload" not in [button.key for button in page.button]


def test_a_full_server_says_so_where_data_is_to_be_used(uploaded, monkeypatch):
    full = Newest(8, 1)
    full.keep("another", None, "another")
    monkeypatch.setattr(datasets, "UPLOADS", full)
    page = uploaded(shop__csv=SHOP)
    assert not page.exception
    assert "no room for another one" in page.toast[0].value
    assert "data" not in page.query_params


BY_COLUMN = b"label,query,price,part,segment\n" + b"".join(
    b"%d,q%d,%d,%s,%s\n"
    % (
        d % 3,
        q,
        q + d,
        [b"train", b"vali", b"test"][q % 3],
        b"head" if q % 2 else b"tail",
    )
    for q in range(30)
    for d in range(4)
)


def test_a_column_splits_the_data(uploaded):
    page = uploaded(shop__csv=BY_COLUMN)
    assert page.selectbox(key="upload_role segment").value == "group"
    assert said(page).endswith("split column:part into training, validation and test.")
    result = datasets.UPLOADS.get(page.query_params["data"])

    assert [part.n_queries for part in result.splits] == [10, 10, 10]
    assert set(result.splits.test.query_groups["segment"]) == {"head", "tail"}
    assert shlex.join(result.files.words()) == (
        "shop.csv --group part --group segment --divide column:part"
    )


def test_a_score_in_use_is_no_feature(uploaded):
    rows = BY_COLUMN.splitlines()
    header, *rest = (
        row + (b",%d.5" % at if at else b",live_score") for at, row in enumerate(rows)
    )
    page = uploaded(shop__csv=b"\n".join([header, *rest]))
    assert page.selectbox(key="upload_role live_score").value == "score"
    assert "Scores in use: live\\_score" in " ".join(one.value for one in page.caption)
    page.selectbox(key="upload_role price").select("score").run()
    assert "There is no feature column" in page.error[0].value
    page.selectbox(key="upload_role price").select("feature").run()
    result = datasets.UPLOADS.get(page.query_params["data"])
    test = result.splits.test

    assert test.feature_names == ("price",)
    assert (test.doc_scores["live_score"] == test.rows + 1.5).all()
    assert "--score live_score" in shlex.join(result.files.words())
    assert "score=['live_score']" in result.files.python("test")
    names = in_use.names(test)
    assert names["column:live_score"] == "Score column: live_score"
    assert names["column:price"] == "Feature: price"
    used = in_use.scores("column:live_score", test)
    assert used.tolist() == test.doc_scores["live_score"].tolist()


BAD_LINES = SHOP.replace(b"0,q3,3,0", b"0,q3,3,many").replace(
    b"1,q9,10,1", b"many,q9,10,1"
)


def test_all_problems_are_shown_and_their_lines_skipped(
    uploaded, tmp_path, monkeypatch
):
    page = uploaded(shop__csv=BAD_LINES)
    value = page.error[0].value.replace("\\", "")
    assert value.startswith("shop.csv: 2 problems, in")
    assert "- line 14, column stars: The value 'many' is not a finite number." in value
    (table,) = (one.value for one in page.dataframe if "remedy" in one.value)
    assert table["line"].tolist() == [14, 39]
    assert table["column"].tolist() == ["stars", "label"]

    apply_all(page)
    assert said(page).endswith("2 lines skipped: 14,39.")
    result = datasets.UPLOADS.get(page.query_params["data"])
    assert sum(part.n_documents for part in result.splits) == 118
    assert result.splits.train.name == "shop without 2 lines"
    assert result.info.description.endswith(" 2 lines skipped: 14,39.")
    words = result.files.words()
    assert words[1:3] == ["--skip-lines", "14,39"]

    (tmp_path / "shop.csv").write_bytes(BAD_LINES)
    monkeypatch.chdir(tmp_path)
    made: dict = {}
    exec(f"from rankcore import read_table\nd = {result.files.python('train')}", made)
    assert made["d"].fingerprint == result.splits.train.fingerprint


def test_the_problems_of_all_files_are_shown(uploaded):
    page = uploaded(my_train__csv=BAD_LINES, my_vali__csv=SHOP, my_test__txt=BROKEN)
    result = page.error[0].value.replace("\\", "")
    assert result.startswith("my_train.csv, my_test.txt: 3 problems, in")
    assert "- my_train.csv, line 39, column label: " in result
    assert "- my_test.txt, line 2, column " in result
    (table,) = (one.value for one in page.dataframe if "remedy" in one.value)
    assert table["file"].tolist() == ["my_train.csv", "my_train.csv", "my_test.txt"]


def test_all_problems_of_judgements_are_shown(uploaded):
    wrong = QRELS + b"0 0 d0 many\n9 0 d36\n"
    page = uploaded(log__ndjson=LOG, judged__txt=wrong)
    result = page.error[0].value.replace("\\", "")
    assert result.startswith("judged.txt: 2 problems, in")
    assert "- line 31, column 4: The label 'many'" in result
    assert "- line 32, column 4: The line has 3 words, not 4." in result


def test_a_box_whose_names_change_is_another_one(uploaded):
    """A browser reports the name that its box shows."""
    page = uploaded()
    assert page.selectbox(key="query#0").options[0] == "query 1"
    page.file_uploader(key="upload").set_value([("shop.csv", SHOP, "text/plain")])
    page.run()
    assert page.selectbox(key="query#1").options[0].startswith("query q")


def test_problems_that_are_not_confined_to_lines_are_only_shown(uploaded):
    page = uploaded(shop__csv=SHOP + b'1,"q1,2,3\n')
    assert "mark is not closed" in page.error[0].value
    assert "upload_apply" not in [button.key for button in page.button]


def test_text_of_a_file_is_shown_as_text(uploaded):
    page = uploaded(**{"**x**.txt": b"0 qid:<b>x</b> 1:zero\n"})

    assert r"\*\*x\*\*" in page.error[0].value


def test_how_a_file_is_split_can_be_said(uploaded):
    page = uploaded(shop__csv=SHOP)
    page.text_input(key="upload_shares").input("80/20")
    page.number_input(key="upload_seed").set_value(7).run()
    assert said(page).endswith("split 80/20 into training and validation.")
    result = datasets.UPLOADS.get(page.query_params["data"])

    assert [part and part.n_queries for part in result.splits] == [24, 6, None]
    assert result.files.words()[-4:] == ["--divide", "80/20", "--divide-seed", "7"]

    page.text_input(key="upload_shares").input("80/30").run()
    assert "'80/30' is not a split. Write percentages" in page.error[0].value


LOG = b"".join(
    b'{"qid": %d, "id": "d%d", "[features]": "bm25=%d"}\n' % (n // 4, n, n % 4)
    for n in range(40)
)
QRELS = b"".join(b"%d 0 d%d %d\n" % (n // 4, n, n % 3) for n in range(40) if n % 4)


def test_a_feature_log_takes_its_judgements_from_the_file_beside_it(
    uploaded, monkeypatch
):
    page = uploaded(log__ndjson=LOG)
    assert "No document of the log has a label" in page.error[0].value
    page.file_uploader(key="upload_judgements").set_value(
        ("added.txt", QRELS, "text/plain")
    )
    page.run()
    assert not page.exception
    assert not page.error
    assert said(page).startswith("log.ndjson loaded: 10 queries, 40 documents")

    # Here, whose of two visitors' equal uploads is meant cannot be told.
    monkeypatch.setattr(datasets, "UPLOADS", Newest(8, 64))
    page = uploaded(log__ndjson=LOG, judged__txt=QRELS)
    assert said(page) == (
        "log.ndjson loaded: 10 queries, 40 documents, 1 feature, 10 documents without "
        "judgement, split 60/20/20 into training, validation and test."
    )
    files = datasets.UPLOADS.get(page.query_params["data"]).files
    assert shlex.join(files.words()) == (
        "log.ndjson --judgements judged.txt --divide 60/20/20 --divide-seed 0"
    )
    assert files.python("train") == (
        "read_feature_log('log.ndjson', judgements='judged.txt')"
        ".split((0.6, 0.2, 0.2), seed=0)[0]"
    )


def first_rows(page):
    """The table of the first rows."""
    (table,) = (one.value for one in page.dataframe if "document" in one.value)
    return table


def test_the_first_rows_of_letor_text_and_logs_are_shown(uploaded):
    table = first_rows(uploaded(mine__txt=LETOR))
    assert table.columns.tolist() == ["query", "document", "label", "f1", "f2"]
    assert table["label"].tolist() == [2, 0, 1, 0]
    assert table["document"].tolist() == ["d1", "d2", "d1", "d2"]

    # Of what cannot be read, those before.
    page = uploaded(bad__txt=BROKEN)
    assert page.error
    assert first_rows(page)["f1"].tolist() == [0.5]

    table = first_rows(uploaded(log__ndjson=LOG, judged__txt=QRELS))
    assert table.columns.tolist() == ["query", "document", "label", "bm25"]
    assert table["label"].isna().tolist()[:5] == [True, False, False, False, True]
    page = uploaded(log__ndjson=LOG, judged__txt=QRELS + b"0 0 d0 many\n")
    assert page.error
    assert first_rows(page)["label"].isna().all()

    page = uploaded(none__txt=b"nothing\n")
    assert not any(one.key == "upload_rows" for one in page.dataframe)


def test_the_example_log_is_data_by_one_click(run_page, monkeypatch):
    page = run_page("data")
    page.button(key="use_example_log").click().run()
    assert not page.exception
    result = datasets.UPLOADS.get(page.query_params["data"])
    assert result.info.title == "log.ndjson"
    assert [part.n_queries for part in result.splits] == [9, 3, 3]
    assert "Apache-2.0" in result.info.origin

    # The guide's own commands: the terminal trains the same.
    monkeypatch.chdir(ROOT)
    assert shlex.join(result.files.words()) == (
        "data/shop-log/log.ndjson --judgements data/shop-log/qrels.txt "
        "--divide 60/20/20 --divide-seed 0"
    )
    made: dict = {}
    read = f"from rankcore import read_feature_log\nd = {result.files.python('test')}"
    exec(read, made)
    assert made["d"].fingerprint == result.splits.test.fingerprint


def test_the_page_shows_an_upload_that_training_can_open(run_page):
    page = run_page("data", normalise="zscore")
    box = page.file_uploader(key="upload")
    box.set_value([("shop.csv", SHOP, "text/plain")]).run()
    gone = {key: page.query_params[key] for key in ("data", "normalise")}
    assert gone["normalise"] == "zscore"
    untouched = run_page("data")
    box = untouched.file_uploader(key="upload")
    box.set_value([("shop.csv", SHOP, "text/plain")]).run()
    assert untouched.query_params["normalise"] == "standard"
    assert datasets.UPLOADS.get(gone["data"]).info.title == "shop.csv"
    train = run_page("train", **gone)
    assert not train.exception
    assert train.selectbox(key="data#0").value == gone["data"]


def test_a_corrected_column_can_be_used(uploaded):
    page = uploaded(shop__csv=SHOP.replace(b",price,", b",title,"))
    choose(page, title="ignore")
    without = page.query_params["data"]
    choose(page, title="text")

    result = datasets.UPLOADS.get(page.query_params["data"])
    assert page.query_params["data"] != without
    assert result.splits.train.doc_texts is not None


def test_judgements_that_were_only_added_can_be_used(uploaded):
    page = uploaded(log__ndjson=LOG, judged__txt=QRELS)
    first = page.query_params["data"]
    # Documents without a judgement have the label 0 already.
    irrelevant = b"".join(b"%d 0 d%d 0\n" % (n // 4, n) for n in range(0, 40, 4))
    box = page.file_uploader(key="upload")
    named = [("log.ndjson", LOG), ("more.txt", QRELS + irrelevant)]
    box.set_value([(name, content, "text/plain") for name, content in named])
    page.run()

    result = datasets.UPLOADS.get(page.query_params["data"])
    assert page.query_params["data"] != first
    assert result.splits.train.n_judged == result.splits.train.n_documents


@pytest.mark.parametrize(
    "beside",
    [
        {"doc_texts": ("cup", "mug")},
        {"query_texts": ("tea",)},
        {"query_groups": {"segment": ("head",)}},
        {"doc_scores": {"used": [0.5, 0.25]}},
        {"judged": [True, False]},
        {"normalisation": "minmax"},
    ],
    ids=lambda beside: next(iter(beside)),
)
def test_the_name_of_an_upload_is_of_all_that_it_holds(beside):
    plain = RankingDataset.from_arrays([[1.0], [0.0]], [1, 0])
    names = [
        datasets.upload_name(Splits(data)) for data in (plain, replace(plain, **beside))
    ]
    assert len(set(names)) == 2


@pytest.fixture
def partly_judged(uploaded):
    """The name of an upload of whose documents a quarter has no judgement."""
    page = uploaded(log__ndjson=LOG, judged__txt=QRELS)
    return page.query_params["data"]


def of_judged(shown):
    """What a view says of documents without judgement, and its table."""
    blocks = list(flat(shown.blocks))
    values = [block.text for block in blocks if isinstance(block, Notice)]
    tables = [b for b in blocks if isinstance(b, Table) and b.key == "unjudged"]
    return [text for text in values if "no judgement" in text], tables


def test_training_says_how_much_of_its_figures_is_judged(partly_judged):
    train = viewing.view("train", "Run")
    settings = viewing.values(
        train, data=partly_judged, RSRank__max_iter=3, measure="P@4"
    )
    run = train.work.run(settings)
    list(run)
    ended = train.show(settings, Watched("one", "A run", "finished", None, run))
    (said_of,), (table,) = of_judged(ended)

    # Of each query's four documents, the first has no judgement.
    assert said_of == (
        "2 of 8 validation documents have no judgement and count as irrelevant."
    )
    (row,) = table.rows
    assert (row["measure"], row["% judged"]) == ("P@4", 75.0)
    assert row["judged only"] == row["all documents"]
    assert 0.0 <= row["bpref"] <= 1.0
    active = train.show(settings, Watched("one", "A run", "running", None, run))
    assert of_judged(active) == ([], [])


def test_a_race_says_how_much_of_its_figures_is_judged(partly_judged):
    race = viewing.view("train", "Race")
    settings = {"data": partly_judged, "racers": ("RSRank", "ListNet"), "race_limit": 2}
    result, (table,) = of_judged(viewing.shown(race, **settings))
    assert len(result) == 1
    assert [row["model"] for row in table.rows] == ["RSRank", "ListNet"]


def test_the_inspector_says_how_much_of_its_split_is_judged(partly_judged):
    query = viewing.view("inspect", "Query")
    settings = {"data": partly_judged, "part": "train"}
    result, (table,) = of_judged(viewing.shown(query, **settings, beside="file"))
    assert result[0].startswith("6 of 24 training documents have no judgement")
    assert [row["model"] for row in table.rows][1:] == ["File"]
    _, (alone,) = of_judged(viewing.shown(query, **settings, beside="ideal"))
    assert "model" not in alone.rows[0]
    assert of_judged(viewing.shown(query, data="toy-2d")) == ([], [])


def test_a_comparison_before_export_says_how_much_is_judged(partly_judged, run_page):
    page = run_page("train", data=partly_judged, algorithm="RSRank")
    click(page, "step_1")
    paused(page)
    page.session_state["export_model"] = True
    page.run()
    against = page.selectbox(key="export_against")
    against.select(next(one for one in against.options if "bm25" in one)).run()
    page.run()
    assert not page.exception
    tables = [one.value for one in page.dataframe if "bpref" in one.value]
    (table,) = (one for one in tables if "model" in one)
    assert table["model"].tolist() == ["in use", "this model"]
    assert any("2 of 8 test documents have no judge" in text for text in captions(page))


NAMED = SHOP.replace(b"label,query", b"stars given,topic").replace(b"price", b"cost")


@pytest.fixture
def named(uploaded):
    """The name of an uploaded table whose label and query columns a person named."""
    page = uploaded(**{"my shop__csv": NAMED})
    choose(page, stars__given="label", topic="query")
    return page.query_params["data"]


@pytest.fixture
def beside(tmp_path, monkeypatch):
    """Work where the file is."""
    (tmp_path / "my shop.csv").write_bytes(NAMED)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("normalise", ["as given", "minmax"])
def test_the_command_trains_the_same_in_a_terminal(named, beside, rankscope, normalise):
    train = viewing.view("train", "Run")
    settings = viewing.values(
        train, data=named, normalise=normalise, seed=3, RSRank__max_iter=12
    )
    run = train.work.run(settings)
    list(run)
    shown = train.show(settings, Watched("one", "A run", "finished", None, run))
    program, *words = shlex.split(shown.command)
    report = rankscope(*words, "--out", "model.json", "--json").json

    assert program == "rankscope"
    assert "--divide 60/20/20 --divide-seed 0" in shown.command
    assert report["fingerprint"] == run.train.fingerprint
    assert load_model("model.json").coef_.tolist() == run.best.coef.tolist()
    curve, result = pd.read_csv("model.history.csv"), run.history.to_frame()
    for column in ("objective", "train nDCG@10", "valid nDCG@10"):
        assert curve[column].tolist() == result[column].tolist()


@pytest.mark.parametrize("part", ["train", "valid", "test"])
def test_the_python_command_gives_the_split(named, beside, part):
    shown = viewing.shown(
        viewing.view("data", "Data set"), data=named, part=part, normalise="zscore"
    )
    made: dict = {}
    exec(shown.python, made)

    (exported,) = shown.tables.values()
    pd.testing.assert_frame_equal(made["dataset"].to_frame(), exported())


def test_several_files_are_named_in_the_command():
    files = datasets.Files({"train": "a.txt", "valid": "my b.txt", "test": "c.txt"})

    assert shlex.join(files.words()) == "a.txt --valid 'my b.txt' --test c.txt"
    assert files.python("test") == ""


def test_rankings_are_said_to_match_the_data_and_lead_to_compare(run_page):
    page = run_page("data", data="toy-2d")
    valid = load_dataset("toy-2d").valid
    query = valid.query(0)
    rows = [f"{query.id},{name},{n}" for n, name in enumerate(query.doc_ids)]
    text = "\n".join(["query,document,score", *rows])
    page.file_uploader(key="upload_rankings").set_value(
        [("bm25.csv", text.encode(), "text/csv")]
    ).run()
    assert not page.exception
    (sentence,) = (c.value for c in page.caption if c.value.startswith("bm25.csv"))
    assert f"ranks 1 of {valid.n_queries} validation queries of toy-2d" in sentence
    assert f"and {len(query)} documents." in sentence
    page.file_uploader(key="upload_rankings").set_value(
        [("bad.run", b"q Q0 d 1 high x\n", "text/plain")]
    ).run()
    assert "bad.run, line 1, column 5" in page.error[0].value


def test_rankings_with_judgements_of_their_own_become_data(run_page):
    page = run_page("data", data="toy-2d")
    runs = {"one.run": "q1 Q0 A 1 2 x\nq1 Q0 B 2 1 x\n", "two.run": "q1 Q0 B 1 9 x\n"}
    values = [(name, text.encode(), "text/plain") for name, text in runs.items()]
    page.file_uploader(key="upload_rankings").set_value(values).run()
    assert "ranks none of the validation queries" in page.caption[-2].value
    judged = [("qrels.txt", b"q1 0 A 1\nq1 0 C 2\n", "text/plain")]
    page.file_uploader(key="ranking_judgements").set_value(judged).run()
    page.button(key="use_ranked").click().run()
    assert not page.exception
    data = datasets.load(page.session_state["data"]).train
    assert data.feature_names == ("one.run", "two.run")
    assert data.doc_ids == ("A", "C", "B")
    assert data.y.tolist() == [1, 2, 0]
    assert "ranks the only training query of judged and" in page.caption[-2].value


def test_files_are_kept_once_under_titles_without_markup():
    read = []
    store = FileStore("x-", lambda content, name: read.append(name), lambda: "me", 3, 9)
    first = store.add(b"1", "_a_*b*_c.run")
    assert first.title == "-a--b--c.run"
    assert store.add(b"1", "other.run") == first
    assert len(read) == 1
    second = store.add(b"2", "_a_*b*_c.run")
    assert second.title == f"{first.title} ({second.name[2:6]})"
    assert list(store.names().values()) == [
        f"File: {second.title}", f"File: {first.title}",
    ]  # fmt: skip
    full = FileStore("x-", lambda content, name: None, iter("abc").__next__, 3, 1)
    with pytest.raises(DataError, match="too many files"):
        [full.add(b"%d" % n, "a") for n in range(2)]


def test_ratings_show_their_agreement_and_lead_to_compare(run_page):
    page = run_page("data", data="planted")
    table = b"query,document,judge,label\n1,a,Ann,2\n1,a,Bob,0\n2,b,Ann,1\n2,b,Bob,1\n"
    box = page.file_uploader(key="upload_ratings")
    box.set_value([("raters.csv", table, "text/csv")]).run()
    assert not page.exception
    lines = [one.value for one in page.caption]
    (sentence,) = (line for line in lines if line.startswith("2 documents, 2 raters"))
    assert "with ties for 1 document, which gets the lower grade" in sentence
    queries = page.dataframe[-1].value
    texts = [one.value for one in page.markdown]
    assert any(text.startswith("- Krippendorff's alpha (ord") for text in texts)
    assert queries["query"].tolist() == ["1", "2"]
    box = page.file_uploader(key="upload_ratings")
    box.set_value([("raters.csv", table[:-2] + b"x\n", "text/csv")]).run()
    assert "raters.csv, line 5" in page.error[0].value
