"""What the server tells a browser that draws figures before their page."""

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


def get(path):
    query = urlsplit(path).query.encode()
    return Request(
        {"type": "http", "method": "GET", "headers": [], "query_string": query}
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


async def answered_by_draw(path, viewer, drawn):
    """What a browser is told that asks before a draw, and what the draw then does."""
    asked = asyncio.create_task(frames.answer_next(get(path)))
    await asyncio.sleep(0)
    draw = asyncio.create_task(asyncio.to_thread(frames.send_ahead, viewer, drawn))
    answer = json.loads((await asked).body)["figures"]
    return answer, draw


def test_a_browser_that_waits_gets_the_figures_of_the_next_draw(monkeypatch):
    monkeypatch.setattr(frames, "PATIENCE_SECONDS", LONG)
    monkeypatch.setattr(frames, "WAIT_SECONDS", 0.05)

    async def asks():
        path = frames.next_path("one")
        answer, draw = await answered_by_draw(path, "one", lambda: {"found": 1})
        assert answer == {"found": 1}
        await asyncio.sleep(0.05)
        # The page waits until the browser has drawn them, and asks for more.
        assert not draw.done()
        assert json.loads((await frames.answer_next(get(path))).body)["figures"] is None
        await draw

    asyncio.run(asks())


def test_a_page_does_not_wait_for_long(monkeypatch):
    monkeypatch.setattr(frames, "PATIENCE_SECONDS", 0.01)

    async def asks():
        _, draw = await answered_by_draw(frames.next_path("one"), "one", dict)
        await asyncio.wait_for(draw, LONG)

    asyncio.run(asks())


def test_figures_are_made_only_for_a_browser_that_waits(monkeypatch):
    monkeypatch.setattr(frames, "WAIT_SECONDS", 0.01)
    made = []
    frames.send_ahead("one", lambda: made.append(1))
    asyncio.run(frames.answer_next(get(frames.next_path("one"))))
    frames.send_ahead("one", lambda: made.append(1))
    asyncio.run(frames.answer_next(get(frames.next_path("two"))))
    assert made == []


def test_nothing_is_kept_of_browsers_that_waited_or_were_cut_off(monkeypatch):
    monkeypatch.setattr(frames, "WAIT_SECONDS", 0.05)

    async def asks():
        paths = [frames.next_path(f"made up {number}") for number in range(200)]
        await asyncio.gather(*(frames.answer_next(get(path)) for path in paths))
        assert not frames._AWAITED
        cut = asyncio.create_task(frames.answer_next(get(paths[0])))
        await asyncio.sleep(0)
        cut.cancel()
        await asyncio.wait([cut])

    asyncio.run(asks())
    assert not frames._AWAITED
    assert not frames._SENT
