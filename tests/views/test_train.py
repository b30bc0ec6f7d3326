"""Train: one run, how it is steered, and what its link says."""

import itertools
import re
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from pages.ui import registry, shared
from pages.ui.data import datasets
from pages.ui.data.datasets import Files
from pages.ui.panels.transport import FULL
from pages.ui.serving import visitor
from pages.views.train import _plan, _query
from rankcore import load_dataset, measures
from rankcore.algorithms import (
    ForestRanker,
    Step,
    Steps,
    get_algorithm,
    list_algorithms,
)
from rankcore.algorithms.parts.trees.forests import GrowingForest, stump
from rankcore.base.hyperparameters import hyperparameters
from rankcore.base.numbers import three_digits, told_apart
from rankcore.data.dataset import RankingDataset
from rankcore.data.readers import Shares
from rankcore.studies import Study
from rankcore.studies.exports import get_format
from rankcore.topics.inspect.inspection import forces as pushes
from rankcore.topics.margins.rounds import rounds
from rankcore.topics.train import bands
from rankcore.topics.train.bands import mean_band
from rankcore.topics.train.pace import pace
from rankcore.topics.train.run_names import difference
from rankcore.training import drive
from rankcore.training.selection import best_and_last
from rankcore.views import (
    Act,
    Ask,
    Caption,
    Declared,
    Panel,
    Popover,
    TakeModel,
    Tiles,
    Watched,
    flat,
)
from rankcore.views.pins import Pin, read_pins, write_pins
from tests import viewing
from tests.stub_algorithm import Given

VIEW = viewing.view("train", "Run")
PLACE = "train/Run"
LINK = {"data": "planted", "algorithm": "RSRank"}


@dataclass(eq=False, repr=False, kw_only=True)
class Trees(ForestRanker):
    """Its parameters are no coefficients: one stump more each step."""

    title: ClassVar[str] = "Trees"
    family: ClassVar[str] = "boosting"

    def steps(self, dataset, rng, start=None) -> Steps:
        forest = GrowingForest()
        for iteration in range(4):
            yield Step(iteration, forest.nodes(), 1.0, {"trees": float(iteration)})
            forest.add(stump(0, 0.5, 0.0, 1.0, gain=2.0))


def values(**chosen):
    return viewing.values(VIEW, **({"data": "planted"} | chosen))


def trained(chosen, iterations=10):
    """A run of the settings after so many iterations."""
    run = VIEW.work.run(chosen)
    list(itertools.islice(run, iterations + 1))
    return run


def ended(algorithm, data):
    """A run at its end."""
    run = drive(algorithm, data)
    list(run)
    return run


def watched(run, state="paused", settings=None, pinned=()):
    return Watched("one", "A run", state, settings, run, pinned)


NOT_BEGUN = Watched("none", "", "not begun", None, None)


def fact(shown, meaning):
    """The number and the note of a fact."""
    (result,) = (row for row in shown.facts if row.meaning == meaning)
    return [result.number, result.note]


def block(shown, kind):
    return next(one for one in flat(shown.blocks) if isinstance(one, kind))


def captions(shown):
    return [one for one in flat(shown.blocks) if isinstance(one, Caption)]


def curves(shown):
    return next(panel.picture for panel in shown.panels() if panel.key == "curves")


def asked(shown):
    """The keys of the settings whose controls are beside the figures."""
    items = [one for one in flat(shown.blocks) if isinstance(one, Ask)]
    return [row.key for one in items for row in one.settings]


def two_documents():
    return RankingDataset.from_arrays([[1.0], [0.0]], [1, 0])


def test_before_a_run_all_is_at_its_start():
    shown = VIEW.show(values(), NOT_BEGUN)

    assert fact(shown, "Iteration") == ["0", "of 500"]
    assert fact(shown, "Training nDCG@10") == ["–", ""]
    assert "has not begun" in curves(shown).alt
    assert not any(isinstance(one, TakeModel) for one in flat(shown.blocks))
    assert "replay" not in asked(shown)


def test_curves_do_not_wait_for_the_list(monkeypatch):
    lists, rank = [], _query.query_ranking
    monkeypatch.setattr(
        _query, "query_ranking", lambda *of: lists.append(of) or rank(*of)
    )

    *above, below = VIEW.show(values(), NOT_BEGUN).blocks

    assert "curves" in [one.key for one in above if isinstance(one, Panel)]
    assert not lists
    assert any(isinstance(one, Tiles) for one in below.columns[1])
    assert len(lists) == 1


def test_facts_are_those_of_the_last_record_and_of_the_best():
    chosen = values()
    run = trained(chosen)
    shown = VIEW.show(chosen, watched(run))
    last = run.history[-1]

    assert fact(shown, "Iteration") == ["10", "of 500, last"]
    assert fact(shown, "Training nDCG@10")[0] == f"{last.train['nDCG@10']:.3f}"
    assert fact(shown, "Validation nDCG@10") == [
        f"{last.valid['nDCG@10']:.3f}",
        f"best {run.best.valid['nDCG@10']:.3f} at {run.best.iteration}",
    ]
    # What the facts say is not said again.
    assert note(shown).endswith(f"ring: best, {run.best.nonzeros} features")
    assert fact(shown, "Training time")[1].endswith("each")
    assert len(shown.tables["Training curve"]()) == 10 + 1


def note(shown):
    """How the training curve is read."""
    return next(one.note for one in shown.panels() if one.key == "curves")


def test_an_iteration_that_ranks_nothing_says_so():
    run = trained(values(RSRank__g=1e5), 3)
    assert [record.ranks for record in run.history.records] == [True, *[False] * 3]
    shown = VIEW.show(values(at="2"), watched(run))
    assert fact(shown, "Iteration")[0] == "2"
    for measured in ("Training nDCG@10", "Validation nDCG@10"):
        assert fact(shown, measured)[0] == "ranks nothing"
    exported = shown.tables["Training curve"]()
    assert exported["ranks"].tolist() == [True, *[False] * 3]
    drawn = next(panel for panel in shown.panels() if panel.key == "curves")
    of_figure = drawn.picture.numbers()
    assert list(of_figure["valid nDCG@10"])[1:] == ["ranks nothing"] * 3


