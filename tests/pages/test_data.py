import pytest

from pages.ui.datasets import PREFIX, UploadStore
from rankcore.catalogue import Splits
from rankcore.dataset import RankingDataset

LETOR = b"2 qid:1 1:0.5 2:3\n0 qid:1 1:0.1 2:3\n1 qid:2 1:0.9 2:3\n0 qid:2 1:0 2:3\n"
BROKEN = b"2 qid:1 1:0.5\n0 qid:1 1:oops\n"
TABLE = b"grade,topic,f\n2,a,0.5\n0,a,0.1\n1,b,0.4\n"


def warnings_of(page):
    return " ".join(warning.value for warning in page.warning)


@pytest.mark.parametrize("runner", ["run_page", "run_app"])
def test_data_draws_its_figures(request, runner, drawn):
    page = request.getfixturevalue(runner)("data")

    assert not page.exception
    assert page.title[0].value == "Data"
    charts = drawn(page)
    assert list(charts) == ["labels", "lengths", "spread"]
    assert all(chart["alt"] for chart in charts.values())


def test_a_link_chooses_data_part_and_query(run_page):
    page = run_page("data", data="planted", part="test", query="2", nobody="knows")

    assert not page.exception
    assert page.selectbox(key="choose_data").value == "planted"
    assert page.number_input(key="choose_query_0").value == 2
    assert page.session_state["part"] == "test"


def test_nonsense_in_a_link_falls_back_to_the_defaults(run_page):
    page = run_page("data", data="nothing", part="middle", query="-4", normalise="?")

    assert not page.exception
    assert page.selectbox(key="choose_data").value == "mslr10k-sample"
    assert page.selectbox(key="normalise").value == "as given"
    assert page.number_input(key="choose_query_0").value == 1


def test_a_query_beyond_the_last_one_is_brought_back(run_page):
    page = run_page("data", data="planted", query="64")
    page.session_state["part"] = "test"
    page.run()

    assert not page.exception


def test_an_uploaded_file_becomes_a_data_set(run_page):
    page = run_page("data")
    page.file_uploader(key="upload").upload("mine.txt", LETOR, "text/plain").run()

    assert "2 queries, 4 documents" in page.success[0].value.replace("\\", "")

    page.button(key="use_upload").click().run()
    assert not page.exception
    assert page.selectbox(key="choose_data").value.startswith(PREFIX)
    assert "cannot affect the ranking: f2" in warnings_of(page)


def test_several_files_become_the_parts_their_names_say(run_page):
    page = run_page("data")
    names = ("my_train.txt", "my_vali.txt", "my_test.txt")
    files = [(name, LETOR, "text/plain") for name in names]
    page.file_uploader(key="upload").set_value(files).run()
    assert "6 queries, 12 documents" in page.success[0].value.replace("\\", "")
    assert "in 3 parts" in page.success[0].value

    page.button(key="use_upload").click().run()
    assert not page.exception
    assert "2 training queries" in page.caption[1].value


def test_a_corrected_file_takes_the_place_of_the_one_before(run_page):
    page = run_page("data")
    files = [("mine.txt", BROKEN, "text/plain"), ("better.txt", LETOR, "text/plain")]
    page.file_uploader(key="upload").set_value(files).run()

    assert not page.error
    assert "better is fine: 2 queries" in page.success[0].value.replace("\\", "")


def test_a_preset_chooses_data_and_the_link_follows(run_page):
    page = run_page("data", data="toy-2d", normalise="minmax")
    page.pills(key="preset").set_value("A known truth").run()

    assert page.selectbox(key="choose_data").value == "planted"
    assert page.query_params["data"] == "planted"


def test_a_broken_file_gets_line_column_and_remedy(run_page):
    page = run_page("data")
    page.file_uploader(key="upload").upload("bad.txt", BROKEN, "text/plain").run()

    assert not page.exception
    assert "line 2" in page.error[0].value
    assert "column" in page.error[0].value


def test_columns_of_a_table_can_be_named(run_page):
    page = run_page("data")
    page.file_uploader(key="upload").upload("t.csv", TABLE, "text/csv").run()
    page.text_input(key="upload_label").input("grade")
    page.text_input(key="upload_query").input("topic").run()

    assert not page.exception
    assert "2 queries, 3 documents, 1 features" in page.success[0].value.replace(
        "\\", ""
    )


def test_a_link_to_a_missing_upload_asks_for_the_file(run_page):
    page = run_page("data", data="upload-0123abcd")

    assert not page.exception
    assert "upload-0123abcd" in warnings_of(page)
    assert "Upload the same file again" in warnings_of(page)
    assert page.selectbox(key="choose_data").value == "upload-0123abcd"


def test_file_text_is_shown_as_text(run_page):
    page = run_page("data")
    wild = b"0 qid:<b>x</b> 1:zero\n"
    page.file_uploader(key="upload").upload("**x**.txt", wild, "text/plain").run()

    assert r"\*\*x\*\*" in page.error[0].value


def test_the_store_forgets_the_oldest_upload():
    store = UploadStore(limit=2)
    names = [
        store.add(Splits(RankingDataset.from_arrays([[value], [2.0]], [0, 1])), "mine")
        for value in (0.0, 0.5, 1.0)
    ]

    assert store.get(names[0]) is None
    assert [info.name for info in store.infos()] == [names[2], names[1]]
