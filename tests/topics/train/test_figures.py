"""The numbers behind the pictures of training, and the pictures."""

import itertools
import math
import re
from html import unescape

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankcore import load_dataset, measures
from rankcore.algorithms import RankBoost, RSRank
from rankcore.data.dataset import RankingDataset
from rankcore.topics.inspect.ranking import query_ranking, worst_queries
from rankcore.topics.train.coefficients import (
    COEFFICIENT,
    IMPORTANCE,
    Weighing,
    coefficients,
    scale,
)
from rankcore.topics.train.coefficients_figure import coefficients_figure
from rankcore.topics.train.curves import downsample_minmax, finding, run_curves
from rankcore.topics.train.pace import pace
from rankcore.topics.train.training_figure import Drawn, run_figure
from rankcore.training import History, Record, Stop, drive
from rankcore.training.changes import Change
from tests.stub_algorithm import Given, line

values = st.floats(-1e6, 1e6) | st.just(math.nan)
curves = st.integers(0, 300).flatmap(lambda n: arrays(np.float64, n, elements=values))


@given(curves, st.integers(4, 60))
def test_a_thinned_curve_keeps_ends_and_extremes(y, most):
    minmax = downsample_minmax(y, most)

    assert len(minmax) <= most
    assert (np.diff(minmax) > 0).all()
    if len(y):
        assert minmax[0] == 0
        assert minmax[-1] == len(y) - 1
    if np.isfinite(y).any():
        assert np.nanmin(y[minmax]) == np.nanmin(y)
        assert np.nanmax(y[minmax]) == np.nanmax(y)


def test_each_stretch_of_a_thinned_curve_keeps_its_own_extremes():
    y = np.sin(np.arange(1000)) * np.arange(1000)
    items = set(downsample_minmax(y, 102))

    for begin in range(1, 999, 20):
        stretch = y[begin : min(begin + 20, 999)]
        assert {begin + stretch.argmin(), begin + stretch.argmax()} <= items


def history(*coefs, valid=(0.2, 0.4, 0.3)):
    made = History()
    for i, given_coef in enumerate(coefs):
        coef = np.array(given_coef, dtype=float)
        record = Record(
            iteration=i,
            seconds=float(i),
            objective=10.0 - i,
            coef=coef,
            nonzeros=np.count_nonzero(coef),
            train={"nDCG@10": 0.5 + i / 100},
            valid={"nDCG@10": valid[i]} if valid else {},
        )
        made.records.append(record)
    return made


def test_run_curves_name_what_was_measured():
    made = history([0, 0], [1, 0], [1, 2])
    numbers = run_curves(made, "nDCG@10", made[1])

    assert [curve.name for curve in numbers.measured] == ["training", "validation"]
    assert numbers.measured[1].y.tolist() == [0.2, 0.4, 0.3]
    assert numbers.objective.y.tolist() == [10.0, 9.0, 8.0]
    assert numbers.best == (1, 0.4)


def test_a_change_is_a_tick_on_the_curve_with_both_values():
    made = history([0, 0], [1, 0], [1, 2])
    made.changes.append(Change(1, "learning_rate", "auto", 0.01))
    numbers = run_curves(made, "nDCG@10", made[1])

    assert numbers.ticks == ((1.0, 0.4, "learning rate", "auto", "0.01"),)
    assert "; learning rate auto → 0.01 after 1 (paused)." in finding(numbers, "paused")
    picture = run_figure(Drawn(numbers, "#0072B2"))
    tick = picture.data[-1]
    assert (tick["x"], tick["y"]) == ([1.0], [0.4])
    label = picture.layout["annotations"][-1]
    assert (label["text"], label["x"]) == ("learning rate auto → 0.01", 1.0)


def change_labels(made, algorithm=None):
    numbers = run_curves(made, "nDCG@10", algorithm=algorithm)
    picture = run_figure(Drawn(numbers, "#0072B2"))
    labels = [n for n in picture.layout["annotations"] if "→" in n["text"]]
    return picture, {label["text"]: label for label in labels}


def test_changes_close_to_each_other_share_the_label_of_the_last():
    made = history(*np.eye(9), valid=(0.4,) * 9)
    made.changes += [Change(i, "g", float(i), i + 1.0) for i in range(1, 7)]
    picture, labels = change_labels(made)

    assert {text: label["x"] for text, label in labels.items()} == {
        "g 1 → 4": 3.0,
        "g 4 → 7": 6.0,
    }
    tick = picture.data[-1]
    assert tick["x"] == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert tick["customdata"] == [f"g {i} → {i + 1}" for i in range(1, 7)]


