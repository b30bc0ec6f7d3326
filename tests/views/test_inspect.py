"""The Inspector: which model it shows, documents that are changed, links to it."""

import contextlib
import json
from types import SimpleNamespace

import numpy as np
import pytest

from pages.ui import examples
from pages.ui.data import datasets, inspecting, models, stored_runs
from pages.ui.serving import visitor
from pages.views.inspect import _models
from rankcore import LeastSquares, RankSVM, export, measures
from rankcore.base.errors import DataError
from rankcore.data.catalogue import Splits, load_dataset
from rankcore.data.dataset import RankingDataset
from rankcore.data.trec import qrels, trec_run
from rankcore.studies.models import model_to_json
from rankcore.training import Stop, drive
from rankcore.views import (
    Act,
    Caption,
    Go,
    Notice,
    Number,
    Panel,
    Popover,
    Table,
    TakeModel,
    Tiles,
    Values,
    Words,
    past,
    read,
)
from tests.viewing import at_first, blocks, panel, recorded, studied, values, view
from tests.viewing import page as page_named

QUERY = view("inspect", "Query")
SMALL = {"data": "toy-2d", "beside": "ideal", "measure": "nDCG"}


def shown(of, **chosen):
    """What a view shows before a study."""
    return at_first(of, values(of, **chosen))


def table(found, key):
    return next(t for t in blocks(found, Table) if t.key == key)


def change(name, now, value):
    """The settings after one of the controls of a document was moved."""
    row = next(row for row in QUERY.rows({}) if row.key == name)
    assert isinstance(row, Number)
    return row.writes(now, value)


def looking_at(run):
    """Settings of a visitor who looks at a run on the Train page."""
    raw = {**SMALL, "run": _models.ON_TRAIN}
    works = {_models.TRAIN: run, "its-id": run}
    return lambda **more: read(QUERY.rows(raw), raw | more, work=works.get)


@pytest.fixture(scope="module")
def trained():
    from rankcore import ListNet

    run = drive(
        ListNet(max_iter=5),
        load_dataset("toy-2d").train,
        stop=Stop(max_iterations=5),
        measures=("nDCG",),
    )
    for _ in run:
        pass
    return run


def test_it_opens_on_an_example_beside_another_one():
    result = shown(QUERY, data="planted")
    assert result.facts[0].note == "RSRank"
    picture = panel(result, "inspect_orders").picture
    names = [trace.get("name") for trace in picture.data]
    assert [name for name in names if name in ("model", "ideal", "second")] == [
        "model",
        "ideal",
        "second",
    ]
    assert "an example trained at once" in blocks(result, Caption)[0].text


def test_the_run_on_train_is_shown_at_any_iteration(trained):
    train = trained.train
    for name in (_models.ON_TRAIN, "its-id"):
        for at, record in (
            ("best", trained.best),
            ("last", trained.history[-1]),
            ("2", trained.history[2]),
        ):
            now = looking_at(trained)(run=name, at=at)
            rows = panel(QUERY.show(now), "inspect_orders").picture.numbers()
            query = train.query(0)
            scores = query.X @ record.coef
            assert [row["score"] for row in rows] == pytest.approx(sorted(scores)[::-1])


def test_importance_is_measured_for_both_models():
    now = values(QUERY, **SMALL | {"beside": "LeastSquares", "run": "RankSVM"})
    study = studied(QUERY, now)
    result = QUERY.show(now, study)

    assert QUERY.no_study(now) is None
    rows = panel(result, "inspect_importance").picture.numbers()
    assert set(rows["model"]) == {"RankSVM", "Least squares"}
    assert "Mean of 20 permutations" in blocks(result, Caption)[-1].text
    # What is shown of one query changes nothing.
    other = {"query": 2, "find": "x", "inspect_rows": 5}
    assert QUERY.studied(now, {}) == QUERY.studied(now | other, {})
    again = studied(QUERY, now | {"importance_by": "refit", "part": "valid"})
    assert again.done == again.total == study.total