def test_a_link_names_the_model_that_is_shown():
    run = trained(values(RSRank__g=200.0), 30)
    best = run.best.iteration
    assert best < 30
    for at, record, how in (
        ("", run.history[-1], "last"),
        ("last", run.history[-1], "last"),
        ("best", run.best, "best on validation"),
        (str(best), run.best, "best on validation"),
        ("3", run.history[3], "as asked"),
    ):
        shown = VIEW.show(values(at=at), watched(run))
        value = f"{record.valid['nDCG@10']:.3f}"
        assert fact(shown, "Iteration") == [str(record.iteration), f"of 500, {how}"]
        assert fact(shown, "Validation nDCG@10") == [
            value,
            f"best {run.best.valid['nDCG@10']:.3f} at {best}",
        ]
        count = f"best, {run.best.nonzeros} features"
        whole = best_and_last(run, "nDCG@10")
        ring = count if record is run.history[-1] else whole
        assert note(shown).endswith(f"ring: {ring}")
        assert fact(shown, "Non-zero coefficients")[0] == str(record.nonzeros)
        (slider,) = (
            row
            for one in flat(shown.blocks)
            if isinstance(one, Ask)
            for row in one.settings
            if row.key == "replay"
        )
        assert slider.shows(values()) == record.iteration
        assert slider.writes(values(), 3) == {"at": "3"}


def test_an_iteration_that_the_run_did_not_reach_is_said():
    run = trained(values(), 10)
    reason = "There is no iteration 40: the run has those up to 10."
    for state in ("finished", "stopped", "failed"):
        shown = VIEW.show(values(at="40"), watched(run, state))
        assert shown.refused.reason.startswith(reason)
        assert (shown.facts, shown.blocks) == ((), ())
    # It may still come.
    shown = VIEW.show(values(at="40"), watched(run, "paused"))
    assert fact(shown, "Iteration")[0] == "10"
    assert reason in " ".join(one.text for one in captions(shown))
    shown = VIEW.show(values(at="40"), watched(run, "running"))
    assert not any("no iteration" in one.text for one in captions(shown))


def test_the_model_that_is_shown_comes_first_to_take_away():
    run = trained(values(RSRank__g=200.0), 30)
    best, last = run.best.iteration, 30
    for at, models in (
        ("", [best, last]),
        ("best", [best, last]),
        ("last", [last, best]),
        ("3", [3, best, last]),
    ):
        take = block(VIEW.show(values(at=at), watched(run)), TakeModel)
        made = [take.model(name).provenance_ for name in take.choices]
        assert [one.iteration for one in made] == models
        assert take.model().provenance_ == made[0]
        for one, result in zip(made, take.choices.values(), strict=True):
            record = run.history[one.iteration]
            assert result == (
                f"{one.text}: {record.nonzeros} features, {record.valid['nDCG@10']:.3f}"
            )


def test_speed_and_time_left_are_those_of_the_steps_taken():
    chosen = values(RSRank__max_iter=110)
    run = trained(chosen)
    result = pace(run)

    def notes(state):
        shown = VIEW.show(chosen, watched(run, state))
        return fact(shown, "Iteration")[1], fact(shown, "Training time")[1]

    assert notes("running") == (f"of 110, {result.speed}", result.time_left)
    assert notes("paused") == ("of 110, last", result.step)


def test_a_click_on_a_document_explains_its_place():
    chosen = values(query=2)
    run = trained(chosen)
    shown = VIEW.show(chosen, watched(run))
    tiles = block(shown, Tiles)
    document, above = tiles.ranking.documents[4], tiles.ranking.documents[3]
    assert [panel.key for panel in shown.panels()] == ["curves", "coefficients"]
    after = VIEW.show(chosen | tiles.on_click(document, 0), watched(run))

    panel = after.panels()[-1]
    assert panel.title == f"Why is {document} below {above}?"
    scores = tiles.ranking.scores
    rows = panel.picture.numbers()
    total = sum(row["contribution"] for row in rows)
    assert total == pytest.approx(scores[4] - scores[3])


def test_the_worst_queries_are_a_table_whose_choice_shows_the_query():
    chosen = values(part="valid")
    run = trained(chosen)
    shown = VIEW.show(chosen, watched(run))
    (table,) = block(shown, Popover).blocks()
    worst = block(shown, Act).changes()

    values_shown = [row["nDCG@10"] for row in table.rows]
    assert values_shown == sorted(values_shown)
    assert list(table.rows[0]) == ["query", "nDCG@10", "documents", "relevant"]
    assert table.on_choose(0) == worst
    after = VIEW.show(chosen | table.on_choose(5), watched(run))
    assert block(after, Tiles).title.lower() == table.rows[5]["query"]
    assert block(after, Tiles).ranking.value == pytest.approx(values_shown[5])


@pytest.mark.parametrize("measure", ["AP", "RR", "nDCG@10"])
def test_other_measures_are_recorded_and_drawn(measure):
    chosen = values(measure="nDCG@5", train_curve=measure)
    run = trained(chosen)
    panel = VIEW.show(chosen, watched(run)).panels()[0]

    assert panel.title == measure
    assert panel.picture.data[0]["y"][-1] == pytest.approx(
        run.history[-1].train[measure], abs=1e-6
    )
    alone = VIEW.show(values(measure="nDCG@5"), watched(run)).panels()[0]
    assert alone.title == "nDCG@5"


@pytest.mark.parametrize("over", ["iteration", "seconds"])
def test_a_band_is_drawn_on_request_and_said(over):
    chosen = values(train_band="on", train_axis=over, measure="AP")
    run = trained(chosen)
    pinned = watched(trained(chosen, 3), settings={"algorithm": "RSRank"})
    shown = VIEW.show(chosen, watched(run, pinned=[pinned]))
    names = [trace.get("name") for trace in curves(shown).data]
    assert names.count("band") == 2
    words = block(shown, Caption).text
    assert words == mean_band(run, "AP").method
    table = curves(shown).numbers()
    assert (table["validation from"] < table["valid AP"]).all()
    assert (table["valid AP"] < table["validation to"]).all()


def test_without_a_band_no_query_is_measured_for_it():
    run = trained(values())
    shown = VIEW.show(values(), watched(run))
    assert "band" not in [trace.get("name") for trace in curves(shown).data]
    assert run not in bands._INTERVALS


def test_the_run_may_be_drawn_over_training_time():
    chosen = values(train_axis="seconds")
    run = trained(chosen)
    picture = curves(VIEW.show(chosen, watched(run)))

    assert "seconds" in picture.layout["xaxis"]["title"]["text"]
    assert picture.data[0]["x"][-1] == pytest.approx(run.history[-1].seconds, rel=1e-4)
    assert "s of training nDCG@10 is" in picture.alt
    replayed = curves(VIEW.show(chosen | {"at": "3"}, watched(run)))
    lines = [shape["x0"] for shape in replayed.layout["shapes"]]
    assert run.history[3].seconds in lines