def test_changes_of_several_hyperparameters_have_labels_that_do_not_overlap():
    made = history(*np.eye(9), valid=(0.4,) * 9)
    made.changes += [
        *(Change(1, "g", old, old + 1.0) for old in (0.0, 1.0)),
        *(Change(7, name, "auto", 1.0) for name in ("learning_rate", "g")),
        Change(8, "truncation_interval", 1, 3),
    ]
    _, labels = change_labels(made, RSRank())

    assert list(labels) == ["g 0 → 2", "g auto → 1", "η auto → 1", "K 1 → 3"]
    edges = [label["xanchor"] for label in labels.values()]
    assert edges == ["left", "right", "right", "right"]
    first, *late = (label["yshift"] for label in labels.values())
    assert first == 0.0
    for one, other in itertools.pairwise(sorted(late)):
        assert other - one >= 15


def test_without_validation_there_is_no_such_curve():
    numbers = run_curves(history([0], [1], valid=()), "nDCG@10")

    assert [curve.name for curve in numbers.measured] == ["training"]


def test_the_finding_is_a_sentence_with_the_numbers():
    made = history([0, 0], [1, 0], [1, 2])

    assert finding(run_curves(made, "nDCG@10", made[1]), "paused") == (
        "After 2 iterations nDCG@10 is 0.520 on training queries and 0.300 on "
        "validation queries; the best on validation is 0.400 at iteration 1 (paused)."
    )
    assert "has not begun" in finding(run_curves(History(), "nDCG@10"), "paused")


def weighing(*spreads, by=IMPORTANCE, algorithm=RSRank):
    """Of features a, b … that have these spreads within the query."""
    X = 2.0 * np.array([np.zeros(len(spreads)), spreads])
    names = "abcdefgh"[: len(spreads)]
    data = RankingDataset.from_arrays(X, [0, 1], feature_names=names)
    return Weighing(algorithm(), data, by)


def test_a_coefficient_that_becomes_zero_keeps_its_place():
    made = history([0, 0, 0, 0], [1, 0, -5, 0], [2, 0, 0, -1])
    alike = weighing(1.0, 1.0, 1.0, 1.0)

    assert coefficients(made, 1, alike).names == ("c", "a")
    assert coefficients(made, 2, alike).names == ("c", "a", "d")
    assert coefficients(made, 2, alike).values.tolist() == [0, 2, -1]
    assert coefficients(made, 2, alike).unused == 1


def test_features_are_drawn_by_importance_and_coefficients_on_hover():
    made = history([0, 0, 0], [-3, 0.5, 4])
    result = coefficients(made, 1, weighing(0.125, 8.0, 0.25))
    assert result.names == ("b", "c", "a")
    assert result.values.tolist() == [4.0, 1.0, -0.375]
    assert result.columns == {
        "feature": result.names,
        "importance": pytest.approx([4.0, 1.0, -0.375]),
        "coefficient": pytest.approx([0.5, 4.0, -3.0]),
    }
    (_, dots, _), layout, alt = coefficients_figure(result, "#0072B2")[:3]
    assert dots["x"] == [4.0, 1.0, -0.375]
    assert dots["customdata"][2] == "a<br>coefficient −3"
    assert layout["xaxis"]["title"]["text"] == "importance"
    assert alt.startswith("Importance of features: coefficient × spread within queries")

    raw = coefficients(made, 1, weighing(0.125, 8.0, 0.25, by=COEFFICIENT))
    (_, dots, _), layout, alt = coefficients_figure(raw, "#0072B2")[:3]
    assert (raw.names, dots["x"]) == (result.names, [0.5, 4.0, -3.0])
    assert dots["customdata"] == ["b", "c", "a"]
    assert alt.startswith("Coefficients: per unit of a feature as given, each on its")


def test_the_unit_of_a_feature_changes_no_picture():
    units = np.array([1.0, 1024.0, 1.0 / 4096.0])
    before = history([0, 0, 0], [-3, 0.5, 4])
    after = history([0, 0, 0], [-3, 0.5, 4] / units)
    pictures = [
        coefficients_figure(coefficients(made, 1, weighing(*spreads)), "#0072B2")
        for made, spreads in (
            (before, [0.125, 8.0, 0.25]),
            (after, [0.125, 8.0, 0.25] * units),
        )
    ]
    assert pictures[0].data[1]["x"] == pictures[1].data[1]["x"]
    assert pictures[0].layout == pictures[1].layout


