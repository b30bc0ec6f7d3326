"""What a step says is what its figure shows: its document, its data, its algorithm."""

import re

import numpy as np
import pytest

from pages.ui.away import links
from pages.ui.catalogue import pages
from pages.ui.lessons import store
from rankcore.views import Panel, flat

LESSONS = {lesson.name: lesson for lesson in store.everything()[0]}
MOVED = re.compile(r"the score of (\w) rise")


def opened(step):
    """A step's link, as a visitor opens it."""
    return links.Opened(pages()[step.page], step.settings, {})


def moving(step):
    """The figure in which the score of a document moves."""
    link = opened(step)
    shown = link.page.view(link.raw).show(link.values())
    panels = (block for block in flat(shown.blocks) if isinstance(block, Panel))
    return next(panel.picture for panel in panels if panel.key == "moving")


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
