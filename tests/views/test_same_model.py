"""The model that is chosen is the model that is got, behind every door: each names its
iteration and how it was chosen, and hands it on."""

import re
from itertools import islice, permutations
from urllib.parse import urlencode

import numpy as np
import pytest

from pages.ui import examples
from pages.ui.away import links
from pages.ui.catalogue import setting
from pages.ui.data import datasets, models
from pages.ui.serving import visitor
from pages.views.explore import _setup, search, sensitivity
from pages.views.inspect import _models
from pages.views.train import _plan
from pages.views.train._look import ShownRun
from rankcore import get_algorithm, load_dataset, load_model, measures, save_model
from rankcore.cli import _running as cli
from rankcore.studies.models import model_to_json
from rankcore.topics.explore.computed import stored
from rankcore.topics.inspect.inspected import NoModelError
from rankcore.training.selection import select
from rankcore.views import Begin, Caption, Go, TakeModel, Tiles, Watched, read
from tests import viewing
from tests.soaking import soak
from tests.viewing import blocks, studied, values, view

pytestmark = pytest.mark.usefixtures("store")

MEASURE = "nDCG@10"
SPLITS = load_dataset("planted")
TRAIN, INSPECT = view("train", "Run"), view("inspect", "Query")
# The model of the last iteration is another one than the best.
SPARSE = {"data": "planted", "algorithm": "RSRank", "RSRank.g": 200.0}
SPARSE |= {"RSRank.max_iter": 60}
# Of several families: a gradient, cutting planes, trees.
LEARNERS, LIMIT = ("RSRank:g=200", "SVMNDCG", "RankBoost"), 12
EXPLORE = {"data": "planted", "map_values": 3, "map_iterations": 30, "map_y": "none"}
TREES = {"data": "planted", "algorithm": "RankBoost", "RankBoost.max_iter": 60}


@pytest.fixture(scope="module", params=[SPARSE, TREES])
def settings(request):
    return request.param


@pytest.fixture(scope="module")
def run(settings):
    training = _plan.run(read(TRAIN.rows(settings), settings))
    list(training)
    assert training.best.iteration < between(training) < training.history[-1].iteration
    return training


def between(run):
    """An iteration that is neither the best nor the last."""
    return (run.best.iteration + run.history[-1].iteration + 1) // 2


def of_record(record):
    """Iteration, features and validation value of a record."""
    return record.iteration, record.nonzeros, pytest.approx(record.valid[MEASURE])


def of_model(model):
    """The same of a fitted model, measured anew; what it says of itself agrees."""
    origin, coef = model.provenance_, model.parameters_
    value = valid_value(model, coef)
    assert value == pytest.approx(origin.measures[f"valid {MEASURE}"])
    assert origin.text.startswith(f"iteration {origin.iteration}, ")
    weights = model.feature_weights(coef, SPLITS.train.n_features)
    return origin.iteration, np.count_nonzero(weights), value


def valid_value(algorithm, coef):
    valid = SPLITS.valid
    return measures.means(valid, algorithm.scores(valid.X, coef), [MEASURE])[MEASURE]


def opened(go):
    """The values behind a link, through its text."""
    texts = {
        key: str(value) if (row := setting(key)) is None else row.format(value)
        for key, value in go.settings.items()
    }
    return links.opened(f"{go.page}?{urlencode(texts)}").values()


def on_train(go):
    """What Train shows at the end of the run behind a link: iteration, features and
    value; the model to export is that one."""
    now = opened(go)
    training = TRAIN.work.run(now, None)
    list(training)
    watched = Watched("its-id", "A run", "finished", None, training)
    seen, shown = ShownRun(now, watched), TRAIN.show(now, watched)
    facts = {fact.meaning: fact for fact in shown.facts}
    record = seen.record
    assert facts["Iteration"].number == str(record.iteration)
    assert facts[f"Validation {MEASURE}"].number == f"{record.valid[MEASURE]:.3f}"
    best = f"best {training.best.valid[MEASURE]:.3f} at {training.best.iteration}"
    assert facts[f"Validation {MEASURE}"].note == best
    assert facts[training.algorithm.nonzeros_title].number == str(record.nonzeros)
    (take,) = blocks(shown, TakeModel)
    assert of_model(take.model()) == of_record(record)
    (inspect,) = (go for go in blocks(shown, Go) if go.page == "inspect")
    assert inspected(inspect, {"its-id": training}) == of_record(record)
    return record.iteration, record.nonzeros, record.valid[MEASURE]


