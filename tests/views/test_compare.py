"""Compare: runs trained here and stored ones, test queries, exports, each view."""

import contextlib
import dataclasses
import io
import json
import zipfile

import numpy as np
import pytest

from pages.ui import registry
from pages.ui.away import links, reports
from pages.ui.catalogue import place
from pages.ui.data import datasets, models
from pages.ui.serving import visitor
from pages.views.compare import _run_set, _setup
from rankcore import ListNet, load_dataset
from rankcore.algorithms import get_algorithm, list_algorithms
from rankcore.cli import main
from rankcore.data.readers import Splits
from rankcore.data.readers.recipes import Files
from rankcore.data.trec import qrels, trec_run
from rankcore.measures import evaluate
from rankcore.studies import Study
from rankcore.studies.models import model_to_json
from rankcore.studies.results import Cell
from rankcore.topics.compare.comparison import over_data_sets
from rankcore.training import Stop, drive
from rankcore.views import Act, Ask, Caption, Go, Notice, Table, Tiles, flat, past
from rankcore.views.blocks import LONGEST_NAME
from tests import viewing
from tests.viewing import blocks, panel, recorded, unsound, values

SMALL = {
    "data": "planted",
    "compared": ("RSRank", "ListNet"),
    "compared_values": 2,
    "compared_seeds": 2,
    "compared_limit": 5,
}
CURVES = viewing.view("compare", "Curves and differences")
QUERIES = viewing.view("compare", "Each query")
VIEWS = list(viewing.page("compare").views.values())


@pytest.fixture(scope="module")
def study():
    return viewing.studied(CURVES, values(CURVES, **SMALL))


def shown(view, study, **chosen):
    return view.show(values(view, **{**SMALL, **chosen}), study)


@pytest.fixture(scope="module")
def kept():
    """The ids of two stored runs of one configuration, and of another one."""
    splits, result = load_dataset("planted"), []
    for name, seed in (("RankSVM", 0), ("RankSVM", 1), ("LeastSquares", 0)):
        run = drive(
            get_algorithm(name)(random_state=seed), splits.train, splits.valid,
            stop=Stop(max_iterations=3), measures=("nDCG@10", "AP"),
        )  # fmt: skip
        result.append(recorded(run))
    return result


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
@pytest.mark.parametrize("which", [_setup.BEST, _setup.EVERY])
def test_every_view_shows_the_study(view, which, study):
    result = shown(view, study, compared_as=which)
    assert result.panels()
    assert list(unsound(result)) == []


@pytest.mark.parametrize("which", [_setup.BEST, _setup.EVERY])
def test_a_result_has_one_value_wherever_it_is_shown(which, study):
    """Label and ring of its curve, fact, sentence, tables, LaTeX, Markdown, Python."""
    result = shown(CURVES, study, compared_as=which)
    outcome, _ = _run_set.of(values(CURVES, **SMALL, compared_as=which), study)
    curves = panel(result, "compared_curves").picture
    rings = [t for t in curves.data if t.get("name") == "best"]
    (side,) = (t for t in blocks(result, Table) if t.key == "compared_measures")
    name, measure = outcome.shown.contenders[0].name, outcome.shown.measure

    for one, mean in zip(outcome.shown.contenders, outcome.shown.means, strict=True):
        value = (
            f"{np.mean([run.history['valid nDCG@10'].max() for run in one.runs]):.3f}"
        )
        assert f"{mean:.3f}" == value
        assert value in [f"{ring['y'][0]:.3f}" for ring in rings]
        ends = [note["text"] for note in curves.layout["annotations"]]
        assert any(text.endswith(f"○ {value}</b>") for text in ends)
        assert f"{one.name} {value}" in curves.alt
        (row,) = (row for row in side.rows if row["model"] == one.name)
        assert row[measure].startswith(value)
        for name_of_file in ("comparison.tex", "comparison.md"):
            assert value in result.files[name_of_file](), name_of_file
    fact = result.facts[0]
    words = f"{name}, {outcome.shown.contenders[0].chosen_text}"
    assert (fact.number, fact.note) == (f"{outcome.shown.means[0]:.3f}", words)


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_every_view_and_file_names_the_iterations_of_its_models(view, study):
    result = shown(view, study)
    value, _ = _run_set.of(values(view, **SMALL), study)
    best, *_ = value.shown.contenders
    curves = [run.history["valid nDCG@10"] for run in best.runs]
    at = sorted(int(np.argmax(curve)) for curve in curves)
    every = f"{at[0]} to {at[-1]}" if at[0] < at[-1] else f"{at[0]}"
    assert f"{best.name}, iteration {every}, best on val" in result.facts[0].note
    assert f" {every} " in result.files["comparison.md"]()
    # Where single models are shown, each is named.
    texts = [one.text for one in blocks(result, Caption) if "Models shown" in one.text]
    assert bool(texts) == (view.name in ("Each query", "Models"))
    for one in value.shown.contenders if texts else ():
        assert f"{one.name}, {one.first.chosen_text}" in texts[0]


