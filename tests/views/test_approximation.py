"""The views of the Approximation page: lists, training and claims."""

import pytest

from pages.views.approximation import _surrogate, one_list
from rankcore.base.numbers import three_digits
from rankcore.data.catalogue import load_dataset
from rankcore.topics.approximation import score_list
from rankcore.topics.approximation.approximate_list import surrogates
from rankcore.views import Act, Ask, Caption, Go, Listed, Notice, Popover, Shown, Words
from tests.viewing import blocks, page, panel, shown, studied, values, view

LIST = view("approximation", "One list")
TRAINING = view("approximation", "Along training")
CLAIMS = view("papers", "Claims")
SHORT = {"data": "toy-2d", "approx_passes": 10, "approx_alpha": 100.0}


def theorems(**chosen):
    """The theorems with a list's numbers."""
    return [block.text for block in blocks(shown(LIST, **chosen), Words)][1:]


def test_a_list_is_shown_with_its_numbers():
    result = shown(LIST, approx_list="3:1, 1:0", approx_alpha=100.0)

    assert [fact.meaning for fact in result.facts[:2]] == [
        "AP, exact",
        "AP, approximated",
    ]
    assert result.facts[0].number == "1.000"
    assert [panel.key for panel in result.panels()] == [
        "approx_positions",
        "approx_sum",
        "approx_values",
        "approx_truncation",
        "approx_sweep",
    ]
    value = theorems(approx_list="3:1, 1:0", approx_alpha=100.0)
    assert len(value) == 3
    assert r"\frac{2 - 1}{e^{100 \cdot 2} + 1}" in value[0]


def test_errors_below_rounding_are_said_to_be():
    sharp = theorems(
        approx_list="-0.396:1, 1.921:1, 0.315:1, -1.607:1, 1.085:2, 3.912:0, 2.841:2",
        approx_alpha=300.0,
        approx_beta=100.0,
    )
    assert all("both sides are below rounding" in text for text in sharp)
    assert "positions: holds with equality" in theorems(approx_list="0.3:1, 0.1:0")[0]


def test_each_measure_is_the_one_of_its_facts():
    for name in _surrogate.MEASURE.labels(values(LIST)):
        result = shown(LIST, approx_measure=name, approx_k=3)
        exact = name.replace("@k", "@3")
        assert result.facts[0].meaning == f"{exact}, exact"
        bound = "Theorem 1 and of" if exact in ("AP", "nDCG") else "No theorem bounds"
        assert f"{bound} {exact}" in panel(result, "approx_sweep").note


def test_a_dragged_score_and_a_clicked_document_change_the_list():
    drawn = panel(shown(LIST, approx_list="3:1, 2:0, 1:4"), "approx_positions")

    moved = {"approx_list": "3:1, 0.5:0, 1:4", "approx_document": "2"}
    assert drawn.on_drag("scores", 1, 0.5, 0.0) == moved
    assert drawn.on_drag("forces", 0, 0.5, 0.0) == {}
    assert drawn.on_click("documents", 1, 0, 1) == {"approx_list": "3:1, 2:1, 1:4"}
    assert drawn.on_click("documents", 2, 0, 2) == {"approx_list": "3:1, 2:0, 1:0"}
    assert drawn.on_click("scores", 1, 2, 1) == {"approx_document": "2"}
    assert drawn.on_click("forces up", 1, 2, 1) == {}


def test_the_score_of_the_chosen_document_is_dragged_beneath_its_sigmoids():
    chosen = {"approx_list": "3:1, 2:0, 1:4", "approx_document": "3"}
    drawn = panel(shown(LIST, **chosen), "approx_sum")

    assert "x₃" in drawn.title
    assert drawn.on_drag("score", 0, 2.5, 0.1) == {"approx_list": "3:1, 2:0, 2.5:4"}
    assert drawn.on_drag("x₁", 0, 2.5, 0.1) == {}