def inspected(go, works):
    """The model that the Inspector shows behind a link."""
    raw = {key: setting(key).parse(str(text)) for key, text in go.settings.items()}
    now = read(INSPECT.rows(raw), raw, "light", works.get)
    return of_inspected(now)


def of_inspected(now):
    result = _models.find(now.run, now["at"], now, SPLITS.train)
    value = valid_value(result.algorithm, result.coef)
    iteration = int(re.search(r"iteration (\d+)", result.note)[1])
    weights = result.algorithm.feature_weights(result.coef, SPLITS.train.n_features)
    return iteration, np.count_nonzero(weights), value


@pytest.mark.parametrize("step", [8, soak(1)])
def test_trade_offs_lead_to_the_model_that_is_chosen(step):
    of = view("explore", "Trade-offs")
    # The rate is so large that the best iterations are early ones.
    chosen = values(of, **EXPLORE, RSRank__learning_rate=0.001)
    study, iterations = studied(of, chosen), []
    panel = of.show(chosen, study).panels()[0]
    some = range(0, len(panel.picture.numbers()), step)
    for changes in [{}, *(panel.on_click("RSRank", number) for number in some)]:
        result = of.show(chosen | changes, study)
        facts = {fact.meaning: fact for fact in result.facts}
        (go,), (take,) = blocks(result, Go), blocks(result, TakeModel)
        iteration, features, value = of_model(take.model())
        assert on_train(go) == (iteration, features, pytest.approx(value))
        assert facts[f"Chosen {MEASURE}"].number == f"{value:.3f}"
        assert facts["Features kept"].number == str(features)
        words = f"iteration {iteration}, best on validation"
        assert facts[f"Chosen {MEASURE}"].note.endswith(words)
        iterations.append(iteration)
    assert min(iterations) < EXPLORE["map_iterations"]


def test_a_stored_run_of_trade_offs_opens_at_the_model_that_is_chosen(
    run, settings, store
):
    again = _plan.run(read(TRAIN.rows(settings), settings))
    with store.recording(again) as recorder:
        list(again)
    of = view("explore", "Trade-offs")
    raw = {**EXPLORE, "algorithm": settings["algorithm"]}
    works = {"computed": stored(store, "")}
    result = of.show(read(of.rows(raw), raw, "light", works.get), None)
    (go,), (take,) = blocks(result, Go), blocks(result, TakeModel)
    assert go.settings["job"] == recorder.id
    assert go.settings["at"] == str(run.best.iteration)
    assert of_model(take.model()) == of_record(run.best)


def test_each_cell_of_a_map_leads_to_its_model():
    of = view("explore", "Map")
    chosen = values(of, **EXPLORE)
    study = studied(of, chosen)
    result = _setup.map_of(study)
    for cell in result.cells:
        raw = {**EXPLORE, "map_cell": ",".join(map(str, cell.at))}
        works = {"explore/Map": study}
        shown = of.show(read(of.rows(raw), raw, "light", works.get), study)
        (go,) = [one for one in blocks(shown, Go) if one.page == "train"]
        (inspect,) = [one for one in blocks(shown, Go) if one.page == "inspect"]
        row = result.best_row(cell)
        wanted = row.iteration, row.nonzeros, pytest.approx(row.valid[MEASURE])
        assert on_train(go) == inspected(inspect, works) == wanted
        facts = {fact.meaning: fact for fact in shown.facts}
        assert facts["Features kept"].number == str(row.nonzeros)
        words = f"model: iteration {row.iteration}, best on validation"
        assert facts["Iterations"].note == words


def test_a_search_leads_to_its_model():
    of = search.VIEW
    chosen = values(of, data="planted", search_models=4, search_iterations=30)
    study = studied(of, chosen)
    for one in study.found:
        if not one.usable:
            continue
        raw = {**chosen, "search_model": str(one.number)}
        works = {search.PLACE: study}
        shown = of.show(read(of.rows(raw), raw, "light", works.get), study)
        (inspect,) = [one for one in blocks(shown, Go) if one.page == "inspect"]
        (go,) = [one for one in blocks(shown, Go) if one.page == "train"]
        (row,), (take,) = one.rows, blocks(shown, TakeModel)
        wanted = row.iteration, row.nonzeros, pytest.approx(row.valid[MEASURE])
        assert on_train(go) == inspected(inspect, works) == wanted
        assert of_model(take.model()) == wanted
        assert take.model().max_iter == 30
    best = shown.facts[0]
    assert ", best on validation" in best.note