def test_importance_says_why_it_is_not_measured(trained):
    feature = load_dataset("toy-2d").train.feature_names[0]
    text = f"## RankBoost\n## 1 is {feature}\n1:0.5:1.5\n"
    name = models.MODELS.add(text.encode(), "ranklib.txt").name
    chosen = {"run": name, "beside": "ideal", "importance_by": "refit"}
    assert "only linear models can" in QUERY.no_study(values(QUERY, **SMALL | chosen))
    gone = values(QUERY, **SMALL, run="no-such-run")
    assert QUERY.no_study(gone).endswith(".")


def test_a_model_file_is_shown(trained):
    from rankcore import ListNet

    text = model_to_json(ListNet().load_run(trained))
    name = models.MODELS.add(text.encode(), "mine.json").name
    assert _models.names(values(QUERY, **SMALL))[name] == "File: mine.json"
    result = shown(QUERY, **SMALL, run=name)
    assert "from mine.json" in blocks(result, Caption)[0].text
    assert _models.data_of(name, values(QUERY)) == {
        "data": "toy-2d",
        "normalise": "as given",
        "without": (),
    }


@pytest.mark.parametrize(
    "text",
    [
        "## Coordinate Ascent\n2:1.5\n",
        "## RankBoost\n2:0.5:1.5\n",
    ],
)
def test_a_model_of_another_program_is_shown(text):
    """It needs the second of the data's features only."""
    feature = load_dataset("toy-2d").train.feature_names[1]
    named = text.replace("\n", f"\n## 2 is {feature}\n", 1)
    name = models.MODELS.add(named.encode(), "ranklib.txt").name
    result = shown(QUERY, **SMALL, run=name)
    assert "from ranklib.txt" in blocks(result, Caption)[0].text
    assert "Forces come from an objective, which" in blocks(result, Caption)[0].text
    origin = models.MODELS.get(name).content.provenance_
    assert (origin.text, origin.file_stem("ranklib")) == (
        "trained by another program",
        "ranklib",
    )
    # Two models of other programs are told apart by their files.
    train = load_dataset("toy-2d").train
    title = _models.find(name, "", values(QUERY, **SMALL), train).title
    assert title.startswith("ranklib.txt")
    (taken,) = blocks(result, TakeModel)
    assert (taken.stem, taken.label) == ("ranklib", "Export it as")
    kind = "RankBoost" in text
    solr = json.loads(export(taken.model(), "solr"))
    assert ("trees" in solr["params"], feature) == (kind, solr["features"][0]["name"])
    assert not blocks(shown(QUERY, **SMALL), TakeModel)


def test_the_first_feature_of_another_name_is_named():
    splits = load_dataset("toy-2d")
    names = splits.train.feature_names
    # An underscore is no emphasis in the sentence.
    other = (names[0], "the_other")
    train = RankingDataset.from_arrays(
        splits.train.X,
        splits.train.y,
        np.repeat(np.arange(splits.train.n_queries), splits.train.lengths),
        feature_names=other,
    )
    model = LeastSquares(max_iter=1).fit_dataset(train)
    name = models.MODELS.add(model_to_json(model).encode(), "mine.json").name
    (result,) = [
        notice.text
        for notice in blocks(shown(QUERY, **SMALL, run=name), Notice)
        if "different names" in notice.text
    ]
    assert f"feature 2 is '{names[1]}' in the data and 'the\\_other' in" in result


def test_what_reading_a_model_warns_of_is_kept_with_it():
    for _ in range(2):
        name = models.MODELS.add(b"## Linear Regression\n0:3 1:2\n", "a.txt").name
        (sentence,) = models.MODELS.warnings(name)
        assert sentence.startswith("a.txt: the constant 3 is omitted")


def test_a_file_that_is_no_model_is_refused():
    with pytest.raises(DataError, match="not a RankScope model"):
        models.MODELS.add(json.dumps({"a": 1}).encode(), "b.json")


def test_a_model_that_is_not_here_is_said_and_the_example_offered():
    for name in ("gone", "model-00000000"):
        result = shown(QUERY, **SMALL, run=name)
        (value,) = blocks(result, Notice)
        assert "There is no run or model" in value.text
        (button,) = blocks(result, Act)
        assert button.changes == {"run": ""}


