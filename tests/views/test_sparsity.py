"""The Sparsity page: paths as they grow, the model that is chosen, where it goes."""

import numpy as np
import pytest

from pages.ui.away import links
from pages.ui.data import datasets
from pages.ui.data.datasets import Files
from rankcore import RSRank, load_model, save_model
from rankcore.base.numbers import rounded
from rankcore.data.catalogue import Splits, load_dataset
from rankcore.measures import evaluate
from rankcore.studies.exports import get_format
from rankcore.topics.sparsity.changes import relative_change
from rankcore.topics.sparsity.shrinkage import settled_rules
from rankcore.views import Ask, Caption, Panel, TakeModel, Tiles, flat
from tests.viewing import shown as shown_view
from tests.viewing import studied, trace, unsound, values, view

SMALL = {"data": "planted", "values": 4, "RSRank__max_iter": 20}
ONE, RULES = view("sparsity", "One path"), view("sparsity", "Compare rules")
COEFFICIENT = view("sparsity", "One coefficient")
CORNERS = view("sparsity", "Steps to corners")


@pytest.fixture(scope="module")
def study():
    return studied(ONE, values(ONE, **SMALL))


@pytest.fixture(scope="module")
def rules():
    return studied(RULES, values(RULES, **SMALL))


@pytest.fixture(scope="module")
def gaps():
    chosen = SMALL | {"sparse": "FenchelRank", "FenchelRank__max_iter": 20}
    return studied(ONE, values(ONE, **chosen)), chosen


def shown(study, **chosen):
    return ONE.show(values(ONE, **SMALL | chosen), study)


def part(found, kind, key=""):
    """The first block of a kind, if named with that key."""
    every = [block for block in flat(flat(found.blocks)) if isinstance(block, kind)]
    return next(block for block in every if not key or block.key == key)


def facts(found):
    return {fact.meaning: fact for fact in found.facts}


def text(of):
    return of.replace("\N{NO-BREAK SPACE}", " ")


def smallest_of(points, measure, tolerance):
    """The rule once more: fewest features near the best validation measure."""
    best = max(point.valid[measure] for point in points)
    near = [p for p in points if p.valid[measure] >= (1 - tolerance) * best]
    fewest = min(point.nonzeros for point in near)
    few = [point for point in near if point.nonzeros == fewest]
    return max(few, key=lambda point: point.valid[measure]), best


def test_before_a_study_the_button_says_what_will_come():
    chosen = values(ONE, values=7)
    assert ONE.work.button(chosen) == "Train 7 models"
    assert RULES.work.button(values(RULES, values=7)) == "Train 21 models"
    words = "g from 0 to 250; results appear as they finish. Features are {}."
    assert ONE.work.promise(chosen) == words.format("taken as given")
    scaled = values(ONE, values=7, normalise="minmax")
    assert ONE.work.promise(scaled) == words.format("scaled with minmax")
    assert RULES.work.promise(scaled).endswith(" Features are scaled with minmax.")
    assert not ONE.show(chosen, None).blocks
    tables = [block.key for block in flat(RULES.show(chosen, None).blocks)[:1]]
    assert tables == ["settled_rules"]


@pytest.mark.parametrize("axis", ["log", "linear"])
def test_a_path_is_drawn_with_its_numbers(study, axis):
    result, points = shown(study, axis=axis), study.found
    assert [p.key for p in result.panels()] == [
        "trade_off",
        "coefficient_paths",
        "ratios",
    ]
    traces = result.panels()[0].picture.data
    assert traces[-1]["y"].tolist() == [point.nonzeros for point in points]
    assert traces[2]["y"].tolist() == [p.test["nDCG@10"] for p in points]
    assert list(unsound(result)) == []


def test_the_path_can_be_exported(study):
    tables = shown(study).exports()
    path = tables["nDCG@10 and features kept against g"]()
    assert path["g"].tolist() == [point.cell.value for point in study.found]
    numbers = tables["Importance of features along the path"]().to_numpy()[-1, 1:]
    point, train = study.found[-1], load_dataset("planted").train
    importances = point.model.importances(point.coef, train)
    assert numbers.tolist() == [*point.coef, *importances]