@pytest.mark.parametrize("vary", ["seeds", "queries", "noise"])
def test_a_sensitivity_study_leads_to_its_model_of_these_settings(vary):
    of = sensitivity.VIEW
    entries = {"data": "planted", "seed": 1, "RSRank__learning_rate": 0.001}
    few = {"vary_repeats": 2, "vary_iterations": 30}
    chosen = values(of, **entries, vary=vary, **few)
    shown = of.show(chosen, study := studied(of, chosen))
    (go,), caption = blocks(shown, Go), blocks(shown, Caption)[0]
    # The first run with this seed and the training data as they are.
    plain = {"seeds": 0.0, "queries": SPLITS.train.n_queries, "noise": 0.0}[vary]
    places = study.subject.places
    row = next(one for one in study.found if places[one.cell] == (plain, 0))
    assert row.iteration < chosen.vary_iterations
    wanted = row.iteration, row.nonzeros, pytest.approx(row.valid[MEASURE])
    assert on_train(go) == wanted
    assert f"iteration {row.iteration}, best on validation" in caption.text


def test_folds_have_other_models_than_the_settings():
    of = sensitivity.VIEW
    chosen = values(of, data="planted", vary="folds", vary_repeats=2)
    shown = of.show(chosen, studied(of, chosen))
    (go,), caption = blocks(shown, Go), blocks(shown, Caption)[0]
    assert go.settings["at"] == "best"
    assert "not one of these models" in caption.text


def test_the_model_of_a_path_is_named_exported_and_the_start_of_a_run():
    of = view("sparsity", "One path")
    raw = {"data": "planted", "values": 4, "RSRank.max_iter": 20}
    study = studied(of, read(of.rows(raw), raw))
    works = {"sparsity/One path": study}
    shown = of.show(read(of.rows(raw), raw, "light", works.get), study)
    (take,), (begin,) = blocks(shown, TakeModel), blocks(shown, Begin)
    (inspect,) = blocks(shown, Go)
    model = take.model()
    iteration, features = model.provenance_.iteration, np.count_nonzero(model.coef_)
    value = valid_value(model, model.coef_)
    assert inspected(inspect, works) == (iteration, features, pytest.approx(value))
    facts = {fact.meaning: fact for fact in shown.facts}
    note = facts["Selected g"].note
    assert note.startswith((f"{features} of ", "the smallest model, "))
    assert note.endswith(f"iteration {iteration}, last")
    assert facts[f"Validation {MEASURE}"].number[:5] == f"{value:.4f}"[:5]
    first = next(begin.run())
    assert begin.at == str(first.iteration) == "0"
    assert (first.coef == model.coef_).all()
    assert first.valid[MEASURE] == pytest.approx(value)


def test_the_smallest_model_of_each_rule_is_named_and_exported():
    of = view("sparsity", "Compare rules")
    raw = {"data": "planted", "values": 4, "RSRank.max_iter": 20}
    study = studied(of, now := read(of.rows(raw), raw))
    shown = of.show(now, study)
    (take,) = blocks(shown, TakeModel)
    assert len(take.choices) == len(shown.facts) > 1
    for (name, words), fact in zip(take.choices.items(), shown.facts, strict=True):
        model = take.model(name)
        iteration, features = model.provenance_.iteration, np.count_nonzero(model.coef_)
        points = [one for one in study.found if one.cell.fold == name]
        (point,) = [one for one in points if (one.coef == model.coef_).all()]
        assert (iteration, features) == (point.iteration, point.nonzeros)
        measured = point.valid[MEASURE]
        assert valid_value(model, model.coef_) == pytest.approx(measured)
        assert fact.meaning.startswith(name)
        assert fact.number.startswith(f"{features} of ")
        assert f"iteration {iteration}, last" in fact.note
        assert words == f"{name}: {features} features, iteration {iteration}, last"
    assert take.model() is take.model(next(iter(take.choices)))