def test_replay_shows_all_as_it_was_then():
    chosen = values(train_list="chosen")
    run = trained(chosen)
    shown = VIEW.show(chosen | {"at": "3"}, watched(run))
    then = run.history[3]
    query = load_dataset("planted").train.query(0)

    assert "replay" in asked(shown)
    assert fact(shown, "Iteration")[0] == "3"
    assert fact(shown, "Training nDCG@10")[0] == f"{then.train['nDCG@10']:.3f}"
    ranking = block(shown, Tiles).ranking
    scores = np.sort(run.algorithm.scores(query.X, then.coef))[::-1]
    np.testing.assert_allclose(np.sort(ranking.scores)[::-1], scores)
    result = run.algorithm.scores(query.X, then.coef)
    forces = dict(
        zip(query.doc_names, pushes(run.algorithm, query, result), strict=True)
    )
    assert ranking.forces.tolist() == [forces[name] for name in ranking.documents]
    assert ranking.forces.any()


def test_a_list_has_no_forces_where_the_objective_has_none():
    chosen = values(algorithm="CoordinateAscent")
    tiles = block(VIEW.show(chosen, watched(trained(chosen, 1))), Tiles)
    assert tiles.ranking.forces is None
    assert "forces" not in tiles.note


def test_while_it_runs_the_last_record_is_shown_and_nothing_replayed():
    chosen = values(at="3")
    shown = VIEW.show(chosen, watched(trained(chosen), "running"))

    assert "replay" not in asked(shown)
    assert fact(shown, "Iteration")[0] == "10"


def noted(name, **chosen):
    """The line below the control of a hyperparameter of RSRank."""
    result = values(**chosen)
    rows = {row.key: row for row in VIEW.rows({})}
    return rows[f"RSRank.{name}"].note(result)


@pytest.mark.usefixtures("prepared")
def test_the_control_of_the_learning_rate_says_what_auto_is_and_what_is_stable():
    train = load_dataset("planted").train
    derived = get_algorithm("RSRank")().derived_values(train)["learning_rate"]

    result = noted("learning_rate")
    assert result.endswith(
        f"auto = {three_digits(derived.automatic)}, unstable above "
        f"{three_digits(derived.stable)}"
    )
    assert noted("learning_rate", RSRank__learning_rate=0.5) == result
    assert "auto" not in noted("g")


@pytest.mark.usefixtures("prepared")
def test_the_control_of_the_learning_rate_starts_from_the_value_of_auto():
    """The stops beside "auto" are the numbers next to what it stands for; the track has
    marks where that is, and where training is no longer stable."""
    train = load_dataset("planted").train
    result = get_algorithm("RSRank")().derived_values(train)["learning_rate"]
    row = {row.key: row for row in VIEW.rows({})}["RSRank.learning_rate"]
    labels, marks = row.labels(values()), row.marks(values())
    stops = [*labels]
    at = stops.index("auto")

    assert stops[at - 1] < result.automatic < stops[at + 1]
    assert [*stops[:at], *stops[at + 1 :]] == sorted({*stops} - {"auto"})
    assert labels["auto"] == f"auto ({three_digits(result.automatic)})"
    assert marks["auto"] == at / (len(stops) - 1)
    below, above = (sum(s < result.stable for s in stops if s != "auto"), len(stops))
    assert below / (above - 1) <= marks["unstable"] <= (below + 1) / (above - 1)


@pytest.mark.usefixtures("prepared")
@pytest.mark.parametrize("algorithm", ["LambdaRank", "ConeRank"])
def test_every_auto_that_the_data_decide_has_its_place_among_the_numbers(algorithm):
    chosen = values(algorithm=algorithm)
    rows = [
        row
        for row in VIEW.rows({"algorithm": algorithm})
        if isinstance(row, Declared) and row.derived(chosen) is not None
    ]
    assert rows
    for row in rows:
        stops = [stop for stop in row.labels(chosen) if stop is not None]
        at, automatic = stops.index("auto"), row.derived(chosen).automatic
        assert stops[at - 1] <= automatic <= stops[at + 1]


def test_a_control_says_three_digits_of_a_value_and_keeps_all():
    g = 34.73738735932842
    row = {row.key: row for row in VIEW.rows({})}["RSRank.g"]
    labels = row.labels(values(RSRank__g=g))
    assert labels[g] == "34.7"
    assert row.parse(row.format(g)) == g
    assert f"--g {g!r}" in _plan.command(values(RSRank__g=g))
    close = row.declared.stops(g, 34.7)
    assert told_apart(close)[g] == repr(g)


@pytest.mark.parametrize("algorithm", list_algorithms())
def test_controls_write_powers_of_ten_as_people_do(algorithm):
    chosen = values(algorithm=algorithm)
    rows = [row for row in VIEW.rows({"algorithm": algorithm}) if type(row) is Declared]
    texts = [text for row in rows for text in row.labels(chosen).values()]
    texts += [row.note(chosen) for row in rows if row.note is not None]
    assert not [text for text in texts if re.search(r"\de[-+]\d", text)]


def test_a_learning_rate_that_is_not_stable_is_named_below_the_curve():
    chosen = values(RSRank__learning_rate=0.01)
    run = trained(chosen)

    def said(run):
        shown = VIEW.show(chosen, watched(run))
        return [one.text for one in shown.blocks if isinstance(one, Caption)]

    (caption,) = said(run)
    assert caption.startswith("Learning rate 0.01 exceeds the stability limit")
    assert said(trained(values())) == []
    run.change(learning_rate="auto")
    list(itertools.islice(run, 2))
    assert said(run) == []


def test_a_run_is_made_of_the_settings():
    chosen = values(RSRank__g=10, measure="AP", convention="letor3", seed=4)
    run = trained(chosen, 1)

    assert run.algorithm.g == 10
    assert run.algorithm.random_state == 4
    assert run.rules.convention == "letor3"
    assert list(run.history[-1].train) == ["AP", "nDCG@10", "RR"]


def test_a_run_is_shown_with_its_own_data_and_measure():
    """The settings may have changed since it began."""
    run = trained(values(measure="AP"))
    shown = VIEW.show(values(data="toy-2d"), watched(run))

    assert fact(shown, "Training AP")[0] == f"{run.history[-1].train['AP']:.3f}"
    assert shown.facts[3].note == f"of {run.train.n_features}"


