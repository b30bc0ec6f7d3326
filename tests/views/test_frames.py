"""What the server tells a browser that draws figures before their page."""

import asyncio
import gc
import json
import threading
from urllib.parse import urlencode, urlsplit

import pytest
from starlette.requests import Request

from pages.ui.components import live
from pages.ui.registry import registry
from pages.ui.serving import frames, secret, visitor
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


def get(path, headers=()):
    query = urlsplit(path).query.encode()
    return Request(
        {"type": "http", "method": "GET", "headers": headers, "query_string": query}
    )


def ask(path):
    return json.loads(asyncio.run(frames.answer(get(path))).body)["figures"]


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


def signed():
    """The cookies of a browser that this server knows."""
    token = "t" * 43
    return {visitor.COOKIE: f"{token}.{secret.signature(token)}"}


def told(report, viewer="one", cookies=None):
    """A browser's question about figures after a change."""
    path = f"{frames.next_path(viewer)}&{urlencode({'report': json.dumps(report)})}"
    cookie = "; ".join(f"{name}={text}" for name, text in (cookies or {}).items())
    return get(path, [(b"cookie", cookie.encode())])


async def figures(question):
    return json.loads((await frames.answer_next(question)).body)["figures"]


def doubled(report):
    return {"at": 2 * report["at"]} if "at" in report else None


def test_a_change_has_figures_before_the_page_is_drawn_with_it():
    frames.offer("one", doubled)
    assert asyncio.run(figures(told({"at": 3}))) == {"at": 6}
    assert asyncio.run(figures(told({}))) is None
    assert asyncio.run(figures(told({"at": 3}, viewer="two"))) is None
    assert asyncio.run(figures(told([3]))) is None


def test_a_question_that_is_no_report_is_refused():
    for query in ("", "&report=", "&report={", "&report=" + 5000 * "["):
        path = f"{frames.next_path('one')}{query}"
        assert asyncio.run(frames.answer_next(get(path))).status_code == 400


def test_nothing_is_offered_of_a_page_that_has_gone():
    class Page:
        def draw(self, report):
            return report

    draw = Page().draw
    frames.offer("gone", draw)
    assert asyncio.run(figures(told({"at": 1}, "gone"))) == {"at": 1}
    del draw
    gc.collect()
    assert asyncio.run(figures(told({"at": 1}, "gone"))) is None


def test_a_page_waits_until_its_browser_has_drawn_what_it_has_been_sent(monkeypatch):
    monkeypatch.setattr(frames, "PATIENCE_SECONDS", LONG)
    frames.offer("one", doubled)
    result = signed()

    async def asks():
        assert frames.drawing(result) is None
        await figures(told({"at": 1}, cookies=result))
        first = frames.drawing(result)
        assert not first.done()
        # Another question takes the place of the first.
        await figures(told({"at": 2}, cookies=result))
        assert first.done()
        second = frames.drawing(result)
        await figures(told({}, cookies=result))
        assert second.done()
        assert frames.drawing(result) is None
        # What the page itself has to draw is not waited for, and nobody waits for a
        # browser that this server does not know.
        await figures(told({"other": 1}, cookies=result))
        await figures(told({"at": 1}, cookies={visitor.COOKIE: "forged"}))
        assert not frames._DRAWING

    asyncio.run(asks())


def test_a_page_does_not_wait_for_long(monkeypatch):
    monkeypatch.setattr(frames, "PATIENCE_SECONDS", 0.01)

    async def asks():
        frames._begin_drawing(visitor.token_of(signed()))
        await asyncio.wait([frames.drawing(signed())], timeout=LONG)
        assert not frames._DRAWING

    asyncio.run(asks())