def test_a_model_of_other_data_offers_its_data(trained):
    now = looking_at(trained)(data="planted")
    result = QUERY.show(now)
    assert "it lacks text match, popularity" in blocks(result, Notice)[0].text
    assert blocks(result, Act)[0].changes == {"data": "toy-2d"}


def test_a_missing_second_order_does_not_hide_the_model():
    result = shown(QUERY, **SMALL | {"beside": "gone"})
    assert blocks(result, Notice)[0].text.startswith(r"Second order\: There is no run")
    assert blocks(result, Act)[0].changes == {"beside": "ideal"}


def test_a_clicked_document_is_selected():
    result = shown(QUERY, **SMALL)
    orders = panel(result, "inspect_orders")
    ranks = orders.picture.numbers()
    assert orders.on_click("model", 3, 0.0, 3.0) == {
        "inspect_document": ranks[3]["document"]
    }
    assert orders.on_click("forces", 3, 0.0, 3.0) == {}


def test_a_changed_feature_moves_the_document_and_undo_brings_it_back():
    query = load_dataset("toy-2d").train.query(0)
    rows = panel(shown(QUERY, **SMALL), "inspect_orders").picture.numbers()
    last = rows[-1]["document"]
    chosen = {**SMALL, "inspect_document": last}
    now = values(QUERY, **chosen)
    row = query.doc_ids.index(last)
    assert now.inspect_value in query.X[row]
    assert now.inspect_label == query.y[row]

    # The most that this weight can do: far beyond the data's range.
    coef = _models.find("", "best", now, load_dataset("toy-2d").train).coef
    made = change("inspect_value", now, 100.0 * np.sign(coef[np.abs(coef).argmax()]))
    result = shown(QUERY, **chosen | made)
    lifted = panel(result, "inspect_orders").picture.numbers()
    assert lifted[0]["document"] == last
    assert any(
        t.get("name") == "before" for t in panel(result, "inspect_orders").picture.data
    )
    assert "without changes" in result.facts[0].note
    (undo,) = blocks(result, Act)
    assert undo.changes["edits"] == ""
    for elsewhere in ({"query": 2}, {"part": "valid"}, {"normalise": "zscore"}):
        others = shown(QUERY, **chosen | made | elsewhere)
        assert not blocks(others, Act), elsewhere


def test_a_changed_label_changes_the_measure():
    before = shown(QUERY, **SMALL)
    rows = panel(before, "inspect_orders").picture.numbers()
    last = rows[-1]["document"]
    chosen = {**SMALL, "inspect_document": last}
    now = values(QUERY, **chosen)
    made = change("inspect_label", now, 2)
    result = shown(QUERY, **chosen | made)
    labels = [row["label"] for row in panel(result, "inspect_orders").picture.numbers()]
    assert labels == [row["label"] for row in rows[:-1]] + [2]
    ranks = np.arange(1.0, len(labels) + 1)
    value = measures.parse("nDCG")(ranks, labels, [0, len(labels)])[0]
    assert result.facts[0].number == f"{value:.3f}"


def test_the_most_different_queries_come_first_and_are_found_by_name():
    chosen = {"data": "planted", "queries_by": "different"}
    rows = table(shown(QUERY, **chosen), "inspect_queries").rows
    alike = [row["correlation"] for row in rows]
    assert alike == sorted(alike)
    wanted = rows[3]["query"]
    few = table(shown(QUERY, **chosen, find=wanted), "inspect_queries")
    assert wanted in [row["query"] for row in few.rows]
    place = [row["query"] for row in few.rows].index(wanted)
    train = load_dataset("planted").train
    assert few.on_choose(place)["query"] == 1 + train.query_names.index(wanted)
    none = shown(QUERY, **chosen, find="no such words")
    assert "No query has these words" in blocks(none, Caption)[-1].text


