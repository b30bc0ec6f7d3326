"""What the server tells a browser that draws the figures of a study that goes on."""

import asyncio
import json
import threading
from urllib.parse import urlsplit

import pytest
from starlette.requests import Request

from pages.ui.registry import registry
from pages.ui.serving import frames
from rankcore.base.cancellation import cancel_point
from rankcore.plot import Picture
from rankcore.plot.palette import DARK, LIGHT
from rankcore.studies import Study
from rankcore.views import Panel, Work

LONG = 60.0


def panels(study, palette):
    """A figure of the findings so far."""
    layout = {"height": 100, "font": {"color": palette.secondary, "size": 10}}
    picture = Picture([{"x": list(study.found)}], layout)
    return [Panel("found", "Found", f"{study.done} of {study.total}", picture)]


WORK = Work(lambda values: None, "Find", "Numbers are found.", frames=panels)


@pytest.fixture
def job():
    """A study that has one finding and waits for the other."""
    begun, ends = threading.Event(), threading.Event()

    def findings():
        yield 7
        begun.set()
        while not ends.wait(0.01):
            cancel_point()

    made = registry().submit(Study(findings(), 2, "numbers"), title="slow", play=True)
    assert begun.wait(LONG)
    yield made
    made.steer().stop()
    made.wait(LONG)


def ask(path):
    query = urlsplit(path).query.encode()
    scope = {"type": "http", "method": "GET", "headers": [], "query_string": query}
    return json.loads(asyncio.run(frames.answer(Request(scope))).body)["figures"]


def test_figures_are_those_of_now_in_the_page_s_colours(job):
    frame = ask(frames.follow(job, WORK, DARK, large=False))["found"]
    assert "1 of 2" in frame["heading"]
    assert frame["content"]["data"] == [{"x": [7]}]
    assert frame["content"]["layout"]["font"]["color"] == DARK.secondary
    large = ask(frames.follow(job, WORK, LIGHT, large=True))["found"]["content"]
    assert large["layout"]["height"] > 100
    assert large["layout"]["font"]["color"] == LIGHT.secondary


def test_there_are_none_of_a_study_that_has_paused_or_ended_or_is_gone(job):
    path = frames.follow(job, WORK, LIGHT, large=False)
    steering = job.steer()
    assert ask(path) is not None
    steering.pause()
    assert ask(path) is None
    steering.play()
    assert ask(path) is not None
    steering.stop()
    assert job.wait(LONG)
    assert ask(path) is None
    assert ask(f"{frames.PATH}?job=gone") is None
    assert ask(frames.PATH) is None
