"""What a step says is what its figure shows: its document, its data, its algorithm."""

import re

import numpy as np
import pytest

from pages.ui import examples
from pages.ui.away import links
from pages.ui.catalogue import pages
from pages.ui.lessons import store
from rankcore.plot.palette import palette
from rankcore.plot.pointing import pointed
from rankcore.plot.style import Picture, layout, lines
from rankcore.views import Training, Work
from rankcore.views.blocks import Panel, Row, Shown
from rankcore.views.steps import FigureArrow

LESSONS = {lesson.name: lesson for lesson in store.everything()[0]}
STEPS = [
    pytest.param(step, id=f"{name}-{number}")
    for name, lesson in LESSONS.items()
    for number, step in enumerate(lesson.steps, 1)
]
MOVED = re.compile(r"the score of (\w) rise")


def opened(step):
    """A step's link, as a visitor opens it."""
    return links.OpenLink(pages()[step.page], step.settings, {})


def moving(step):
    """The figure in which the score of a document moves."""
    link = opened(step)
    shown = link.page.view(link.raw).show(link.values())
    return next(p.picture for p in shown.panels() if p.key == "moving")


def test_the_figure_moves_the_document_that_the_text_moves():
    step = LESSONS["1-no-slope"].steps[3]
    (named,) = MOVED.findall(step.text)
    assert moving(step).alt.startswith(f"As the score of {named} rises")


@pytest.mark.parametrize("at", [3, 4])
def test_the_document_that_moves_gains_all_the_way_up(at):
    columns = moving(LESSONS["1-no-slope"].steps[at]).numbers()
    for name, values in columns.items():
        rises = np.diff(np.asarray(values, float))
        assert rises.min() >= 0, name
    assert columns["α = 1"][-1] > columns["α = 1"][0]


@pytest.mark.parametrize("step", STEPS)
def test_a_step_shows_what_its_settings_ask_for(step):
    """Its settings count as they are named, and a study is at hand or begins."""
    link = opened(step)
    view, values = link.page.view(link.raw), link.values()
    counted = {key: values[key] for key in step.settings if key in values}
    assert counted == {key: step.settings[key] for key in counted}
    assert set(step.settings) - set(counted) <= {link.page.key}
    work = view.work_for(values)
    if isinstance(work, Training):
        return
    if not isinstance(work, Work) or work.optional:
        assert not step.press
        return
    example = examples.example(link.page, view, values)
    assert step.press == (example is None)
    if example is not None:
        promise = examples.announced(link.page, view, work, values).promise
        assert promise.startswith("**Example**, computed on ")


def shown_at(name, number):
    """What a step without a study shows."""
    link = opened(LESSONS[name].steps[number - 1])
    return link.page.view(link.raw).show(link.values())


POINTING = [one for one in STEPS if one.values[0].point is not None]


@pytest.mark.parametrize("step", POINTING)
def test_the_arrow_of_a_step_has_its_mark(step):
    link = opened(step)
    view, values = link.page.view(link.raw), link.values()
    stored = view.work_for(values) and examples.example(link.page, view, values)
    shown = stored.show(values) if stored else view.show(values)
    texts = [
        note["text"]
        for panel in step.point.on(shown).panels()
        for note in panel.picture.layout.get("annotations", ())
    ]
    assert texts.count(step.point.words) == 1


def test_an_arrow_is_placed_in_the_width_of_its_column():
    """In a narrow column the words stand on the side that has room."""
    axes = layout(palette("light"), "x", "y")
    axes["xaxis"] |= {"range": [0.0, 10.0]}
    mark = lines([1.0, 6.0], [5.0, 5.0], "#000000", name="mark")
    panel = Panel("one", "", "", Picture([mark], axes))
    arrow = FigureArrow("mark", "right of it in a wide column")
    placed = {}
    for width in (10, 90):
        row = Row([[], [panel]], [100 - width, width])
        (drawn,) = arrow.on(Shown((), [row])).panels()
        placed[width] = drawn.picture.layout["annotations"][-1]["ax"]
        alone = pointed(panel.picture, arrow.mark, arrow.words, width / 100)
        assert drawn.picture.layout == alone.layout
    assert placed[10] != placed[90]


def test_every_pair_of_the_list_is_in_sight_on_the_straight_part_too():
    picture = shown_at("6-reduction", 3).panels()[0].picture
    (pairs,) = (trace for trace in picture.data if trace.get("name") == "pairs")
    low, high = picture.layout["yaxis"]["range"]
    assert low < min(pairs["y"])
    assert max(pairs["y"]) < high
    # Below -1 the loss is a straight line, above 4.
    assert min(pairs["x"]) < -1
    assert max(pairs["y"]) > 4


def test_no_error_stands_above_its_bound():
    facts = {fact.meaning: fact for fact in shown_at("2-alpha", 4).facts}
    for name in ("Error", "Largest position error ε"):
        assert (facts[name].number, facts[name].note) == ("< 10⁻¹²", "bound < 10⁻¹²")