def test_a_growing_path_is_drawn_as_far_as_it_is_ready():
    growing = ONE.work.study(values(ONE, **SMALL))
    while growing.done < 2:
        next(growing)
    result = shown(growing)
    assert all(len(trace["x"]) == 2 for trace in result.panels()[0].picture.data)
    assert not any("Test" in meaning for meaning in facts(result))
    assert all(isinstance(block, Panel) for block in flat(result.blocks))

    growing.close()
    result = shown(growing)
    assert any("Test" in meaning for meaning in facts(result))
    assert part(result, Tiles)


def test_a_click_selects_a_model(study):
    (trade_off, paths, ratios), points = shown(study).panels(), study.found
    written = {"path_at": f"{points[2].cell.value:.6g}"}
    assert trade_off.on_click("anything", 2, 0.0, 0.0) == written
    assert paths.on_click("anything", 2, 0.0, 0.0) == written
    assert ratios.on_click("2", 7, 0.0, 0.0) == written
    assert trade_off.on_click("anything", 4, 0.0, 0.0) == {}

    result = shown(study, **written)
    assert facts(result)["Selected g"].number == rounded(points[2].cell.value)
    assert result.panels()[0].picture.layout["shapes"][0]["x0"] == pytest.approx(
        np.log10(points[2].cell.value)
    )


def test_the_scale_of_the_features_is_said(study):
    note = facts(shown(study))["Validation nDCG@10"].note
    assert note == "planted, features scaled to 0 to 1, standard"


def test_coefficients_are_drawn_where_they_are_chosen(study):
    drawn = {
        by: shown(study, weighed_by=by).panels()[1]
        for by in ("importance", "coefficient")
    }
    titles = [panel.title for panel in drawn.values()]
    assert titles == [
        "Importance of features along the path", "Coefficients along the path"
    ]  # fmt: skip
    note = "per unit of a feature scaled to 0 to 1, most important first"
    assert drawn["coefficient"].note == note
    named = [
        {note["text"] for note in panel.picture.layout["annotations"]}
        for panel in drawn.values()
    ]
    assert named[0] == named[1]
    numbers = np.array([t["y"] for t in drawn["coefficient"].picture.data])
    assert np.isin(numbers, [point.coef for point in study.found]).all()


def test_rankings_that_change_come_with_the_largest_change_first(study):
    last = {"path_at": f"{study.found[-1].cell.value:.6g}"}
    result = shown(study, **last)
    labels = [ask for ask in flat(result.blocks) if isinstance(ask, Ask)][1]
    labels = labels.settings[0].names
    changes = [
        round(abs(float(before) - float(after)), 2)
        for before, after in (
            label.split(": ")[1].split(" → ") for label in labels.values()
        )
    ]
    assert len(changes) > 1
    assert changes == sorted(changes, reverse=True)
    second = list(labels)[1]
    assert part(result, Tiles).alt.endswith(f"query {next(iter(labels))}.")
    other = shown(study, path_query=second, **last)
    assert part(other, Tiles).alt.endswith(f"query {second}.")


@pytest.mark.parametrize("measure", ["nDCG@10", "nDCG@3"])
def test_the_model_is_chosen_on_validation_by_the_measure_drawn(measure):
    settings = SMALL | {"values": 16, "measure": measure}
    trained = studied(ONE, values(ONE, **settings))
    points, chosen = trained.found, set()
    for percent in (0.0, 0.5, 3.0, 10.0):
        result = ONE.show(values(ONE, **settings, tolerance=percent), trained)
        smallest, best = smallest_of(points, measure, percent / 100.0)
        rule = f"Smallest model within {percent:g}% of the best {measure} (validation)"
        fact = facts(result)[rule]
        assert fact.number == f"{smallest.nonzeros} of 45 features"
        assert fact.note.startswith(f"g = {rounded(smallest.cell.value)}; ")
        assert facts(result)["Selected g"].number == rounded(smallest.cell.value)
        layout = result.panels()[0].picture.layout
        marked = layout["annotations"][-1]["text"]
        assert marked == f"smallest: g = {rounded(smallest.cell.value)}"
        band = layout["shapes"][-1]
        assert (band["y0"], band["y1"]) == ((1 - percent / 100.0) * best, best)
        chosen.add(smallest.cell.value)
    assert len(chosen) > 1


