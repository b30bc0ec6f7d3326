"""What the server tells a browser that draws the figures of a job that goes on."""

import asyncio
import json
import threading
from urllib.parse import urlsplit

import pytest
from starlette.requests import Request

from pages.ui.components import live
from pages.ui.registry import registry
from pages.ui.serving import frames
from rankcore.base.cancellation import cancel_point
from rankcore.plot import Picture
from rankcore.plot.palette import DARK, LIGHT
from rankcore.studies import Study
from rankcore.views import Panel

LONG = 60.0


def panels(study, palette):
    """A figure of the findings so far."""
    layout = {"height": 100, "font": {"color": palette.secondary, "size": 10}}
    picture = Picture([{"x": list(study.found)}], layout)
    return [Panel("found", "Found", f"{study.done} of {study.total}", picture)]


def path_of(job, palette=LIGHT, large=False, viewer="one"):
    def draw(now):
        return live.frames(panels(now.run, palette), palette, large)

    return frames.follow(job, draw, viewer)


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
    dark = path_of(job, DARK)
    frame = ask(dark)["found"]
    assert "1 of 2" in frame["heading"]
    assert frame["content"]["data"] == [{"x": [7]}]
    assert frame["content"]["layout"]["font"]["color"] == DARK.secondary
    large = ask(path_of(job, large=True, viewer="other"))["found"]["content"]
    assert large["layout"]["height"] > 100
    assert large["layout"]["font"]["color"] == LIGHT.secondary
    # Each viewer has figures of its own, by the settings of its page as they are now.
    assert ask(dark) == {"found": frame}
    assert path_of(job, LIGHT) == dark
    assert ask(dark)["found"]["content"]["layout"]["font"]["color"] == LIGHT.secondary


def test_there_are_none_of_a_study_that_has_paused_or_ended_or_is_gone(job):
    path = path_of(job)
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