def test_gains_of_splits_are_drawn_as_they_are():
    made = history([0, 0], [1, 3])
    for by in (IMPORTANCE, COEFFICIENT):
        result = coefficients(made, 1, weighing(8.0, 1.0, by=by, algorithm=RankBoost))
        assert (result.names, result.values.tolist()) == (("b", "a"), [3.0, 1.0])
        assert result.columns.keys() == {"feature", "weight of thresholds"}
        assert result.note == "largest first"


def test_a_scale_is_that_of_the_features():
    data = weighing(0.5, 0.25).train
    assert scale(data) == "scaled to 0 to 1"
    assert scale(weighing(0.5, 2.0).train) == "as given, each on its own scale"
    assert scale(data.normalise("zscore")) == "standardised within each query"
    assert scale(weighing(2.0).train.normalise("minmax")) == scale(data)


def test_coefficients_before_the_first_record():
    assert coefficients(History(), 0, weighing(1.0, 1.0)).unused == 2


labels = st.lists(st.integers(0, 4), min_size=1, max_size=12)


@settings(deadline=None)
@given(labels, st.randoms(use_true_random=False))
def test_a_ranking_and_its_ideal_order(grades, random):
    scores = [random.choice([0.0, 1.0, 2.0]) for _ in grades]
    data = RankingDataset.from_arrays(np.zeros((len(grades), 1)), grades)
    shown = query_ranking(data.query(0), scores, measures.parse("nDCG@3"))

    order = sorted(range(len(grades)), key=lambda i: -scores[i])
    assert shown.documents == tuple(data.doc_ids[i] for i in order)
    ideal = sorted(range(len(grades)), key=lambda place: -grades[order[place]])
    assert [ideal.index(place) for place in range(len(grades))] == shown.ideal.tolist()
    expected = measures.evaluate(data, scores, "nDCG@3", empty="skip")["nDCG@3"].iloc[0]
    assert shown.value == pytest.approx(expected, nan_ok=True)


def test_the_worst_queries_come_first_and_undefined_ones_last():
    y = [0, 0, 1, 0, 1, 1, 0, 0, 2]
    qid = [1, 1, 2, 2, 3, 3, 3, 4, 4]
    data = RankingDataset.from_arrays(np.zeros((9, 1)), y, qid)
    scores = [0.0, 0.0, 2.0, 1.0, 3.0, 1.0, 2.0, 2.0, 1.0]
    queries = worst_queries(data, scores, measures.parse("RR"))

    assert [row[0] for row in queries] == [3, 1, 2, 0]
    assert [row.query for row in queries] == [data.query_ids[i] for i in (3, 1, 2, 0)]
    assert [row.value for row in queries][:3] == [1 / 2, 1.0, 1.0]
    assert math.isnan(queries[3].value)
    assert [row.documents for row in queries] == [2, 2, 3, 2]
    assert [row.relevant for row in queries] == [1, 1, 2, 0]


def test_the_worst_queries_are_those_of_the_evaluation():
    data = load_dataset("planted").valid
    scores = data.X[:, 3]
    queries = worst_queries(data, scores, measures.parse("AP"), "letor3")
    expected = measures.evaluate(data, scores, "AP", "letor3", "skip")["AP"]

    assert len(queries) == data.n_queries
    assert [row.value for row in queries] == sorted(expected)
    for row in queries:
        assert row.value == expected[row.query]
        query = data.query(row.position)
        assert (row.documents, row.relevant) == (len(query), (query.y > 0).sum())


def paced(*stamps, limit=None, ended=False):
    """A run whose records have these (iteration, seconds, clock)."""
    run = drive(Given(), line(), stop=Stop(max_iterations=limit))
    for iteration, seconds, clock in stamps:
        run.history.records.append(
            Record(iteration, seconds, 0.0, np.zeros(1), 0, clock=clock)
        )
    if ended:
        list(run)
    return run


def test_the_pace_is_that_of_the_steps_taken():
    result = pace(paced((0, 0, 50), (1, 1, 52), (2, 2, 54), (3, 3, 56), limit=10))

    assert result.step_seconds == 1.0
    assert result.per_second == 1 / 2
    assert result.seconds_left == 7 * 2
    assert result.speed == "2 s each"
    assert result.time_left == "about 14 s left"


def test_neither_a_pause_nor_the_first_iteration_slows_the_pace():
    stamps = [(i, 0.01 * i, 0.1 * i) for i in range(1, 8)]
    pause = [(i, s, t + 100 * (i > 4)) for i, s, t in stamps]
    result = pace(paced((0, -5.0, -5.0), *pause, limit=1007))

    assert result.step_seconds == pytest.approx(0.01)
    assert result.speed == "10/s"
    assert result.time_left == "about 2 min left"