def test_the_split_of_a_query_gives_way_to_one_that_there_is():
    """A run under way may have fewer splits than the data that is chosen now."""
    run = ended(Given(coefs=((0.0,), (1.0,)), objectives=(1.0, 0.5)), two_documents())
    shown = VIEW.show(values(part="valid", query=9), watched(run))

    assert block(shown, Tiles).title.startswith("Query ")


def test_the_query_on_which_the_model_loses_most():
    data = load_dataset("planted").train
    result = measures.evaluate(data, np.zeros(data.n_documents), empty="one")
    shown = VIEW.show(values(train_list="chosen"), NOT_BEGUN)

    worst = result["nDCG@10"].argmin() + 1
    assert block(shown, Act).changes() == chosen_query("train", worst)
    assert block(shown, Tiles).rows == 10


def chosen_query(split, number):
    return {"part": split, "query": number, "train_list": "chosen"}


def test_the_list_opens_on_the_worst_validation_query_of_the_best_model():
    chosen = values()
    run = trained(chosen)
    data, best = run.valid, run.best
    scores = run.algorithm.scores(data.X, best.coef)
    result = measures.evaluate(data, scores, empty="one")["nDCG@10"]
    worst = int(result.argmin())
    shown = VIEW.show(chosen, watched(run))

    assert block(shown, Tiles).title == data.query(worst).title
    value = block(shown, Tiles).ranking.value
    assert value == pytest.approx(result.min())
    rows = [row for ask in viewing.blocks(shown, Ask) for row in ask.settings]
    split, query = (row for row in rows if row.key in ("part", "query"))
    assert (split.shows(chosen), query.shows(chosen)) == ("valid", worst + 1)
    assert query.names(chosen) == data.query_names
    assert "The worst validation query." in block(shown, Caption).text
    # Another split opens on its worst query, too.
    train = chosen | split.writes(chosen, "train")
    scores = run.algorithm.scores(run.train.X, run.history[-1].coef)
    result = measures.evaluate(run.train, scores, empty="one")["nDCG@10"]
    assert title_of(train, run) == run.train.query(int(result.argmin())).title
    caption = block(VIEW.show(train, watched(run)), Caption).text
    assert "The worst training query." in caption
    # A choice, or a link with one, shows what is chosen.
    assert title_of(chosen | query.writes(chosen, 3), run) == data.query(2).title
    assert title_of(values(query=2), run) == run.train.query(1).title
    assert title_of(values(part="valid"), run) == data.query(0).title
    caption = block(VIEW.show(values(query=2), watched(run)), Caption).text
    assert "worst" not in caption


def title_of(chosen, run):
    return block(VIEW.show(chosen, watched(run)), Tiles).title


def test_the_list_stays_with_one_query_while_a_run_is_active():
    run = trained(values())
    titles = {
        block(VIEW.show(values(at=at), watched(run, "running")), Tiles).title
        for at in ("", "1", "5")
    }
    assert len(titles) == 1


def test_a_query_without_relevant_documents_has_no_value():
    data = RankingDataset.from_arrays([[1.0], [0.0]], [0, 0])
    run = ended(Given(coefs=((0.0,), (1.0,)), objectives=(1.0, 0.5)), data)
    shown = VIEW.show(values(), watched(run))

    assert "undefined" in block(shown, Caption).text


def test_pinned_runs_are_drawn_with_what_differs():
    chosen, other = values(), values(seed=5)
    pinned = watched(trained(chosen, 3), settings=VIEW.studied(chosen, LINK))
    result = watched(
        trained(other, 3), settings=VIEW.studied(other, LINK), pinned=[pinned]
    )
    names = [trace.get("name") for trace in curves(VIEW.show(other, result)).data]

    assert "seed = 0" in names


def test_runs_differ_in_settings_or_are_named():
    settings = {
        "algorithm": "RSRank",
        "seed": 0,
        "RSRank.g": 10.0,
        "RSRank.max_iter": 500,
    }

    other = settings | {"RSRank.max_iter": 20, "RSRank.g": 0.5, "seed": 3}
    result = difference("RSRank", other, settings)
    assert result == "seed = 3, g = 0.5, maximum iterations = 20"
    assert difference("RSRank", settings, settings) == "RSRank"
    assert difference("RankNet", {"algorithm": "RankNet"}, settings) == "RankNet"
    assert difference("RSRank", settings, None) == "RSRank"
    changed = settings | {"changes": "3:g=0.05;5:g=0.07;9:learning_rate=7e-06"}
    for other in (settings, None, {"algorithm": "RankNet"}):
        result = difference("RSRank", changed, other)
        assert result == "RSRank, g → 0.07, η → 7e-06"
    assert difference("RSRank", changed | {"seed": 3}, settings).startswith(
        "seed = 3, g →"
    )
    assert difference("RSRank", changed, changed) == "RSRank"


def test_a_model_of_a_run_before_is_named_after_that_run():
    settings = VIEW.studied(values(), LINK)
    result = watched(trained(values()), settings=settings)
    shown = VIEW.show(values(data="toy-2d"), result)

    assert block(shown, TakeModel).stem == "RSRank-planted"


def test_a_model_without_coefficients_shows_what_its_features_earn():
    run = ended(Trees(max_iter=3), two_documents())
    shown = VIEW.show(values(), watched(run, "finished"))

    assert fact(shown, "Features used") == ["1", "of 1"]
    assert [panel.title for panel in shown.panels()] == ["nDCG@10", "Gain of splits"]


def test_features_of_mixed_scales_get_a_caution():
    rng = np.random.default_rng(0)
    raw = RankingDataset.from_arrays(
        rng.uniform(size=(60, 2)) * [1e-4, 10.0],
        rng.integers(3, size=60),
        np.repeat(np.arange(10), 6),
    )
    name = datasets.upload(Shares().divide(raw), Files({"train": "raw"}))
    chosen = values(data=name, algorithm="FenchelRank")

    assert "the ball is in the units of the features" in VIEW.work.caution(chosen)
    assert VIEW.work.refuses(chosen) is None
    scaled = values(data=name, algorithm="FenchelRank", normalise="minmax")
    assert VIEW.work.caution(scaled) is None