def test_the_chosen_model_is_tested_with_an_interval(study):
    smallest, _ = smallest_of(study.found, "nDCG@10", 0.03)
    full = max(study.found, key=lambda point: point.nonzeros)
    test = load_dataset("planted").test
    before, after = (
        evaluate(test, test.X @ point.coef, "nDCG@10")["nDCG@10"]
        for point in (full, smallest)
    )
    change = relative_change(before, after)
    other = next(
        point for point in study.found if point.cell.value != smallest.cell.value
    )
    for chosen in ({}, {"path_at": f"{other.cell.value:.6g}"}):
        result = shown(study, **chosen)
        fact = facts(result)[
            f"Test nDCG@10 {after.mean():.3f} against {before.mean():.3f} for the full "
            "model"
        ]
        assert fact.number == change.text
        assert part(result, Caption).text == (
            "In brackets: 95% interval of paired differences over 21 queries."
        )
    valid = f"{other.valid['nDCG@10']:.3f}"
    assert facts(result)["Validation nDCG@10"].number == valid


def test_without_other_data_the_facts_say_that_training_chose():
    alone = datasets.upload(
        Splits(load_dataset("toy-3d").train), Files({"train": "alone"})
    )
    chosen = values(ONE, **SMALL | {"data": alone})
    result = ONE.show(chosen, studied(ONE, chosen))
    assert any("(training, no validation data)" in meaning for meaning in facts(result))
    assert not any("Test" in meaning for meaning in facts(result))
    assert list(unsound(result)) == []


def test_the_gap_of_the_l1_ball_is_shown(gaps):
    trained, chosen = gaps
    result = ONE.show(values(ONE, **chosen), trained)
    expected = [point.diagnostics["best gap"] for point in trained.found]
    picture = result.panels()[-1].picture
    assert picture.data[0]["y"] == pytest.approx(expected)
    assert facts(result)["Duality gap"].note == "bound on the suboptimality"
    assert list(unsound(result)) == []


def test_rules_are_compared_in_one_picture(rules):
    chosen = values(RULES, **SMALL)
    result, paths = RULES.show(chosen, rules), rules.subject.ready(rules.found)
    assert list(paths) == ["K = 1", "K = 10, as in the paper", "K = 10, Langford’s"]
    (panel,) = result.panels()
    traces = panel.picture.data
    for fact, (name, path), measured, features in zip(
        result.facts, paths.items(), traces[::2], traces[1::2], strict=True
    ):
        assert features["y"].tolist() == [point.nonzeros for point in path.points]
        assert measured["y"] == pytest.approx(
            [point.valid["nDCG@10"] for point in path.points]
        )
        smallest, _ = smallest_of(path.points, "nDCG@10", 0.03)
        sizes = measured["marker"]["size"]
        assert path.points[sizes.index(max(sizes))] is smallest
        assert fact.meaning == f"{name}, within 3% of its best"
        assert fact.number == f"{smallest.nonzeros} of 45 features"
        model = f"iteration {smallest.iteration}, last"
        assert fact.note.startswith(
            f"g = {rounded(smallest.cell.value)}, {model}, test "
        )
    assert "paired differences over 21 queries" in part(result, Caption).text
    rows = panel.picture.numbers()
    assert [row["rule"] for row in rows[::4]] == list(paths)
    assert rows[-1]["coefficient of f4"] == rules.found[-1].coef[3]
    assert list(unsound(result)) == []


def test_stopped_rules_keep_the_points_that_were_ready():
    growing = RULES.work.study(values(RULES, **SMALL))
    while growing.done < 2:
        next(growing)
    growing.close()
    (panel,) = RULES.show(values(RULES, **SMALL), growing).panels()
    assert [len(trace["x"]) for trace in panel.picture.data] == [2, 2]