@pytest.mark.parametrize(
    ("page", "name", "preset"),
    [
        ("explore", "Map", ""),
        soak("explore", "Map", "SVMNDCG C"),
        soak("explore", "Search", ""),
        ("sparsity", "One path", ""),
        ("train", "Run", ""),
    ],
)
def test_an_example_leads_to_its_own_model_in_the_inspector(page, name, preset):
    of, whole = view(page, name), viewing.page(page)
    raw = {**whole.opening, **(of.scenarios()[preset] if preset else {})}
    now = read(of.rows(raw), raw)
    example = examples.example(whole, of, now)
    (go,) = [one for one in blocks(example.show(now), Go) if one.page == "inspect"]
    raw = {key: setting(key).parse(str(text)) for key, text in go.settings.items()}
    now = read(INSPECT.rows(raw), raw)
    train = datasets.of(now).train
    result = _models.find(now.run, now["at"], now, train)
    wanted = {
        "Map": lambda study: _setup.map_of(study).best_row(_setup.map_of(study).best),
        "Search": lambda study: max(study.found, key=lambda one: one.value).rows[0],
        "One path": lambda study: next(
            point
            for point in study.found
            if go.settings["run"].startswith(f"point-{point.cell.value:.6g}~")
        ),
        "Run": lambda watched: watched.run.history[-1],
    }[name](example.study)
    assert (result.coef == wanted.coef).all()
    assert f"iteration {wanted.iteration}, " in result.note
    assert now.run in _models.names(now)
    assert INSPECT.show(now).panels()


def test_a_comparison_leads_to_its_models_and_the_store_takes_them_on(
    store, monkeypatch
):
    monkeypatch.setattr(visitor, "current", lambda: "a-visitor")
    of = view("compare", "Each query")
    raw = {"data": "planted", "compared": LEARNERS, "compared_limit": LIMIT}
    raw |= {"compared_values": 1, "compared_seeds": 1}
    study = studied(of, read(of.rows(raw), raw))
    works = {"compare/Runs": study}
    wanted = {
        one.ranker.title: (one.iteration, one.nonzeros, pytest.approx(mean))
        for one in study.found
        for mean in [one.queries[MEASURE].mean()]
    }
    for first, second in permutations([one.terms.algorithm for one in study.found], 2):
        # The list that is chosen is inspected beside the other one.
        raw |= {"compared_first": first, "compared_second": second, "compared_list": 0}
        now = read(of.rows(raw), raw, "light", works.get)
        (go,) = blocks(of.show(now, study), Go)
        beside = go._replace(settings={**go.settings, "run": go.settings["beside"]})
        assert inspected(go, works) == wanted[get_algorithm(first).title]
        assert inspected(beside, works) == wanted[get_algorithm(second).title]
    go = go._replace(settings={**go.settings, "at": "last"})
    with pytest.raises(NoModelError, match="best on validation, not at"):
        inspected(go, works)
    of, raw = view("explore", "Trade-offs"), {**EXPLORE, "map_rule": "selected"}
    works = {"computed": stored(store, "a-visitor")}
    panel = of.show(read(of.rows(raw), raw, "light", works.get), None).panels()[0]
    for name, model in wanted.items():
        raw |= panel.on_click(name, 0)
        shown = of.show(read(of.rows(raw), raw, "light", works.get), None)
        (go,), (take,) = blocks(shown, Go), blocks(shown, TakeModel)
        assert on_train(go) == of_model(take.model()) == model