def test_an_algorithm_that_cannot_train_on_the_data_says_why():
    refused = datasets.refusals(values(data="toy-2d"))
    for name in list_algorithms():
        refuses = VIEW.work.refuses(values(data="toy-2d", algorithm=name))
        assert refuses == refused.get(name)


@pytest.mark.parametrize("name", list_algorithms())
def test_an_algorithm_has_its_defaults_and_its_presets(name):
    algorithm = get_algorithm(name)
    declared = hyperparameters(algorithm)
    assert values(algorithm=name).of(algorithm) == {
        key: row.default for key, row in declared.items() if key != "random_state"
    }

    presets = VIEW.scenarios({"algorithm": name})
    assert list(presets) == list(algorithm.presets)
    for title, result in algorithm.presets.items():
        shown = viewing.read(VIEW.rows(presets[title]), presets[title]).of(algorithm)
        for key, value in result.items():
            if declared[key].applies(shown):
                assert shown[key] == value


@pytest.mark.parametrize("name", list_algorithms())
def test_labels_are_words_and_say_more_than_the_symbol(name):
    for parameter in hyperparameters(get_algorithm(name)).values():
        title = parameter.title.lower()
        assert len(title) >= 4
        assert title != parameter.symbol.strip("\\").lower()
        assert not title.startswith("init")


@pytest.mark.parametrize("name", list_algorithms())
def test_few_controls_are_in_sight_and_none_of_them_depends_on_a_folded_one(name):
    declared = hyperparameters(get_algorithm(name))
    main = [row for row in declared.values() if not row.advanced]

    seen = [row.key for row in VIEW.rows({"algorithm": name}) if in_sight(row)]

    assert len(seen) <= 4
    assert not any(declared[other].advanced for row in main for other in row.shown_when)


def in_sight(row):
    return not row.group and not row.inline


def test_a_name_is_chosen_among_the_features_of_the_data():
    rows = VIEW.rows({"algorithm": "SingleFeature"})
    (row,) = (row for row in rows if row.key == "SingleFeature.feature")
    assert tuple(row.features(values())) == load_dataset("planted").train.feature_names


# From here on with the frame.


@pytest.fixture
def train(run_page):
    return run_page("train", **LINK)


def job_of(page):
    looked_at = page.session_state["jobs looked at"][PLACE]
    return registry.registry().get(looked_at)


def click(page, key):
    """Press a button, then draw the page; the callback draws fragments only."""
    page.button(key=key).click().run()
    return page.run()