@pytest.mark.parametrize(("equal", "note"), [(1, ""), (2, "; 1 equal to it"), (0, "")])
def test_what_is_as_high_as_the_highest_is_told(equal, note, study):
    result, _ = _run_set.of(values(CURVES, **SMALL, compared_as=_setup.EVERY), study)
    each = result.shown.values.copy()
    each[:equal] = 1.0
    # Without a query, nothing is equal to anything.
    ids = result.shown.ids if equal else ()
    same = dataclasses.replace(result.shown, values=each, ids=ids)
    fact = _run_set.facts(dataclasses.replace(result, shown=same))[0]
    best = result.shown.contenders[0]
    assert fact.note == f"{best.name}, {best.chosen_text}{note}"


def test_all_views_share_one_study():
    names = list(viewing.page("compare").views)
    places = {
        place(viewing.page("compare"), {"compare_view": name, **SMALL})
        for name in names
    }
    assert places == {"compare/Runs"}


def test_the_best_of_each_is_a_model_an_algorithm_and_every_setting_is_four(study):
    best = shown(CURVES, study)
    every = shown(CURVES, study, compared_as=_setup.EVERY)
    count = [f.number for f in best.facts], [f.number for f in every.facts]
    assert (count[0][3:], count[1][3:]) == (["2", "1"], ["4", "6"])
    assert best.facts[2].number == "21"


def test_each_query_counts_once_whatever_the_seeds(study):
    table = panel(shown(CURVES, study), "compared_pairs").picture.numbers()
    assert [row["queries"] for row in table] == [21]
    texts = [getattr(one, "text", "") for one in flat(shown(CURVES, study).blocks)]
    assert sum("With 21 queries, only differences above" in text for text in texts) == 1


def test_against_a_baseline_there_are_fewer_tests(study):
    every = {"compared_as": _setup.EVERY}
    result = shown(CURVES, study, **every, baseline="ListNet, λ = 0.1")
    table = panel(result, "compared_pairs").picture.numbers()
    assert {row["against"] for row in table} == {"ListNet, λ = 0.1"}
    assert len(table) == 3
    by_algorithm = shown(CURVES, study, baseline="RSRank")
    (row,) = panel(by_algorithm, "compared_pairs").picture.numbers()
    assert row["against"] == "RSRank"


def test_stored_runs_are_compared_with_those_trained_here(study, kept):
    alone = shown(CURVES, None, runs=tuple(kept))
    assert {row["model"] for row in panel(alone, "compared_curves").picture.numbers()} \
        == {"RankSVM", "Least squares"}  # fmt: skip
    assert list(unsound(alone)) == []
    both = shown(CURVES, study, runs=tuple(kept))
    assert both.facts[3].number == "6"
    assert not blocks(both, Notice)


def test_best_iterations_are_those_that_there_are(kept):
    """Not their mean, at which no model was taken."""
    runs = [past.store().load(key) for key in kept]
    (table,) = [
        one
        for one in flat(shown(CURVES, None, runs=tuple(kept)).blocks)
        if getattr(one, "key", "") == "compared_settings"
    ]
    named = {row["model"]: row["best iteration"] for row in table.rows}
    first, last = sorted(run.models()["best"] for run in runs[:2])
    expected = f"{first}" if first == last else f"{first} to {last}"
    assert named == {"RankSVM": expected, "Least squares": "1"}


def test_the_link_names_stored_runs(kept):
    row = _setup.RUNS
    assert row.parse(",".join(kept)) == tuple(kept)
    assert row.format(tuple(kept)) == ",".join(kept)
    offered = row.labels(values(CURVES))
    assert set(kept) <= set(offered)
    with pytest.raises(ValueError, match="not the id"):
        row.parse("../x")


def test_each_visitor_is_offered_own_runs_and_everybody_s(kept, monkeypatch):
    data = load_dataset("planted")
    run = drive(get_algorithm("RankSVM")(max_iter=1), data.train, data.valid)
    hers = recorded(run, title="Hers", visitor="her")
    offered = {}
    for who in ("her", "me"):
        monkeypatch.setattr(visitor, "current", lambda who=who: who)
        offered[who] = _setup.RUNS.labels(values(CURVES))
    assert offered["her"].keys() - offered["me"].keys() == {hers}
    assert set(kept) <= offered["me"].keys()
    words = "Hers, maximum iterations = 1, planted train, seed 0, "
    assert offered["her"][hers].startswith(words)


def test_a_run_that_is_not_there_is_said():
    result = shown(CURVES, None, runs=("nosuchrun",))
    (notice,) = blocks(result, Notice)
    assert "nosuchrun is not in the run store" in notice.text
    (value,) = blocks(result, Caption)
    assert "`rankscope runs import run.json` takes it in here" in value.text
    assert not blocks(result, Go)