@pytest.mark.parametrize("feature", [0, 1])
def test_a_query_of_the_data_becomes_a_list_that_fits_in_a_link(feature):
    train = load_dataset("planted").train
    name = train.feature_names[feature] if feature else ""
    fold = blocks(shown(LIST, data="planted", query=2, approx_feature=name), Popover)[0]
    take = next(block for block in fold.blocks() if isinstance(block, Act))
    taken = score_list.read(take.changes()["approx_list"])

    query = train.query(1)
    best = query.X[:, feature].argsort()[::-1][: score_list.MOST]
    assert 2 <= len(taken.scores) <= score_list.MOST
    assert taken.labels.tolist() == query.y[best].tolist()
    items = [row for ask in fold.blocks() if isinstance(ask, Ask) for row in ask[0]]
    result = values(LIST, data="planted")
    assert list(items[-1].labels(result).values()) == list(train.feature_names)


def test_presets_offer_lists_or_training():
    titles = {
        name: list(page("approximation").scenarios({"approx_view": name}))
        for name in page("approximation").views
    }
    assert titles["One list"] == [*one_list.PRESETS]
    assert titles["Along training"] == [*TRAINING.presets]


@pytest.mark.parametrize("title", LIST.presets)
def test_presets_of_lists_differ_in_what_is_shown(title):
    result = shown(LIST, **LIST.presets[title])
    others = [shown(LIST, **item) for item in LIST.presets.values()]
    assert [result.facts == other.facts for other in others].count(True) == 1


def test_every_surrogate_is_explained_by_its_equation_and_paper():
    text = LIST.explained(values(LIST))["The approximation"]
    for learner in surrogates(1.0, 1.0, 1):
        assert learner.equation in text
        assert learner.paper in text


DIGITS = {
    "Ties": ["1.23", "1.0", "2.0"],
    "Strict inequality": ["1.000"],
    "Centre of the cutoff": ["0.378", "0.00669", "0.993", "0.5"],
    "Long lists": ["0.00471", "0.00139", "1.18"],
}


@pytest.mark.parametrize("claim", DIGITS)
def test_claims_show_the_digits_and_a_list_that_shows_them(claim):
    result = shown(CLAIMS, papers_experiment=claim, approx_beta=10.0)
    numbers = [fact.number for fact in result.facts]
    assert set(DIGITS[claim]) <= set(numbers)
    tables = result.exports()
    assert {"Facts"} < set(tables)

    scene = blocks(result, Go)[0].settings
    assert scene["approx_view"] == "One list"
    assert shown(LIST, **scene).panels()
    assert score_list.read(scene["approx_list"]) is not None


@pytest.fixture(scope="module")
def study():
    """Short runs that are measured, at their end."""
    return studied(TRAINING, values(TRAINING, **SHORT))


def trained(study, **chosen):
    """What is shown of the runs."""
    return TRAINING.show(values(TRAINING, **SHORT | chosen), study)


def test_runs_are_shown_with_their_numbers(study):
    result = trained(study)
    subject = study.subject
    curve = subject.runs[100.0, 10.0].curve()

    assert len(subject.runs) == 9
    assert result.facts[0] == (
        "Mean error ρ of AP",
        three_digits(curve.error[-1]),
        "trained at α = 100, β = 10",
    )
    assert result.facts[-1].number == f"{curve.flat[-1]:.0%}"
    items = [block.text for block in blocks(result, Notice)]
    assert items == [study.subject.vanished_text(study.subject.runs[100.0, 10.0])]
    assert result.tables["Errors"]()[-1]["measure"] == "AP"
    assert len(result.tables["Errors"]()) == study.iterations