def wait_for(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def paused(page):
    """The page once its run is paused."""
    wait_for(lambda: job_of(page).state == "paused")
    return page.run()


def written(page, meaning):
    """The number and the note of a fact, as they are drawn."""
    facts = next(html for html in page.get("html") if "rs-facts" in html.proto.body)
    cells = re.sub(r"</?abbr[^>]*>", "", facts.proto.body)
    cell = cells.split(f">{meaning}<")[1].split("</div>")[0]
    return re.findall(r'rs-(?:number|note)">([^<]*)', cell)


def ended_in(place, run, settings=LINK):
    """A job of a place, at its end."""
    job = registry.registry().submit(run, title="A run", settings=settings, play=True)
    registry.look_at(place, job.id)
    assert job.wait(120)
    return job


def test_ten_steps_are_ten_iterations_and_one_more_is_one(train, drawn):
    click(train, "step_10")
    job = job_of(paused(train))

    assert not train.exception
    assert job.history[-1].iteration == 10
    assert written(train, "Iteration")[0] == "10"
    assert len(job.history) == 10 + 1
    assert train.query_params["job"] == job.id
    assert "Paused." in [line.value for line in train.caption]

    click(train, "step_1")
    wait_for(lambda: job.state == "paused" and len(job.history) > 11)
    assert job.history[-1].iteration == 11
    assert job_of(train) is job


def test_replay_moves_and_a_step_follows_the_run_again(train):
    click(train, "step_10")
    paused(train)
    assert train.slider(key="replay#0").value == 10
    train.slider(key="replay#0").set_value(3).run()
    train.run()
    assert not train.exception
    assert written(train, "Iteration")[0] == "3"
    assert train.query_params["at"] == "3"

    click(train, "step_1")
    wait_for(lambda: len(job_of(train).history) > 11)
    paused(train)
    assert written(train, "Iteration")[0] == "11"
    assert "at" not in train.query_params


def test_an_iteration_of_the_link_stays_until_the_run_has_it(run_page):
    page = run_page("train", **LINK, at="12")
    click(page, "step_10")
    paused(page)
    assert written(page, "Iteration")[0] == "10"
    click(page, "step_10")
    wait_for(lambda: len(job_of(page).history) > 20)
    paused(page)

    assert written(page, "Iteration")[0] == "12"
    assert page.query_params["at"] == "12"
    click(page, "step_1")
    wait_for(lambda: len(job_of(page).history) > 21)
    paused(page)
    assert written(page, "Iteration")[0] == "21"


def test_another_speed_is_the_pace_of_the_run_under_way(run_page):
    page = run_page("train", **LINK, speed="2 iterations/s")
    click(page, "play")
    job = job_of(page)
    assert job.speed == 2
    page.selectbox(key="speed#0").select("unlimited").run()

    assert job.speed is None
    wait_for(lambda: len(job.history) > 300)
    assert job_of(page) is job
    job.steer().stop()


def test_restart_looks_at_no_job_and_ends_the_old_one(train):
    click(train, "step_1")
    job = job_of(train)
    click(train, "restart")
    wait_for(lambda: job.ended)
    train.run()

    assert "job" not in train.query_params
    assert written(train, "Iteration")[0] == "0"


def test_a_link_to_a_run_shows_it_with_its_settings(run_page):
    first = run_page("train", **LINK, seed="7", **{"RSRank.g": "10"})
    click(first, "step_10")
    paused(first)
    other = run_page("train", job=job_of(first).id)

    assert other.selectbox(key="data#0").value == "planted"
    assert other.number_input(key="seed#0").value == 7
    assert written(other, "Iteration")[0] == "10"
    assert other.query_params == first.query_params


def test_changed_settings_begin_a_new_run(train):
    click(train, "step_1")
    before = job_of(paused(train))
    train.number_input(key="seed#0").set_value(5).run()
    train.run()
    assert any("Settings changed" in line.value for line in train.caption)

    click(train, "play")
    after = job_of(train)
    assert after.id != before.id
    assert after.algorithm.random_state == 5
    wait_for(lambda: before.ended)
    after.steer().stop()


def slide(page, key, value):
    """Move the slider of a hyperparameter, then draw the page."""
    number = page.session_state["numbers of controls"].get(key, 0)
    page.select_slider(key=f"{key}#{number}").set_value(value).run()
    return page.run()


def stepped(page, key, least):
    click(page, key)
    wait_for(lambda: len(job_of(page).history) > least)
    return job_of(paused(page))


def shown_value(page, key):
    return next(one.value for one in page.select_slider if one.key.startswith(key))


def test_a_control_changes_the_run_from_its_next_iteration_on(train, drawn):
    job = stepped(train, "step_10", 10)
    slide(train, "RSRank.g", 10.0)
    assert job_of(train) is job
    assert not any("Settings changed" in line.value for line in train.caption)
    assert train.query_params["changes"] == "10:g=10.0"
    assert "RSRank.g" not in train.query_params
    assert shown_value(train, "RSRank.g") == 10.0

    stepped(train, "step_1", 11)
    assert job.history.changes == [(10, "g", 0.0, 10.0)]
    labels = drawn(train)["curves"]["layout"]["annotations"]
    assert labels[-1]["text"] == "g 0 → 10"
    slide(train, "RSRank.learning_rate", 1e-3)
    assert train.query_params["changes"] == "10:g=10.0;11:learning_rate=0.001"


def test_a_link_with_changes_trains_the_same_again(run_page, train):
    first = stepped(train, "step_10", 10)
    slide(train, "RSRank.g", 10.0)
    stepped(train, "step_10", 20)
    link = {key: value for key, value in train.query_params.items() if key != "job"}
    again = run_page("train", **link)
    assert shown_value(again, "RSRank.g") == 10.0
    second = stepped(again, "step_10", 10)
    second = stepped(again, "step_10", 20)

    assert second is not first
    assert second.history.changes == first.history.changes
    for one, other in zip(first.history, second.history, strict=True):
        np.testing.assert_array_equal(one.coef, other.coef)
    click(again, "restart")
    assert again.query_params["changes"] == "10:g=10.0"


def test_a_second_visitor_follows_the_changes(run_page, train):
    job = stepped(train, "step_10", 10)
    other = run_page("train", job=job.id)
    slide(train, "RSRank.g", 10.0)
    other.run()
    assert not any("Settings changed" in line.value for line in other.caption)
    other.session_state["changes"] = job.settings["changes"]
    other.run()
    assert other.query_params == train.query_params


OF_THE_OWNER = {"play", "pause", "step_1", "step_10", "step_100", "restart"}


def keys(page):
    """Of the buttons that can be pressed."""
    return {one.key for one in page.button if not one.disabled}


def test_a_stranger_watches_a_run_under_way_and_cannot_steer_it(
    run_page, train, monkeypatch
):
    click(train, "play")
    job = job_of(train)
    wait_for(lambda: len(job.history) > 3)
    # It must not end while it is watched here, however slow the machine.
    job.steer().limit(1.0)
    before = dict(job.settings)
    page = run_page("train", job=job.id)
    assert keys(page) & OF_THE_OWNER == set()
    assert any("Another visitor's run" in line.value for line in page.caption)
    assert {"own", "pin_run"} <= keys(page)
    assert not any("speed" in (one.key or "") for one in page.selectbox)

    # A control sets the values of the visitor's own run.
    slide(page, "RSRank.g", 10.0)
    assert job.run.changes == {}
    assert dict(job.settings) == before
    assert any("Settings changed" in line.value for line in page.caption)
    assert job.state in ("running", "queued")
    assert "own" not in keys(page)
    click(page, "start_new")
    result = job_of(page)
    assert result is not job
    assert result.algorithm.g == 10.0
    assert not job.ended
    assert keys(page) >= {"restart"}
    result.steer().stop()
    job.steer().stop()


def test_a_stranger_trains_the_same_as_an_own_run(run_page, train):
    job = stepped(train, "step_10", 10)
    slide(train, "RSRank.g", 10.0)
    other = run_page("train", job=job.id, changes=job.settings["changes"])
    click(other, "own")
    result = job_of(other)
    assert result is not job
    assert result.settings == job.settings
    assert not job.ended
    result.steer().stop()


def test_a_button_of_the_owner_does_nothing_for_a_stranger(train, monkeypatch):
    click(train, "play")
    job = job_of(train)
    monkeypatch.setattr(visitor, "current", lambda: "a stranger")
    # As it was drawn for the owner.
    train.button(key="pause").click().run()
    train.run()
    assert job.state in ("running", "queued")
    assert keys(train) & OF_THE_OWNER == set()
    job.steer().stop()


def test_without_a_run_a_control_is_the_value_at_the_start(run_page):
    page = run_page("train", **LINK, changes="4:g=10;6:learning_rate=0.001")
    assert shown_value(page, "RSRank.g") == 10.0
    slide(page, "RSRank.g", 50.0)

    assert page.query_params["RSRank.g"] == "50.0"
    assert page.query_params["changes"] == "6:learning_rate=0.001"


@pytest.mark.parametrize("changes", ["nonsense", "4:init=zeros", "4:g=-1"])
def test_changes_that_cannot_be_made_are_named(run_page, changes):
    page = run_page("train", **LINK, changes=changes)
    assert not page.exception
    assert "changes" in page.warning[0].value
    page.button(key="leave_out").click().run()
    page.run()
    assert "changes" not in page.query_params


def test_pause_stays_and_other_settings_offer_two_ways_on(run_page):
    page = run_page("train", **LINK, speed="2 steps a second")
    click(page, "play")
    job = job_of(page)
    wait_for(lambda: len(job.history) > 2)
    page.number_input(key="seed#0").set_value(5).run()
    page.run()
    assert page.button(key="pause")
    click(page, "pause")
    assert paused(page).button(key="start_new")

    here = job.history[-1].coef
    click(page, "start_here")
    after = job_of(page)
    assert after is not job
    wait_for(lambda: len(after.history) > 1)
    np.testing.assert_array_equal(after.history[0].coef, here)
    assert after.algorithm.random_state == 5
    click(page, "pause")
    command = _plan.command(values(seed=5), after.run)
    assert command.endswith("RSRank --start model.json --seed 5")


def test_a_run_from_here_begins_with_the_present_hyperparameters(train):
    stepped(train, "step_1", 1)
    slide(train, "RSRank.g", 10.0)
    train.number_input(key="seed#0").set_value(5).run()
    train.run()
    click(train, "start_here")

    assert job_of(train).algorithm.g == 10.0
    assert train.query_params["RSRank.g"] == "10.0"
    assert "changes" not in train.query_params
    job_of(train).steer().stop()


def test_trees_are_no_start(run_page):
    page = run_page("train", data="planted", algorithm="RankBoost")
    stepped(page, "step_1", 1)
    page.number_input(key="seed#0").set_value(5).run()
    page.run()

    assert page.button(key="start_new")
    assert "start_here" not in [one.key for one in page.button]


FLAT = {
    "algorithm": "ApproxNDCG",
    "ApproxNDCG.alpha": "1000",
    "ApproxNDCG.init_scale": "10",
}


def banner(page):
    return [one.value for one in page.warning if "gradient has vanished" in one.value]


def test_a_vanished_gradient_is_a_banner_with_the_remedy(run_page):
    page = run_page("train", data="planted", **FLAT | {"ApproxNDCG.alpha": "100"})
    job = stepped(page, "step_1", 1)
    assert banner(page)
    remedy = job.run.algorithm.remedy(job.history[-1], job.run.train)
    assert page.button(key="remedy").label == f"Set α to {remedy['alpha']:g}"

    click(page, "remedy")
    assert job_of(page) is job
    stepped(page, "step_1", 2)
    assert job.history.changes == [(1, "alpha", 100.0, remedy["alpha"])]
    assert not banner(page)


def test_a_run_that_has_ended_goes_on_with_the_remedy_in_a_new_one(run_page):
    page = run_page("train", data="planted", speed="unlimited", **FLAT)
    click(page, "play")
    job = job_of(page)
    job.wait(60)
    page.run()
    assert job.state == "finished"
    assert banner(page)
    assert "Finished." in [one.value for one in page.caption]

    click(page, "remedy")
    after = job_of(page)
    assert after is not job
    wait_for(lambda: len(after.history) > 0)
    np.testing.assert_array_equal(after.history[0].coef, job.history[-1].coef)
    assert after.algorithm.alpha < 1000.0
    assert shown_value(page, "ApproxNDCG.alpha") == after.algorithm.alpha
    assert after.algorithm.problem(after.history[0]) is None
    after.steer().stop()


def test_changes_are_part_of_the_command():
    command = _plan.command(values(changes="4:learning_rate=0.001;9:g=5"))
    assert command == (
        "rankscope train planted RSRank --change 4:learning-rate=0.001 "
        "--change 9:g=5.0 --seed 0"
    )


def test_a_pinned_run_stays_in_the_picture_and_in_the_link(run_page, train, drawn):
    click(train, "step_1")
    pinned = job_of(paused(train))
    click(train, "pin_run")
    assert train.button(key="unpin")
    train.number_input(key="seed#0").set_value(5).run()
    click(train, "step_1")
    paused(train)

    def names(page):
        return [trace.get("name") for trace in drawn(page)["curves"]["data"]]

    assert "seed = 0" in names(train)
    assert not pinned.ended
    link = dict(train.query_params)
    assert read_pins(link["pin"]) == [
        Pin(pinned.id, settings={"algorithm": "RSRank", "data": "planted"})
    ]
    assert "seed = 0" in names(run_page("train", **link))


def test_what_happens_to_the_oldest_pin_is_said_before(run_page):
    pins = [Pin(f"gone {i}", settings={"algorithm": "RSRank"}) for i in range(5)]

    def said(count):
        page = run_page("train", **LINK, pin=write_pins(pins[:count]))
        return FULL in [one.value for one in page.caption]

    assert said(5)
    assert not said(4)


def test_a_pinned_run_is_hidden_renamed_and_removed(run_page, train, drawn):
    click(train, "step_1")
    pinned = job_of(paused(train)).id
    click(train, "pin_run")
    train.number_input(key="seed#0").set_value(5).run()
    click(train, "step_1")
    paused(train)

    def names():
        return [trace.get("name") for trace in drawn(train)["curves"]["data"]]

    train.checkbox(key=f"run_shown {pinned} False").uncheck().run()
    assert "seed = 0" not in names()
    train.checkbox(key=f"run_shown {pinned} True").check().run()
    train.text_input(key=f"run_name {pinned} seed = 0").set_value("Before").run()
    assert "Before" in names()
    click(train, f"run_removed {pinned}")
    assert "pin" not in train.query_params
    assert "Before" not in names()


def test_pinned_runs_that_are_gone_are_trained_again(run_page, drawn):
    pin = Pin("gone", "Short", settings={"algorithm": "RSRank", "RSRank.max_iter": "3"})
    other = pin._replace(id="gone too", name="", settings={"algorithm": "RankNet"})
    page = run_page("train", **LINK, pin=write_pins([pin, other]))
    assert [one.label for one in page.checkbox if "not in memory" in one.label] == [
        "Short – not in memory",
        "RankNet – not in memory",
    ]

    click(page, "train_pins")
    again = [
        registry.registry().get(one.id) for one in read_pins(page.query_params["pin"])
    ]
    assert [type(job.run.algorithm).__name__ for job in again] == ["RSRank", "RankNet"]
    again[0].wait(60)
    assert again[0].history[-1].iteration == 3
    page.run()
    assert "Short" in [one.get("name") for one in drawn(page)["curves"]["data"]]
    assert not any("not in memory" in one.label for one in page.checkbox)


def test_a_failed_run_says_why_and_keeps_its_curve(run_page, train):
    run = drive(
        Given(coefs=((0.0,), (1.0,)), objectives=(1.0, 0.5), fails_at=2, loop=True),
        two_documents(),
    )
    page = run_page("train", **LINK, job=ended_in(PLACE, run).id)

    assert "the step went wrong" in page.error[0].value
    assert written(page, "Iteration")[0] == "1"


def test_a_run_that_ended_before_its_first_record_shows_the_start(run_page):
    run = drive(Given(fails_at=0, loop=True), two_documents())
    page = run_page("train", **LINK, job=ended_in(PLACE, run).id)

    assert not page.exception
    assert "the step went wrong" in page.error[0].value
    assert written(page, "Iteration")[0] == "0"
    assert page.button(key="pin_run").disabled


def test_a_link_to_a_study_of_another_page_says_so(run_page, drawn):
    study = Study((n for n in range(3)), 3, "numbers")
    job = ended_in("sparsity/One path", study, {})
    page = run_page("train", **LINK, job=job.id)
    assert not page.exception
    assert "belongs to Sparsity: One path" in page.info[0].value
    assert drawn(page) == {}

    page = run_page("train", **LINK, pin=job.id)
    assert not page.exception
    assert written(page, "Iteration")[0] == "0"


def test_the_state_is_the_same_in_all_that_is_drawn(train, monkeypatch):
    """A run may end while the page is being drawn."""
    click(train, "step_1")
    job = job_of(paused(train))
    states = itertools.chain(["running"], itertools.repeat("finished"))
    monkeypatch.setattr(type(job), "state", property(lambda self: next(states)))
    train.run()

    timers = [one for one in train.get("bidi_component") if "timer" in one.proto.id]
    assert train.button(key="pause")
    assert timers


def test_a_model_is_previewed_in_the_format_chosen(train):
    click(train, "step_1")
    paused(train)
    train.session_state["export_model"] = True
    train.run()
    train.selectbox(key="export_format").select("ranklib").run()
    train.run()

    assert not train.exception
    assert "## Coordinate Ascent" in train.code[0].value


def test_scaled_features_are_refused_until_the_target_scales_too(run_page):
    page = run_page("train", **LINK, normalise="minmax")
    click(page, "step_1")
    paused(page)
    page.session_state["export_model"] = True
    page.session_state["export_format"] = "solr"
    page.run()
    assert "cannot be folded" in page.warning[0].value

    page.checkbox(key="export_scaled").check().run()
    page.run()
    assert "LinearModel" in page.code[0].value


def test_a_model_is_compared_with_scores_in_use_before_it_is_exported(train):
    click(train, "step_1")
    paused(train)
    train.session_state["export_model"] = True
    train.run()
    against = train.selectbox(key="export_against")
    assert against.options[0] == "None"
    assert not any("in use" in info.value for info in train.info)

    column = next(one for one in against.options if one.startswith("Feature: "))
    against.select(column).run()
    train.run()
    assert not train.exception
    (result,) = (
        one.value for one in [*train.info, *train.warning] if " in use." in one.value
    )
    assert "queries" in result
    columns = [set(one.value.columns) for one in train.dataframe]
    assert any({"queries by", "group", "verdict"} <= item for item in columns)
    assert any("documents change for" in one.value for one in train.caption)


def test_a_model_of_trees_is_offered_in_formats_that_hold_trees(run_page, train):
    run = drive(Trees(max_iter=3), two_documents())
    page = run_page("train", **LINK, job=ended_in(PLACE, run).id)
    page.session_state["export_model"] = True
    page.run()

    assert not page.exception
    offered = page.selectbox(key="export_format").options
    assert get_format("csv").title not in offered
    assert {get_format(name).title for name in ("json", "solr")} <= set(offered)
    assert '"version": 2' in page.code[0].value
    page.selectbox(key="export_format").select("solr").run()
    assert "MultipleAdditiveTreesModel" in page.code[0].value
    assert "schema/model-store" in page.code[1].value


def test_data_that_is_not_here_is_said(run_page):
    page = run_page("train", data="upload-00000000")

    assert not page.exception
    assert "not here" in page.warning[0].value


def test_a_name_is_offered_and_kept(run_page):
    page = run_page("train", data="planted", algorithm="SingleFeature")
    control = page.selectbox(key="SingleFeature.feature#0")
    names = load_dataset("planted").train.feature_names

    assert control.options == ["best", *names]
    control.set_value(names[3]).run()
    page.run()
    assert not page.exception
    assert page.selectbox(key="SingleFeature.feature#0").value == names[3]
    assert page.query_params["SingleFeature.feature"] == names[3]


def test_algorithms_are_listed_by_family_with_a_line_each(run_page):
    page = run_page("train", data="toy-2d")
    page.session_state["all every algorithm"] = True
    page.run()
    control = page.radio(key="every algorithm#0")
    lines = dict(zip(control.options, control.proto.captions, strict=True))
    refused = datasets.refusals(values(data="toy-2d"))
    labels = shared.ALGORITHM.labels(values(data="toy-2d"))
    assert list(lines) == list(labels.values())
    for name, label in labels.items():
        algorithm = get_algorithm(name)
        assert label.startswith(f"{algorithm.family.capitalize()} · {algorithm.title}")
        assert lines[label] == refused.get(name, algorithm.summary)
    families = [text.partition(" · ")[0] for text in lines]
    assert len([family for family, _ in itertools.groupby(families)]) == len(
        set(families)
    )

    control.set_value("ListNet").run()
    page.run()
    assert page.query_params["algorithm"] == "ListNet"
    assert page.selectbox(key="algorithm#1").value == "ListNet"
    assert not page.exception


def test_a_link_may_hold_a_value_between_two_stops(run_page):
    page = run_page("train", data="planted", **{"RSRank.g": "33.3"})
    parameter = hyperparameters(get_algorithm("RSRank"))["g"]
    control = page.select_slider(key="RSRank.g#0")

    assert control.value == 33.3
    assert parameter.meaning in control.help
    assert parameter.range_text in control.help
    assert parameter.symbol in control.label


def test_the_query_that_is_found_gets_a_box_of_its_own(run_page):
    """What the browser still says of the box before changes nothing."""
    page = run_page("train", data="planted", query="4")
    page.selectbox(key="query#0").set_value(7).run()
    page.run()
    assert page.query_params["query"] == "7"
    told_before = page._tree.get_widget_states()
    click(page, "weakest")
    worst = page.session_state["query"]
    assert worst != 7
    page._run(told_before)

    assert page.selectbox(key="query#1").value == worst
    assert page.session_state["query"] == worst


def test_rounds_and_planes_are_drawn_where_structured_svms_train():
    chosen = viewing.values(VIEW, data="toy-2d", algorithm="SVMMAP")
    run = VIEW.work.run(chosen)
    next(run)
    early = VIEW.show(chosen, Watched("one", "A run", "running", {}, run))
    assert "rounds" in [panel.key for panel in early.panels()]
    assert "planes" not in [panel.key for panel in early.panels()]
    list(run)
    result = VIEW.show(chosen, Watched("one", "A run", "finished", {}, run))
    panels = {panel.key: panel for panel in result.panels()}
    expected = rounds(run.algorithm, run.history.records)
    assert panels["rounds"].picture.data[0]["y"] == pytest.approx(expected.best)
    assert panels["rounds"].on_click("objective", 3, 3.0, 0.0) == {"at": "3"}
    assert "planes" in panels