def test_the_rules_are_shown_where_they_settle():
    table, words = flat(RULES.show(values(RULES), None).blocks)
    printed = ", ".join(f"{value:.3f}" for value in settled_rules()[0].coef)
    assert table.rows[0]["β"] == f"({printed})"
    assert "(0.2, 0.0, 0.0)" in words.text


def test_the_rules_of_the_only_algorithm_with_several_are_compared():
    """Whichever a link names; there is nothing to choose."""
    chosen = values(RULES, data="toy-2d", sparse="FenchelRank")
    assert chosen.sparse == "RSRank"
    rows = RULES.rows({"sparse": "FenchelRank"})
    assert "sparse" not in [row.key for row in rows if row.matters(chosen)]
    assert links.unfit(rows, {"sparse": "FenchelRank"}, chosen) == {}
    assert RULES.refuses(chosen) is None
    assert RULES.show(chosen, None).blocks


def test_the_model_can_be_taken_away(study, tmp_path):
    point = study.found[1]
    block = part(shown(study, path_at=f"{point.cell.value:.6g}"), TakeModel)
    assert block.stem == "RSRank-g-0.25"
    held_out = block.held_out()
    assert held_out.dataset.n_features == point.model.n_features_in_
    assert held_out.split == "test"
    model, csv = block.model(), get_format("csv")
    save_model(model, tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").coef_.tolist() == point.coef.tolist()
    assert model.g == point.cell.value
    rows = [line.split(",") for line in csv.write(model, "m").splitlines()[1:]]
    assert [float(row[1]) for row in rows if len(row) == 3] == point.coef.tolist()


def test_one_coefficient_opens_on_one_that_is_removed():
    chosen = {"data": "planted", "normalise": "as given", "coef_g": 50.0}
    life, pulls = shown_view(COEFFICIENT, coef_step=100, **chosen).panels()
    assert trace(life.picture, "coefficient")["y"][-1] == 0.0
    assert life.on_click("pull", 7, 7.0, 0.1) == {"coef_step": 7}
    assert life.on_click("others", 7, 7.0, 0.1) == {}
    first = trace(pulls.picture, "features")["customdata"][0][0]
    opened = pulls.on_click("features", 0, 0.0, 0.0)
    assert shown_view(COEFFICIENT, **chosen, **opened).panels()[0].title.endswith(first)


def test_one_coefficient_refuses_what_rsrank_refuses(monkeypatch):
    refused = values(COEFFICIENT, data="toy-2d")
    assert COEFFICIENT.refuses(refused) is None
    monkeypatch.setattr(RSRank, "unsupported_reason", lambda self, data: "No pairs.")
    assert COEFFICIENT.refuses(refused) == "No pairs."


def test_steps_to_corners_are_those_of_fenchelrank():
    result = shown_view(CORNERS, ball_radius=5.0, ball_step=3)
    ball, progress = result.panels()
    assert facts(result)["Duality gap"].number == "0.134"
    steps = trace(ball.picture, "steps")
    assert len(steps["x"]) == 3 + 1
    assert ball.on_click("steps", 2, 0.0, 0.0) == {"ball_step": 2}
    assert progress.on_click("primal", 7, 7.0, 0.1) == {"ball_step": 7}
    assert ball.on_click("ball", 2, 0.0, 0.0) == {}
    # An iteration after the last one shows the last.
    ended = shown_view(CORNERS, ball_radius=1.0, ball_step=30)
    assert "next step" not in [one["name"] for one in ended.panels()[0].picture.data]
    assert part(ended, Caption).text.startswith("After 1 step: ")


def test_steps_to_corners_play_to_the_end_of_the_run():
    assert CORNERS.plays_to(values(CORNERS, ball_radius=1.0)) == 1
    pairwise = values(CORNERS, ball_radius=5.0, FenchelRank__variant="pairwise")
    assert CORNERS.plays_to(pairwise) < CORNERS.plays_to(values(CORNERS)) == 20
    tabs = CORNERS.explained(pairwise)
    assert "$r$ = **5**" in tabs["What it optimises"]