def test_the_pace_counts_iterations_and_not_records():
    result = pace(paced((0, 0, 0), (10, 1, 5), (20, 2, 10), (25, 2.5, 12.5), limit=35))

    assert result.step_seconds == pytest.approx(0.1)
    assert result.per_second == pytest.approx(2.0)
    assert result.seconds_left == pytest.approx(5.0)


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (1.83, "1.83 s, then 1.5 ms each"),
        (0.0015, "1.5 ms each"),
    ],
)
def test_the_time_of_iterations_adds_up_to_that_of_training(first, said):
    """The first one loads kernels; the latest ones took longer than those before."""
    later = np.cumsum([0.001] * 50 + [0.002] * 50)
    stamps = [(i + 2, first + value, 0.0) for i, value in enumerate(later)]
    run = paced((0, 0, 0), (1, first, 0.0), *stamps)
    result = pace(run)

    total = result.first_seconds + 100 * result.step_seconds
    assert total == pytest.approx(run.history[-1].seconds)
    assert result.step == said


def test_before_the_first_iteration_the_pace_is_not_known():
    for run in (paced(limit=5), paced((0, 0, 0), limit=5)):
        assert math.isnan(pace(run).per_second)
        assert (pace(run).speed, pace(run).time_left) == ("", "")


def test_at_the_end_no_time_is_left_and_without_a_limit_it_is_not_known():
    assert pace(paced((0, 0, 0), (1, 1, 1), ended=True)).seconds_left == 0.0
    assert math.isnan(pace(paced((0, 0, 0), (1, 1, 1))).seconds_left)


def in_words(label):
    """The text of a label, on one line."""
    line = label["text"].replace("<br>", " ")
    return unescape(re.sub("<[^>]+>", "", line))


def test_labels_at_line_ends_do_not_overlap():
    made = history([0, 0], [1, 0], [1, 2], valid=(0.5, 0.51, 0.52))
    numbers = run_curves(made, "nDCG@10", made[2])
    layout = run_figure(Drawn(numbers, "#0072B2")).layout

    above = [note for note in layout["annotations"] if note["yref"] == "y"]
    heights = sorted(note["yshift"] for note in above)
    assert heights[1] - heights[0] >= 15


def test_the_axis_of_a_run_that_ends_where_it_began_has_room_for_an_iteration():
    numbers = run_curves(history([0, 0]), "nDCG@10")
    (clipped,) = (
        run_figure(Drawn(numbers, "#0072B2"))
        .layout["xaxis"]["autorangeoptions"]
        .values()
    )
    assert clipped == 1.0


def test_long_names_of_pinned_runs_are_whole_and_do_not_overlap():
    made = history([0, 0], [1, 0], [1, 2], valid=(0.5, 0.51, 0.52))
    numbers = run_curves(made, "nDCG@10", made[2])
    names = [f"regularisation = 0.00{i}, g = {i} & longer" for i in range(5)]
    pinned = [Drawn(numbers, "#D55E00", name, marker="square") for name in names]
    picture = run_figure(Drawn(numbers, "#0072B2"), pinned)
    labels = [n for n in picture.layout["annotations"] if n["yref"] == "y"]

    assert {*names} <= {in_words(label) for label in labels}
    heights = sorted((n["yshift"], 1 + n["text"].count("<br>")) for n in labels)
    for (low, under), (high, over) in itertools.pairwise(heights):
        assert high - low >= 15 * (under + over) / 2 - 1e-6
    assert [t["marker"]["symbol"] for t in picture.data[:5]] == ["square"] * 5


def test_pinned_runs_are_faint_and_named():
    made = history([0, 0], [1, 0], [1, 2])
    numbers = run_curves(made, "nDCG@10", made[1])
    pinned = [Drawn(numbers, "#D55E00", "g < 3")]
    traces = run_figure(Drawn(numbers, "#0072B2"), pinned).data

    assert traces[0]["name"] == "g &lt; 3"
    assert traces[0]["opacity"] < traces[1]["opacity"]
    assert [trace["line"]["dash"] for trace in traces[1:3]] == ["solid", "dash"]


def test_zero_is_visible_among_the_coefficients():
    numbers = coefficients(history([0, 0], [1, -3], [2, 0]), 2, weighing(1.0, 1.0))
    _, dots, hollow = coefficients_figure(numbers, "#0072B2").data

    assert dots["customdata"] == ["a<br>coefficient 2"]
    assert hollow["customdata"] == ["b<br>coefficient 0"]
    assert hollow["x"] == [0]