def test_a_run_on_data_that_is_not_here_is_not_offered_to_train():
    pins = "run=nosuchrun&algorithm=RankSVM&data={}"
    for data, offers in (("toy-2d", 1), ("no-such-data", 0)):
        chosen = {"runs": ("nosuchrun",), "made_with": pins.format(data)}
        assert len(blocks(shown(CURVES, None, **chosen), Go)) == offers


def test_a_link_says_how_its_runs_were_made_if_they_are_few(kept):
    now = values(CURVES)
    for runs, result in ((kept[:2], 2), (kept * 2, 0)):
        link = links.query(CURVES.rows({}), now | {"runs": tuple(runs)})
        assert link.get("made_with", "").count("run=") == result


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_nothing_is_shown_before_anything_was_trained(view):
    assert not shown(view, None).blocks


def unzipped(found):
    with zipfile.ZipFile(io.BytesIO(found.files["rankings-trec.zip"]())) as files:
        return {name: files.read(name).decode() for name in files.namelist()}


def test_the_rankings_of_each_model_are_exported_for_trec_eval(study):
    every = {**SMALL, "compared_as": _setup.EVERY}
    files = unzipped(shown(CURVES, study, **every))
    valid = load_dataset("planted").valid
    assert files.pop("labels.qrels") == qrels(valid)
    result, _ = _run_set.of(values(CURVES, **every), study)
    models = result.shown.contenders
    for one, (name, text) in zip(models, files.items(), strict=True):
        assert text == trec_run(valid, one.first.scores(valid), one.name)
        assert name.startswith(f"rankings-{models.index(one) + 1}-{one.algorithm}-")


def test_rankings_of_test_queries_are_marked(study):
    looked = {"compared_on": "test", "test_looks": "planted=2"}
    files = unzipped(shown(CURVES, study, **looked))
    test = load_dataset("planted").test
    assert files.pop("labels.qrels") == qrels(test)
    assert all("_test_queries_looked_at_twice\n" in text for text in files.values())


def test_models_of_folds_rank_the_queries_they_have_not_seen():
    settings = {**SMALL, "compared_values": 1, "compared_seeds": 1, "compared_folds": 3}
    folds = viewing.studied(CURVES, values(CURVES, **settings))
    files = unzipped(CURVES.show(values(CURVES, **settings), folds))
    (name,) = [name for name in files if "RSRank" in name]
    lines = [line.split() for line in files[name].splitlines()]
    runs = [run for run in folds.found if run.terms.algorithm == "RSRank"]
    assert len({line[0] for line in lines}) == 64 + 21
    for run, split in zip(runs, folds.subject.folds.values(), strict=True):
        query = split.valid.query(0)
        scores = dict(zip(query.doc_ids, run.scores(query), strict=True))
        items = [line for line in lines if line[0] == query.id]
        assert [float(line[4]) for line in items] == [scores[line[2]] for line in items]


def test_without_the_data_there_are_no_rankings(study):
    result = shown(CURVES, renamed(study, "a"))
    assert "rankings-trec.zip" not in result.files
    items = [one.text for one in blocks(result, Caption)]
    assert "The data of these runs is missing, so Export has no TREC files." in items


def test_test_queries_take_a_click_that_is_counted_and_marked(study):
    before = shown(CURVES, study, compared_on="test")
    assert before.facts[2] == ("Queries", "21", "validation, planted")
    (act,) = [one for one in blocks(before, Act) if "test" in one.label]
    assert act.changes == {"compared_on": "test", "test_looks": "planted=1"}
    after, mark = shown(CURVES, study, **act.changes), "looked at once"
    assert after.facts[2] == ("Queries", "21", "test, planted, test looked at")
    for item in after.panels():
        assert any(mark in n["text"] for n in item.picture.layout["annotations"])
    (tiles,) = blocks(shown(QUERIES, study, **act.changes), Tiles)
    assert tiles.title.endswith("(test queries looked at)")
    for name, table in after.exports().items():
        if name != "Facts":
            made = table() if callable(table) else table
            assert all(mark in entry for entry in made["remark"]), name
    assert mark in after.files["comparison.tex"]()
    assert mark in after.files["comparison.md"]()
    back = shown(CURVES, study, test_looks="planted=1")
    assert back.facts[2][2] == "validation, planted, test looked at"
    assert mark in back.files["comparison.md"]()
    assert "remark" not in before.files["comparison.md"]()