def test_an_order_of_the_file_and_of_a_feature_can_stand_beside():
    value = load_dataset("toy-2d").train
    name = value.feature_names[1]
    for beside, expected in (
        ("file", np.arange(len(value.query(0)))),
        (f"feature:{name}", np.argsort(-value.query(0).X[:, 1], kind="stable")),
    ):
        result = shown(QUERY, **SMALL | {"beside": beside})
        rows = panel(result, "inspect_orders").picture.numbers()
        key = "rank, File" if beside == "file" else f"rank, {name}"
        documents = sorted(rows, key=lambda row: row[key])
        assert [row["document"] for row in documents] == [
            value.query(0).doc_ids[row] for row in expected
        ]


def test_the_link_to_it_names_data_query_and_run():
    now = Values({"data": "planted", "part": "valid", "query": 7, "other": 1})
    inspect = inspecting.inspect(now, run="abc", surrogate="")
    assert isinstance(inspect, Go)
    assert inspect.page == "inspect"
    assert dict(inspect.settings) == {
        "data": "planted",
        "part": "valid",
        "query": 7,
        "run": "abc",
    }


def test_the_run_of_another_visitor_has_its_name_where_a_link_names_it(
    trained, monkeypatch
):
    from rankcore.studies.store import open_store

    monkeypatch.setattr(past, "_OPENED", past._Opened())
    monkeypatch.setattr(visitor, "current", lambda: "one")
    with contextlib.closing(open_store()) as store:
        recorder = store.record(trained, "Theirs", {}, visitor="another")
        recorder.end()
    rows = {row.key: row for row in QUERY.rows({})}
    for key, chosen in (("run", recorder.id), ("beside", recorder.id)):
        assert recorder.id not in rows[key].labels(values(QUERY))
        named = rows[key].labels(values(QUERY, **{key: chosen}))
        assert named[recorder.id].startswith("Theirs")
    compared = stored_runs.RUNS.labels(Values({"runs": (recorder.id, "gone")}))
    assert compared[recorder.id].startswith("Theirs")
    assert "gone" not in compared


def test_a_link_with_a_run_brings_its_data_and_its_model(
    run_page, trained, monkeypatch
):
    from rankcore.studies.store import open_store

    monkeypatch.setattr(past, "_OPENED", past._Opened())

    settings = {"data": "toy-2d", "measure": "AP", "ListNet.l2": 0.5}
    with contextlib.closing(open_store()) as store:
        recorder = store.record(trained, "Mine", settings)
        recorder.end()
    page = run_page("inspect", run=recorder.id, at="last")

    assert not page.exception
    assert page.query_params == {
        "run": recorder.id,
        "at": "last",
        "data": "toy-2d",
        "measure": "AP",
        "made_with": f"run={recorder.id}&ListNet.l2=0.5&ListNet.max_iter=5"
        "&algorithm=ListNet&data=toy-2d&measure=AP",
    }
    assert "ListNet.l2" not in page.session_state
    now = values(QUERY, data="toy-2d", run=recorder.id, at="last")
    result = _models.find(recorder.id, "last", now, trained.train)
    np.testing.assert_array_equal(result.coef, trained.history[-1].coef)
    assert recorder.id in _models.names(now)
    assert "last" in _models.iterations(recorder.id, now)


def test_texts_of_queries_and_documents_are_shown_where_they_are_given():
    one = RankingDataset.from_arrays(
        [[0.1], [0.9]],
        [1, 0],
        doc_texts=["Red *shoes*", "A boat"],
        query_texts=["buy shoes"],
    )
    name = datasets.upload(Splits(one), datasets.Files({"train": "shop"}))
    result = shown(QUERY, data=name, beside="file", inspect_document="d1")
    assert panel(result, "inspect_orders").title == "Query 1 “buy shoes”"
    items = [words.text for words in blocks(result, Words)]
    assert any(r"**Document Red \*shoes\***" in text for text in items)
    assert r"Document id\: d1" in [text.text for text in blocks(result, Caption)]
    assert table(result, "inspect_queries").rows[0]["text"] == "buy shoes"
    hover = next(t for t in panel(result, "inspect_orders").picture.data if "base" in t)
    assert any("A boat" in text for text in hover["customdata"])