def test_vanished_gradients_are_said_where_there_are_any(study):
    assert study.subject.runs[10.0, 10.0].vanished_share == 0.0
    assert blocks(trained(study, approx_run="10/10"), Notice) == []

    gain = values(TRAINING, **SHORT, approx_measure="nDCG")
    study = studied(TRAINING, gain)
    few, most = (study.subject.runs[alpha, 10.0] for alpha in (10.0, 300.0))
    assert 0.0 < few.vanished_share < 0.5 < most.vanished_share
    for run, warns, result, advice in (
        (few, False, "queries, which no longer", "others still do."),
        (most, True, "queries, so training may", "Choose a smaller α, such as 10."),
    ):
        settings = {"approx_run": f"{run.alpha:g}/10"}
        (notice,) = blocks(TRAINING.show(gain | settings, study), Notice)
        assert notice.warns == warns
        assert (
            f"has vanished in {run.vanished_share:.0%} of the {result}" in notice.text
        )
        assert notice.text.endswith(advice)


def control(found):
    """The control that chooses the run shown, with its names."""
    row = blocks(found, Ask)[0].settings[0]
    assert isinstance(row, Listed)
    return row.labels(values(TRAINING))


def test_any_run_can_be_shown(study):
    names = control(trained(study))
    assert names[""] == "α = 100, β = 10"
    assert len(names) == 9
    result = trained(study, approx_run="100/50")
    run = study.subject.runs[100.0, 50.0]
    assert names["100/50"] in result.facts[0].note
    assert result.facts[2].number == three_digits(run.spread().median)
    widths = {
        trace["name"]: trace["line"]["width"]
        for key in ("approx_by_alpha", "approx_by_beta")
        for trace in panel(result, key).picture.data
    }
    assert [name for name, width in widths.items() if width == 3] == ["β = 50"]


@pytest.mark.parametrize("asked", ["100/3", "7/10"])
def test_a_run_that_the_study_does_not_have_is_said_and_the_own_one_is_shown(
    study, asked
):
    result = trained(study, approx_run=asked)
    assert result.facts == trained(study).facts
    assert control(result)[asked].endswith("(not in this study)")


@pytest.mark.parametrize("nonsense", ["100", "a/b", "1/2/3", "nan/1"])
def test_a_run_is_written_as_two_numbers(nonsense):
    with pytest.raises(ValueError, match="Write its α and β as 100/50"):
        next(row for row in TRAINING.settings if row.key == "approx_run").check(
            nonsense
        )


def test_runs_are_described_by_their_study_when_settings_have_changed(study):
    result = trained(study, approx_measure="nDCG", approx_alpha=10.0)
    assert result.facts == trained(study).facts
    assert [panel.note for panel in result.panels()] == [
        panel.note for panel in trained(study).panels()
    ]


def test_nothing_is_shown_before_the_first_iteration():
    result = values(TRAINING, **SHORT)
    begun = TRAINING.work.study(result)
    assert TRAINING.show(result, None) == TRAINING.show(result, begun) == Shown()


def test_a_measure_without_beta_says_so(study):
    result = shown(TRAINING, **SHORT, approx_measure="nDCG")
    items = [block.text for block in blocks(result, Caption)]
    assert items == ["β does not affect nDCG: one run covers all values."]
    assert blocks(trained(study), Caption) == []


def test_what_will_be_trained_is_said_with_its_numbers():
    promise = TRAINING.work.promise(values(TRAINING, approx_passes=30))
    assert "at most 30 iterations" in promise
    assert "α = 10, 50, 100, 200, 300 and" in promise
    assert "β = 1, 10, 20, 50, 100 (the paper's)" in promise


def test_the_study_trains_with_the_settings():
    chosen = SHORT | {"approx_optimiser": "stochastic", "seed": 3, "approx_k": 4}

    def found(**other):
        return studied(TRAINING, values(TRAINING, **chosen | other)).subject

    result, climbed = found(), found(approx_optimiser="lbfgs")
    assert (result.max_iterations, result.chosen) == (10, (100.0, 10.0))
    first, last = result.by_alpha()[-1].error[[0, -1]]
    assert climbed.by_alpha()[-1].error[0] == first
    assert climbed.by_alpha()[-1].error[-1] != last
    assert found(seed=4).by_alpha()[-1].error[0] != first
    assert found(approx_measure="P@k").measure == "P@4"