def test_looks_are_counted_for_each_data_set(study):
    once = {"test_looks": "planted=1&toy-2d=3"}
    (act,) = blocks(shown(CURVES, study, **once), Act)
    assert act.changes["test_looks"] == "planted=2&toy-2d=3"
    other = shown(CURVES, study, compared_on="test", test_looks="toy-2d=3")
    assert other.facts[2] == ("Queries", "21", "validation, planted")
    assert "remark" not in other.files["comparison.md"]()
    # As links of earlier versions count.
    earlier = shown(CURVES, study, compared_on="test", test_looks="2")
    assert "looked at twice" in earlier.files["comparison.md"]()
    assert _setup.LOOKS.parse("2") == "2"
    for wrong in ("x", "planted=-1", "planted=x", "planted=9999"):
        with pytest.raises(ValueError, match="planted=1"):
            _setup.LOOKS.parse(wrong)


def marked(page):
    """Whether each of what a page exports says that test queries were looked at."""
    page.session_state["downloads"] = True
    page.run()
    assert not page.exception
    there, result = page.session_state["what the stage shows"], "queries looked at once"
    opened = links.OpenLink(viewing.page("compare"), there.now.values, {})
    texts = [
        reports.of_stage(opened, there.now.values, there.study),
        *(there.shown.files[f"comparison.{kind}"]() for kind in ("tex", "md")),
    ]
    return [result in text for text in texts]


def test_neither_reset_nor_an_earlier_link_takes_the_mark_off(run_page):
    small = {"data": "planted", "compared": "ListNet,RSRank", "compared_limit": "3"}
    small |= {"compared_values": "1", "compared_seeds": "1"}
    page = run_page("compare", **small)
    page.button(key="study_start").click().run()
    job = page.query_params["job"]
    assert registry.registry().get(job).wait(60)
    assert marked(page) == [False, False, False]
    before = dict(page.query_params)
    page.button(key="look_at_test").click().run()
    assert marked(page) == [True, True, True]
    page.button(key="reset").click().run()
    # What is in sight still is of the settings before.
    assert "job" not in page.query_params
    assert marked(page) == [True, True, True]
    page.query_params.clear()
    page.query_params.update(before)
    page.run()
    assert (page.query_params["compared_limit"], page.query_params["job"]) == ("3", job)
    assert marked(page) == [True, True, True]


def test_models_are_chosen_on_validation_also_where_test_compares_them(study):
    best, tested = (
        shown(CURVES, study, **item)
        for item in ({}, {"compared_on": "test", "test_looks": "planted=1"})
    )
    names = [
        {row["model"] for row in columns(panel(one, "compared_curves"))}
        for one in (best, tested)
    ]
    assert names[0] == names[1]


def columns(own):
    table = own.picture.numbers()
    if isinstance(table, dict):
        return [
            dict(zip(table, row, strict=True))
            for row in zip(*table.values(), strict=True)
        ]
    return table


def test_a_click_on_a_query_leads_to_both_rankings(study):
    result = shown(QUERIES, study)
    bars = panel(result, "compared_queries")
    names = bars.picture.numbers()["query"]
    changed = bars.on_click("queries", 3, 0.0, 0.0)
    assert changed == {"compared_query": names[3].removeprefix("query ")}
    there = shown(QUERIES, study, **changed)
    (tiles,) = blocks(there, Tiles)
    assert tiles.title == names[3].capitalize()
    first, ideal, second = tiles.ranking, *tiles.others
    assert sorted(first.documents) == sorted(second.documents)
    assert ideal.labels.tolist() == sorted(first.labels, reverse=True)
    assert [name for name, _ in tiles.heads][1] == "ideal"
    table = bars.picture.numbers()
    names = [name for name in table if name not in ("query", "difference", "outcome")]
    # The rankings are those of the first seed; with one seed they give the bar.
    assert names == [tiles.heads[0][0], tiles.heads[2][0]]
    why = tiles.on_click(second.documents[1], 2)
    assert why == {"why_document": second.documents[1], "compared_list": 1}
    reason = panel(shown(QUERIES, study, **changed, **why), "compared_why")
    assert second.documents[1] in reason.title


def test_rankings_have_the_value_of_their_query_where_there_is_one_seed():
    settings = {**SMALL, "compared_seeds": 1}
    one = viewing.studied(CURVES, values(CURVES, **settings))
    result = QUERIES.show(values(QUERIES, **settings), one)
    (tiles,) = blocks(result, Tiles)
    table = panel(result, "compared_queries").picture.numbers()
    at = table["query"].index(tiles.title.lower())
    first, second = (name for name in table if name.startswith(("RS", "List")))
    assert tiles.ranking.value == pytest.approx(table[first][at])
    assert tiles.others[1].value == pytest.approx(table[second][at])


def test_slices_are_by_length_relevance_or_a_feature(study):
    view = viewing.view("compare", "Slices")
    feature = load_dataset("planted").train.feature_names[0]
    for by in ("list length", "relevant documents", feature):
        result = shown(view, study, sliced_by=by)
        (table,) = blocks(result, Table)
        assert sum(row["queries"] for row in table.rows) == 21
        assert by in table.rows[0]


