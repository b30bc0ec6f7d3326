"""What the server tells a browser that waits for news of a study."""

import asyncio
import json
import threading
import time
from math import inf
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from starlette.requests import Request

from pages.ui import fragments
from pages.ui.panels.study_panel import StudyPanel
from pages.ui.registry import registry
from pages.ui.serving import news
from rankcore.base.cancellation import cancel_point
from rankcore.studies import Study
from rankcore.studies.jobs import ACTIVE

LONG = 60.0


class Slow:
    """A study of two findings, each of which is waited for."""

    def __init__(self):
        self.next = [threading.Event(), threading.Event()]
        self.study = Study(self._findings(), 2, "findings")
        self.job = registry().submit(self.study, title="slow", play=True)

    def _findings(self):
        for number, event in enumerate(self.next):
            while not event.wait(0.01):
                cancel_point()
            yield number

    def finds(self, number):
        self.next[number].set()
        until = time.monotonic() + LONG
        while self.study.done <= number and time.monotonic() < until:
            time.sleep(0.01)


@pytest.fixture
def slow(monkeypatch):
    monkeypatch.setattr(news, "WAIT_SECONDS", 0.1)
    made = Slow()
    yield made
    made.job.steer().stop()
    made.job.wait(LONG)


def ask(path, connected=True):
    """What the route answers: the status, and the news."""

    async def receive():
        if connected:
            await asyncio.sleep(LONG)
        return {"type": "http.disconnect"}

    query = urlsplit(path).query.encode()
    scope = {"type": "http", "method": "GET", "headers": [], "query_string": query}
    answer = asyncio.run(news.answer(Request(scope, receive)))
    return answer.status_code, json.loads(answer.body).get("news")


def test_there_is_none_until_something_is_found(slow):
    path = news.after(slow.job, news.digest(slow.job), 0.0)
    assert ask(path) == (200, False)
    slow.finds(0)
    assert ask(path) == (200, True)


def test_a_finding_is_no_news_before_its_time(slow):
    path = news.after(slow.job, news.digest(slow.job), LONG)
    slow.finds(0)
    assert ask(path) == (200, False)


def test_so_many_findings_are_news_at_once(slow):
    path = news.after(slow.job, news.digest(slow.job), LONG, findings=2)
    slow.finds(0)
    assert ask(path) == (200, False)
    slow.finds(1)
    assert ask(path) == (200, True)


def test_a_study_that_pauses_or_ends_is_news_at_once(slow):
    steering = slow.job.steer()
    for stop in (steering.pause, steering.stop):
        steering.play()
        path = news.after(slow.job, news.digest(slow.job), LONG)
        stop()
        until = time.monotonic() + LONG
        while slow.job.state in ACTIVE and time.monotonic() < until:
            time.sleep(0.01)
        assert ask(path) == (200, True)


class Ending(StudyPanel):
    """A panel of a study that ends after its buttons are drawn."""

    @property
    def job(self):
        return self.values

    def _status(self, job, current):
        job.steer().stop()
        job.wait(LONG)


def test_a_study_that_ends_while_it_is_drawn_is_news(slow, monkeypatch):
    paths = []
    monkeypatch.setattr(
        fragments, "draw_later", lambda *_, news_path: paths.append(news_path)
    )
    work = SimpleNamespace(
        steps=None,
        speed=None,
        keeps_settings=False,
        only_current=False,
        button="Train",
        frames=None,
    )
    panel = Ending(work, "train", slow.job, slow.job.settings, None, None)
    panel.draw(lambda run, overlay: None)
    assert slow.job.ended
    assert [ask(path) for path in paths] == [(200, True)]


def test_an_answer_comes_as_soon_as_there_is_news(slow, monkeypatch):
    monkeypatch.setattr(news, "WAIT_SECONDS", LONG)
    path = news.after(slow.job, news.digest(slow.job), 0.0)
    timer = threading.Timer(0.2, slow.next[0].set)
    timer.start()
    assert ask(path) == (200, True)
    assert slow.study.done == 1


def test_nobody_waits_for_a_browser_that_has_gone(slow, monkeypatch):
    monkeypatch.setattr(news, "WAIT_SECONDS", inf)
    path = news.after(slow.job, news.digest(slow.job), LONG)
    assert ask(path, connected=False) == (200, False)


def test_a_study_that_is_not_in_memory_is_news():
    assert ask(f"{news.PATH}?job=gone&seen=0&by=0") == (200, True)


def test_a_query_that_is_no_number_is_refused():
    assert ask(f"{news.PATH}?job=gone&by=soon")[0] == 400