def test_the_runs_of_a_race_are_inspected_kept_and_exported(store, monkeypatch):
    monkeypatch.setattr(visitor, "current", lambda: "a-visitor")
    of = view("train", "Race")
    raw = {"data": "planted", "racers": LEARNERS, "race_limit": LIMIT}
    study, works = of.work.study(read(of.rows(raw), raw)), {}
    works["train/Race"] = study
    list(islice(study, len(LEARNERS) * LIMIT // 2))
    assert not study.ended
    # While they race, the last models are shown, and then the best.
    for at in ("last", "best"):
        for number, run in enumerate(study.subject.begun.values()):
            now = read(of.rows(raw), raw | {"race_list": number}, "light", works.get)
            shown = of.show(now, study)
            (go,) = [one for one in blocks(shown, Go) if one.page == "inspect"]
            record = select(run, at).record
            assert inspected(go, works) == of_record(record)
            (tiles,) = blocks(shown, Tiles)
            assert str(record.iteration) in re.findall(r"\d+", tiles.note)
        for _ in study:
            pass
    entries = {one.algorithm: one.id for one in store.newest(9, visitor="a-visitor")}
    assert len(entries) == len(LEARNERS)
    runs = view("runs", "Kept runs")
    for run in study.subject.begun.values():
        key = entries[type(run.algorithm).__name__]
        shown = runs.show(values(runs, runs_chosen=key))
        (take,) = blocks(shown, TakeModel)
        gos = {go.label.partition(" (")[0]: go for go in blocks(shown, Go)}
        raw = {"data": "planted", **gos["Inspect best model"].settings}
        assert inspected(Go("", "inspect", raw), {}) == of_record(run.best)
        assert of_model(take.model()) == of_record(run.best)
        assert gos["Open at best"].settings["at"] == str(run.best.iteration)


def test_a_kept_run_opens_inspects_and_exports_its_models(
    run, settings, store, tmp_path
):
    again = _plan.run(read(TRAIN.rows(settings), settings))
    with store.recording(again) as recorder:
        list(again)
    of, key = view("runs", "Kept runs"), recorder.id
    ends = {"best": run.best, "last": run.history[-1]}
    items = sorted(store.load(key).models().values())
    gone = next(n for n in range(1, items[-1]) if n not in items)
    shown = of.show(values(of, runs_chosen=key, runs_iteration=gone))
    (take,) = blocks(shown, TakeModel)
    for at, record in ends.items():
        assert of_model(take.model(at)) == of_record(record)
        assert of_model(store.load(key).model(at)) == of_record(record)
        model, ranked = tmp_path / f"{at}.json", tmp_path / f"{at}.trec"
        files = ["--model", str(model), "--run-out", str(ranked)]
        assert cli.run(["runs", "export", key, *files, "--at", at]) == 0
        assert of_model(load_model(model)) == of_record(record)
        scores = [float(line.split()[4]) for line in ranked.read_text().splitlines()]
        result = run.algorithm.scores(SPLITS.valid.X, record.coef)
        assert sorted(scores) == pytest.approx(sorted(result), rel=1e-5)
    assert [*take.choices] == ["best", "last"]
    gos = {go.label: go for go in blocks(shown, Go)}
    recalled = store.load(key).recalled(SPLITS.train, SPLITS.valid)
    watched = Watched(key, "A run", "finished", None, recalled)
    nearest = max((n for n in items if n < gone), default=items[0])
    for label, record in (
        (f"Open at best ({run.best.iteration})", run.best),
        (f"Open at iteration {gone}", run.history[nearest]),
    ):
        now = values(TRAIN, data="planted", at=gos[label].settings["at"])
        seen = ShownRun(now, watched)
        assert of_record(seen.record) == of_record(record)
        assert ("is not kept" in seen.missing) == label.endswith(f" {gone}")
        (taken,) = blocks(TRAIN.show(now, watched), TakeModel)
        assert of_model(taken.model()) == of_record(record)
    raw = {"data": "planted", **gos["Inspect best model"].settings}
    assert inspected(Go("", "inspect", raw), {}) == of_record(run.best)
    raw |= {"at": str(gone)}
    with pytest.raises(NoModelError, match=f"iteration {gone} is not kept"):
        inspected(Go("", "inspect", raw), {})


@pytest.mark.parametrize("at", ["best", "last", "between"])
def test_terminal_python_and_file_give_the_model_of_a_link(
    run, settings, tmp_path, at, capsys
):
    ends = {"best": run.best, "last": run.history[-1]}
    record = ends.get(at, run.history[between(run)])
    at = at if at in ends else str(record.iteration)
    now = opened(Go("", "train", settings | {"at": at}))
    shown = TRAIN.show(now, Watched("none", "", "not begun", None, None))
    names = {}
    exec(shown.python, names)
    assert of_record(names["model"].record) == of_record(record)
    file = tmp_path / "model.json"
    words = shown.command.split()[1:]
    assert cli.run([*words, "--out", str(file), "--no-store"]) == 0
    assert names["model"].text in capsys.readouterr().out
    model = load_model(file)
    assert of_model(model) == of_record(record)
    name = models.MODELS.add(model_to_json(model).encode(), "model.json").name
    assert inspected(
        Go("", "inspect", {"data": "planted", "run": name}), {}
    ) == of_record(record)
    save_model(model, file)
    assert of_model(load_model(file)) == of_record(record)