def on_terms(run, **changes):
    """The run on other terms."""
    return dataclasses.replace(run, terms=dataclasses.replace(run.terms, **changes))


def renamed(study, data):
    """The study as if its runs were on several data sets."""
    runs = [
        on_terms(run, data=name, content=(name, name))
        for name in data
        for run in study.found
        if not run.failed
    ]
    third = [
        on_terms(
            dataclasses.replace(run, cell=Cell((("l2", 0.1),), "", run.cell.seed)),
            algorithm="RankNet",
        )
        for run in runs
        if run.terms.algorithm == "ListNet"
    ]
    many = Study(iter(()), 0, "runs", study.subject)
    many.found.extend([*runs, *third])
    return many


def test_mean_ranks_take_five_data_sets_and_folds_are_none(study):
    keys = [
        [one.key for one in shown(CURVES, renamed(study, data)).panels()]
        for data in ("abcd", "abcde")
    ]
    assert "compared_ranks" not in keys[0]
    assert "compared_ranks" in keys[1]
    ranks = panel(shown(CURVES, renamed(study, "abcde")), "compared_ranks")
    assert "5 data sets" in ranks.title
    assert len(ranks.picture.numbers()["model"]) == 3
    ranks.picture.figure()


def test_folds_of_the_settings_are_trained():
    result = values(CURVES, **SMALL, compared_folds=4)
    plan = _setup.plan(result)
    assert plan.runs == 2 * 2 * 2 * 4
    assert sum(fold.valid.n_queries for fold in plan.folds.values()) == 64 + 21


def test_a_setting_asked_for_twice_is_refused():
    once = values(CURVES, compared=("RSRank", "RSRank:g=30"), compared_values=3)
    assert _setup.TRAIN.refuses(once) is None
    twice = values(CURVES, compared=("RSRank", "RSRank:g=50"), compared_values=3)
    assert "RSRank, g = 50 is selected twice" in _setup.TRAIN.refuses(twice)


def test_too_many_runs_or_folds_are_refused():
    many = {"compared_values": 9, "compared_seeds": 20, "compared_folds": 10}
    assert "at most 500" in _setup.TRAIN.refuses(values(CURVES, **many))
    folds = values(CURVES, data="toy-2d", compared_folds=10)
    assert "10 folds need as many queries" in _setup.TRAIN.refuses(folds)


def test_a_link_with_stored_runs_shows_them_and_no_example(run_page, kept):
    page = run_page("compare", runs=",".join(kept))
    assert not page.exception
    items = [caption.value for caption in page.caption]
    assert not any("Example" in text for text in items)
    assert any("RankSVM" in one.proto.body for one in page.get("html"))


def test_a_link_with_a_run_that_is_gone_says_so_and_shows_no_example(run_page):
    page = run_page("compare", runs="gone")
    assert not page.exception
    assert any("gone is not in the run store" in one.value for one in page.warning)
    assert not any("Example" in caption.value for caption in page.caption)


def test_runs_on_features_scaled_otherwise_are_not_mixed_in(study):
    scaled = {**SMALL, "normalise": "zscore", "compared": ("RankSVM",)}
    other = viewing.studied(CURVES, values(CURVES, **scaled))
    both = Study(iter(()), 0, "runs", study.subject)
    both.found.extend([*study.found, *other.found])
    result = shown(CURVES, both)
    models = {row["model"] for row in columns(panel(result, "compared_curves"))}
    assert not any("RankSVM" in name for name in models)
    items = [block.text for block in flat(result.blocks) if hasattr(block, "text")]
    assert any("features scaled by zscore, not" in text for text in items)
    # Alone, their models rank documents whose features are scaled that way.
    value = QUERIES.show(values(QUERIES, **{**scaled, "compared_as": "every"}), other)
    (tiles,) = blocks(value, Tiles)
    assert tiles.title