def test_trees_show_importance_in_place_of_coefficients():
    from rankcore import RankBoost

    run = drive(
        RankBoost(max_iter=3),
        load_dataset("toy-2d").train,
        stop=Stop(max_iterations=3),
        measures=(),
    )
    for _ in run:
        pass
    result = QUERY.show(looking_at(run)())
    (folded,) = blocks(result, Popover)
    (parts,) = folded.blocks()
    assert parts.rows.keys() == {"feature", "value", "importance"}
    assert blocks(result, Panel)[1].key == "why"


def lists():
    """Views with a query of the data in sight, and what makes it so."""
    train = {"data": "toy-2d"}
    yield view("data", "Data set"), train
    yield view("train", "Run"), train
    yield view("reduction", "Pairs"), {**train, "red_source": "a query of the data"}
    yield view("margins", "One list"), train
    yield view("margins", "Two feature maps"), train
    yield view("approximation", "Landscape"), train


@pytest.mark.parametrize(
    ("of", "chosen"), list(lists()), ids=lambda one: getattr(one, "name", "")
)
def test_every_list_of_documents_leads_to_its_query(of, chosen):
    raw = {**chosen, "query": 2}
    result = at_first(of, read(of.rows(raw), raw))
    (link,) = [block for block in blocks(result, Go) if block.page == "inspect"]
    assert link.settings["query"] == 2
    assert link.settings["data"] == "toy-2d"
    assert QUERY.show(read(QUERY.rows({}), {**link.settings, "run": ""})).panels()


def test_lists_by_hand_lead_to_the_query_that_they_take():
    for page, name in (("measures", "One list"), ("approximation", "One list")):
        result = shown(view(page, name), data="toy-2d", query=3)
        (fold,) = [b for b in blocks(result, Popover) if b.title.startswith("Take")]
        (link,) = [b for b in fold.blocks() if isinstance(b, Go)]
        assert link.settings["query"] == 3


def there(link, **works):
    """What a link to the Inspector shows."""
    raw = dict(link.settings)
    return QUERY.show(read(QUERY.rows(raw), raw, work=works.get))


def test_rankings_of_stored_runs_on_compare_lead_to_their_query():
    splits, keys = load_dataset("planted"), []
    for algorithm in (RankSVM(random_state=0), LeastSquares(random_state=0)):
        run = drive(algorithm, splits.train, splits.valid, stop=Stop(3))
        keys.append(recorded(run, settings={"data": "planted"}))
    chosen = splits.valid.query_ids[3]
    raw = {"runs": tuple(keys), "compared_query": chosen, "compared_list": 0}
    of = view("compare", "Each query")
    result = at_first(of, read(of.rows(raw), raw))
    (tiles,) = blocks(result, Tiles)
    (link,) = blocks(result, Go)

    assert {link.settings["run"], link.settings["beside"]} == set(keys)
    assert (link.settings["part"], link.settings["query"]) == ("valid", 4)
    assert link.settings["data"] == "planted"
    shown_there = there(link)
    names = shown_there.facts[0].note, shown_there.facts[2].note
    assert list(names) == [tiles.heads[0][0], tiles.heads[2][0]]
    assert float(shown_there.facts[0].number) == pytest.approx(
        tiles.ranking.value, abs=5e-4
    )


@pytest.mark.parametrize("folds", [1, 3])
@pytest.mark.parametrize("looked", [{}, {"compared_on": "test", "test_looks": "2"}])
def test_rankings_of_models_trained_on_compare_lead_to_their_query(folds, looked):
    of = view("compare", "Each query")
    raw = {
        "data": "planted", "compared": ("RSRank", "ListNet"), "compared_values": 1,
        "compared_seeds": 1, "compared_limit": 5, "compared_folds": folds,
    }  # fmt: skip
    now = read(of.rows(raw), raw | looked)
    study = studied(of, now)
    result = of.show(now, study)
    (tiles,) = blocks(result, Tiles)
    (link,) = blocks(result, Go)
    shown_there = there(link, **{"compare/Runs": study})

    names = shown_there.facts[0].note, shown_there.facts[2].note
    assert names == (tiles.heads[2][0], tiles.heads[0][0])
    second = tiles.others[1]
    assert float(shown_there.facts[0].number) == pytest.approx(second.value, abs=5e-4)
    offered = _models.names(read(QUERY.rows({}), {}, work={"compare/Runs": study}.get))
    assert offered[link.settings["run"]].endswith("seed 0, on Compare")
    gone = there(link)
    assert "There is no run or model" in blocks(gone, Notice)[0].text


def test_rankings_of_the_example_of_compare_lead_to_their_query():
    of = view("compare", "Each query")
    now = values(of, **page_named("compare").opening)
    result = examples.example(page_named("compare"), of, now).show(now)
    (tiles,), (link,) = blocks(result, Tiles), blocks(result, Go)
    first, _, second = there(link).facts[:3]
    heads = tiles.heads[2][0], tiles.heads[0][0]
    assert (first.note, second.note) == tuple(name.split(",")[0] for name in heads)
    assert float(second.number) == pytest.approx(tiles.ranking.value, abs=5e-4)
    raw = dict(link.settings)
    offered = _models.names(read(QUERY.rows(raw), raw))
    assert {raw["run"], raw["beside"]} <= {*offered}
    assert not any(name.startswith("shipped") for name in _models.names(values(QUERY)))


def test_the_models_of_a_race_are_shown(trained):
    race = SimpleNamespace(subject=SimpleNamespace(begun={"ListNet": trained}))
    raw = {**SMALL, "run": f"{inspecting.RACE}1"}
    now = read(QUERY.rows(raw), raw, work={"train/Race": race}.get)
    assert _models.names(now)["race-1"] == "ListNet, in the race"
    assert QUERY.show(now).panels()
    for wrong in ("race-2", "race-x"):
        assert not QUERY.show(now | {"run": wrong}).panels()


def test_the_rankings_of_all_queries_and_the_labels_are_exported_for_trec_eval():
    splits = load_dataset("toy-2d")
    result = shown(QUERY, **SMALL, run="LeastSquares", part="valid")
    chosen = values(QUERY, **SMALL, run="LeastSquares", part="valid")
    model = _models.find("LeastSquares", "best", chosen, splits.train)
    valid = splits.valid
    assert result.files["labels.qrels"]() == qrels(valid)
    rankings = result.files["rankings.trec"]()
    assert rankings == trec_run(valid, model.scores(valid.X), "LeastSquares")
    assert len(rankings.splitlines()) == valid.n_documents


@pytest.fixture(scope="module")
def ranked():
    """Rankings of all queries of a split but the second, the first document first."""
    train = load_dataset("toy-2d").train
    rows = [
        f"{query.id} Q0 {name} 0 {-place} file\n"
        for query in map(train.query, range(train.n_queries))
        if query.index != 1
        for place, name in enumerate(query.doc_ids)
    ]
    return models.RANKINGS.add("".join(rows).encode(), "vectors.run").name


def test_rankings_of_a_file_are_the_second_order(ranked):
    now = {"data": "toy-2d", "part": "train", "query": 1, "beside": ranked}
    result = shown(QUERY, **now)
    assert result.facts[2].note == "vectors.run"
    assert "vectors.run" in panel(result, "inspect_orders").picture.alt
    of_file = shown(QUERY, **{**now, "beside": "file"})
    assert result.facts[2].number == of_file.facts[2].number
    words = " ".join(one.text for one in blocks(result, Caption))
    total = load_dataset("toy-2d").train.n_queries
    assert (
        f"vectors.run ranks {total - 1} of {total} training queries of toy-2d" in words
    )
    (row,) = (row for row in QUERY.rows({}) if row.key == "beside")
    assert row.labels(values(QUERY, **now))[ranked] == "File: vectors.run"


def test_rankings_of_a_file_are_no_model(ranked):
    result = shown(QUERY, **SMALL, run=ranked)
    assert "has no model" in blocks(result, Notice)[0].text
    assert blocks(result, Act)[0].changes == {"run": "", "beside": ranked}
    gone = shown(QUERY, data="toy-2d", beside="ranking-00000000")
    assert "ranking-00000000" in blocks(gone, Notice)[0].text