def command(*words):
    """The id of the run that a real command keeps."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), pytest.raises(SystemExit) as end:
        main(["train", *map(str, words), "--json"])
    assert end.value.code == 0
    return json.loads(out.getvalue())["run"]


@pytest.fixture(scope="module")
def commanded():
    """The ids of two runs of the command line on a data set of the catalogue."""
    return [command("planted", n, "--max-iter", 5) for n in ("RSRank", "RankSVM")]


def said(found):
    return " ".join(b.text for b in flat(found.blocks) if hasattr(b, "text"))


def test_runs_of_commands_are_compared_with_those_of_pages(study, commanded):
    value = shown(CURVES, study, runs=tuple(commanded))
    assert "left out" not in said(value)
    # RSRank with its defaults is one of the models of the study.
    assert value.facts[3] == ("Models", "5", "10 runs shown")
    result, _ = _run_set.of(values(CURVES, **SMALL, runs=tuple(commanded)), study)
    ranks = over_data_sets(result.runs, "nDCG@10")
    assert ranks[0] == ["planted"]


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_every_view_shows_runs_of_commands_alone(view, commanded):
    result = shown(view, None, runs=tuple(commanded))
    assert result.panels()
    assert "not here" not in said(result)
    assert "rankings-trec.zip" in result.files


def test_runs_of_python_without_settings_are_compared(kept, commanded):
    result = shown(QUERIES, None, runs=(kept[0], commanded[0]))
    assert blocks(result, Tiles)
    assert "left out" not in said(result)


def test_runs_of_a_race_are_compared_with_those_of_a_command(run_page, commanded):
    link = {"train_view": "Race", "data": "planted", "racers": "RSRank,ListNet"}
    page, before = run_page("train", **link, race_limit="5"), past.store().runs().index
    page.button(key="study_start").click().run()
    job = registry.registry().get(page.session_state["jobs looked at"]["train/Race"])
    assert job.wait(60)
    raced = past.store().runs().drop(index=before)
    assert sorted(raced["algorithm"]) == ["ListNet", "RSRank"]
    for key in raced.index:
        settings = past.store().load(key).settings
        assert (settings["data"], settings["measure"]) == ("planted", "nDCG@10")
    result = shown(QUERIES, None, runs=(*raced.index, *commanded))
    assert "left out" not in said(result)
    assert blocks(result, Tiles)


def test_what_is_left_out_is_named_with_a_way_to_compare_it(commanded):
    other = command("planted", "ListNet", "--max-iter", 5, "--convention", "letor3")
    result = shown(CURVES, None, runs=(*commanded, other))
    assert f"ListNet (run {other[:8]}) is left out: measured by convention letor3" in (
        said(result)
    )
    (act,) = [
        one for one in blocks(result, Act) if one.label == "Show this run instead"
    ]
    changes = act.changes()
    assert changes["runs"] == (other,)
    assert (changes["data"], changes["convention"]) == ("planted", "letor3")
    instead = shown(CURVES, None, **changes)
    assert "left out" not in said(instead)
    assert instead.facts[2].note == "validation, planted, letor3"


def test_models_trained_on_other_data_than_the_stored_runs_are_left_out(study):
    other = command("toy-2d", "RankSVM", "--max-iter", 5)
    result = shown(CURVES, study, runs=(other,))
    assert "trained on planted, not toy-2d" in said(result)
    assert "These are results on toy-2d, the data of the stored runs." in said(result)
    (act,) = [one for one in blocks(result, Act) if "trained here" in one.label]
    assert act.changes == {"runs": ()}
    alone = shown(CURVES, None, runs=(other,), data="toy-2d")
    assert "These are results on" not in said(alone)


def test_settings_of_one_algorithm_are_all_shown_where_runs_are_chosen():
    keys = tuple(
        command("planted", "RSRank", "--max-iter", 5, "--g", g) for g in (0, 9)
    )
    result = shown(CURVES, None, runs=keys)
    assert result.facts[3].number == "2"
    assert blocks(shown(QUERIES, None, runs=keys), Tiles)
    best = shown(QUERIES, None, runs=keys, compared_as=_setup.BEST)
    assert "choose Every setting" in said(best)
    assert _setup.SHOWN in [row for ask in blocks(best, Ask) for row in ask.settings]
    one = said(shown(QUERIES, None, runs=keys[:1]))
    assert "choose one under Stored runs" in one


def test_chosen_runs_bring_their_data_and_rules(run_page):
    other = command("toy-2d", "RankSVM", "--max-iter", 5, "--convention", "letor3")
    page = run_page("compare", runs=other)
    assert page.session_state["data"] == "toy-2d"
    assert page.session_state["convention"] == "letor3"
    named = run_page("compare", runs=other, data="planted")
    assert named.session_state["data"] == "planted"
    written = _setup.RUNS.writes(values(CURVES), (other,))
    assert (written["runs"], written["data"]) == ((other,), "toy-2d")


def test_runs_on_a_file_of_their_own_are_compared_and_their_data_named(tmp_path):
    rng, file = np.random.default_rng(0), tmp_path / "own.txt"
    file.write_text(
        "".join(
            f"{d % 3} qid:{q} 1:{d % 3 + rng.random():.3f} 2:{rng.random():.3f}\n"
            for q in range(20)
            for d in range(6)
        )
    )
    divide = ("--divide", "60/20/20", "--divide-seed")
    first, second, other = (
        command(file, name, "--max-iter", 5, *divide, seed)
        for name, seed in (("RSRank", 3), ("RankSVM", 3), ("ListNet", 4))
    )
    result = shown(CURVES, None, runs=(first, second, other))
    assert result.facts[3].number == "2"
    assert result.facts[2].note == "validation, own"
    assert "data divided 60/20/20, seed 4, not 60/20/20, seed 3" in said(result)
    assert "These are results on own" in said(result)


def test_a_comparison_says_how_much_it_takes(run_page):
    page = run_page("compare", data="toy-2d", compared=",".join(list_algorithms()[:12]))
    assert any("At most 12 are allowed" in item.value for item in page.caption)
    page = run_page("compare", data="toy-2d", compared=",".join(list_algorithms()[:13]))
    assert "compared takes at most 12 names, not 13" in page.warning[0].value

    many = values(CURVES, compared_values=9, compared_seeds=20)
    assert "takes at most 500" in _setup.TRAIN.refuses(many)


@pytest.fixture(scope="module")
def ranked():
    """Files of rankings of the planted data: one of all but a document a query, and one
    of other queries."""
    valid = load_dataset("planted").valid
    lines = [
        f"{query.id} Q0 {document} 0 {float(value)!r} bm25\n"
        for query in map(valid.query, range(valid.n_queries))
        for document, value in zip(query.doc_ids[1:], query.X[1:, 0], strict=True)
    ]
    add = models.RANKINGS.add
    bm25, other = add("".join(lines).encode(), "bm25.run"), add(b"q Q0 d 0 1 x\n", "o")
    return bm25.name, other.name


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
@pytest.mark.parametrize("with_study", [True, False])
def test_rankings_of_a_file_are_compared_beside_models(view, ranked, study, with_study):
    trained = study if with_study else None
    now = values(view, **SMALL, ranked=ranked)
    result, (item, _) = view.show(now, trained), _run_set.of(now, trained)
    names = [one.name for one in item.shown.contenders]
    assert "bm25.run" in names
    assert len(names) == (3 if with_study else 1)
    assert list(unsound(result)) == []
    texts = [one.text for one in flat(result.blocks) if isinstance(one, Caption)]
    (sentence,) = (text for text in texts if text.startswith("bm25.run ranks"))
    assert "ranks all 21 validation queries of planted and" in sentence
    assert sentence.endswith("the other 21 rank last.")
    notices = [one.text for one in flat(result.blocks) if isinstance(one, Notice)]
    assert any("o ranks none of the" in text for text in notices)


def test_rankings_of_a_file_have_the_values_that_evaluate_gives(ranked, study):
    result, _ = _run_set.of(values(CURVES, **SMALL, ranked=ranked[:1]), study)
    (file,) = (one for one in result.shown.contenders if not one.has_model)
    valid = load_dataset("planted").valid
    scores = valid.X[:, 0].copy()
    scores[valid.offsets[:-1]] = scores.min() - 1
    table = evaluate(valid, scores, "nDCG@10")["nDCG@10"]
    assert file.per_query("nDCG@10") == pytest.approx(table.to_dict())
    files = _run_set.shown(result, []).files
    with zipfile.ZipFile(io.BytesIO(files[_run_set.TREC]())) as archive:
        assert sum("bm25.run" in name for name in archive.namelist()) == 1
    now = values(CURVES, **SMALL, ranked=ranked[:1]) | {"compare_view": CURVES.name}
    opened = links.OpenLink(viewing.page("compare"), now, {})
    assert file.first.reason in reports.of_stage(opened, now, (study,))
    tested = values(CURVES, **SMALL, ranked=ranked[:1], compared_on="test",
                    test_looks="planted=1")  # fmt: skip
    seen, _ = _run_set.of(tested, study)
    (file,) = (one for one in seen.shown.contenders if not one.has_model)
    assert file.first.reason.startswith("bm25.run ranks none of the test queries")


def test_rankings_of_a_file_open_in_the_inspector_beside_a_model(ranked, study):
    now = {**SMALL, "ranked": ranked[:1]}
    for number in (0, 1):
        result = shown(QUERIES, study, **now, compared_list=number,
                      compared_first=ranked[0], compared_second="RSRank")  # fmt: skip
        (go,) = (one for one in flat(result.blocks) if isinstance(one, Go))
        assert go.settings["run"].startswith("compared-")
        assert go.settings["beside"] == ranked[0]
        texts = [one.text for one in flat(result.blocks) if isinstance(one, Caption)]
        assert any("without a model, so" in text for text in texts) == (number == 0)


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_a_model_of_a_file_is_compared_beside_models(view, study):
    data = load_dataset("planted")
    value, other = (
        models.MODELS.add(model_to_json(one).encode(), name).name
        for one, name in (
            (ListNet(max_iter=3).fit_dataset(data.train), "list-net.json"),
            (ListNet(max_iter=1).fit_dataset(load_dataset("toy-2d").train), "o.json"),
        )
    )
    now = values(view, **SMALL, ranked=(value, other, "model-00000000"))
    result, (outcome, _) = view.show(now, study), _run_set.of(now, study)
    assert sum(one.name == "list-net.json" for one in outcome.shown.contenders) == 1
    assert list(unsound(result)) == []
    texts = [one.text for one in flat(result.blocks) if isinstance(one, Caption)]
    assert "list-net.json scores 21 validation queries of planted." in texts
    notices = [one.text for one in flat(result.blocks) if isinstance(one, Notice)]
    assert any(text.startswith("o.json: ") and "feature" in text for text in notices)
    assert any("model-00000000 is not available: upload" in text for text in notices)
    if view is CURVES:
        now |= {"compare_view": view.name}
        opened = links.OpenLink(viewing.page("compare"), now, {})
        assert "list-net.json scores 21" in reports.of_stage(opened, now, (study,))


def test_rankings_that_are_not_here_are_said(study):
    result = shown(CURVES, study, ranked=("ranking-00000000",))
    items = [one.text for one in flat(result.blocks) if isinstance(one, Notice)]
    assert any("ranking-00000000 are not available: upload" in text for text in items)
    assert CURVES.show(values(CURVES, ranked=("ranking-00000000",)), None).blocks


@pytest.fixture(scope="module")
def weighted():
    """The settings of a comparison on data with weights of queries, and its study."""
    splits = load_dataset("planted")
    heavy = [
        part.with_query_weights(np.linspace(1.0, 4.0, part.n_queries), "traffic")
        for part in splits
    ]
    name = datasets.upload(Splits(*heavy), Files({"train": "shop.csv"}))
    chosen = SMALL | {"data": name, "compared_values": 1, "compared_seeds": 1}
    return chosen, viewing.studied(CURVES, values(CURVES, **chosen))


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_every_view_names_the_weights_of_queries(view, weighted):
    chosen, study = weighted
    result = view.show(values(view, **chosen), study)
    assert list(unsound(result)) == []
    (queries,) = (fact for fact in result.facts if fact.meaning == "Queries")
    assert "weighted by traffic, effective number 18.6" in queries.note
    highest = result.facts[0].number
    value, _ = _run_set.of(values(view, **chosen), study)
    weights = np.linspace(1.0, 4.0, 21)
    mean = np.average(value.shown.values[0], weights=weights)
    assert highest == f"{mean:.3f}"
    assert mean == pytest.approx(value.shown.contenders[0].first.valid["nDCG@10"])
    caption = result.files["comparison.md"]()
    assert "(weighted by traffic, effective number 18.6)" in caption


def test_a_comparison_without_weights_says_nothing_of_them(study):
    result, _ = _run_set.of(values(CURVES, **SMALL), study)
    assert not result.shown.weighting
    assert "weighted" not in str(result.shown.sentences)


def test_queries_on_which_raters_disagree_stand_beside_those_of_models(study):
    ids = load_dataset("planted").valid.query_ids
    rows = [f"{ids[4]},d1,Ann,0", f"{ids[4]},d1,Bob,2", f"{ids[2]},d1,Ann,1"]
    text = "\n".join(["query,document,rater,label", *rows, "elsewhere,d1,Ann,1"])
    name = models.RATINGS.add(text.encode(), "raters.csv").name
    result = shown(QUERIES, study, raters=(name,))
    (table,) = (
        one for one in flat(result.blocks)
        if isinstance(one, Table) and one.key == "compared_raters"
    )  # fmt: skip
    assert list(unsound(result)) == []
    assert [row["documents rated"] for row in table.rows] == [1, 1]
    value, _ = _run_set.of(values(QUERIES, **SMALL), study)
    at = value.shown.ids.index(ids[4])
    first, second = value.shown.values[:2, at]
    row = table.rows[0]
    assert row["difference"] == pytest.approx(first - second)
    assert row["raters' disagreement"] > table.rows[1]["raters' disagreement"]
    gone = shown(QUERIES, study, raters=("ratings-gone",))
    notices = [one.text for one in flat(gone.blocks) if isinstance(one, Notice)]
    assert any("The ratings ratings-gone are not available" in text for text in notices)


def test_long_names_leave_room_in_a_table():
    """As of a visitor's file, on a telephone; where cut ones would be equal, whole."""
    long = "my production model from last week.txt"
    rows = {"model": ["RSRank", long], "nDCG": [0.5, 0.25], long: [1.5, 2.5]}
    drawn, formats = Table("t", "", "", rows, {long: "%.1f"}).drawn()
    assert list(drawn) == ["model", "nDCG", "my product…st week.txt"]
    assert max(map(len, [*drawn, *drawn["model"]])) <= LONGEST_NAME
    assert formats["my product…st week.txt"] == "%.1f"
    title = "truncation interval (K)"
    assert list(Table("t", "", "", {title: [1]}).drawn()[0]) == [title]
    alike = [f"{'a' * 20}{middle}{'b' * 20}" for middle in "xy"]
    assert Table("t", "", "", {"model": alike}).drawn()[0]["model"] == alike
