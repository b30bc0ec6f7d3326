import dataclasses
import itertools
import json

import pytest
from numba import njit
from starlette.requests import Request
from streamlit.delta_generator import DeltaGenerator
from streamlit.testing.v1 import AppTest

from pages.ui.serving import preparing
from pages.ui.serving.warmup import COMPILING
from pages.ui.shared import ALGORITHM
from pages.views.train import _plan
from rankcore.topics import warmup
from rankcore.views import View
from tests import viewing
from tests.soaking import soak

TRAIN = viewing.view("train", "Run")


@pytest.fixture
def state(monkeypatch):
    """A preparation that never begins."""
    background = warmup.Background()
    monkeypatch.setattr(background, "begin", lambda: None)
    monkeypatch.setattr(warmup, "BACKGROUND", background)
    return background


def said(page):
    notes = [
        one.proto for one in page.get("bidi_component") if "warmup" in one.proto.id
    ]
    return [json.loads(note.json)["text"] for note in notes]


def test_nothing_is_said_once_it_is_done(run_page, state):
    state.finished = True
    assert said(run_page("home")) == []


def test_the_note_is_there_while_it_lasts(run_page, state):
    assert said(run_page("home")) == ["Preparing…"]


def test_the_note_says_how_many_kernels_are_compiled(run_page, state):
    state.ready, state.count = 11, 30
    assert said(run_page("home")) == ["Compiling kernel 12 of 30"]


def test_a_browser_that_asks_is_told_the_same_and_has_drawn_a_page(run_page, state):
    run_page("home")
    request = Request({"type": "http"})
    assert not state._first_look.is_set()
    assert json.loads(preparing.answer(request).body) == {"text": "Preparing…"}
    assert state._first_look.is_set()
    state.finished = True
    assert json.loads(preparing.answer(request).body) == {"text": ""}


def test_the_defaults_of_train_are_compiled_first():
    assert ALGORITHM.default in warmup.FIRST
    assert set(_plan.measures(viewing.values(TRAIN))) == set(warmup.FIRST_MEASURES)


def compiles():
    """Compile a kernel."""

    def twice(x):
        return x + x

    twice.__module__ = "rankcore.twice"
    njit(twice)(1)


@pytest.fixture
def lines(monkeypatch):
    """What is said on pages, in boxes."""
    result, info = [], DeltaGenerator.info

    def seen(place, body, **more):
        result.append(body)
        return info(place, body, **more)

    monkeypatch.setattr(DeltaGenerator, "info", seen)
    return result


ASKED = ["show", "work_for", "refusal", "explained", "scenarios", "rows"]
WAITING = ["measures", "cones", "train"]
# Each that is asked for on one page, each page with two of them.
SAMPLE = set(zip(WAITING * 2, ASKED, strict=True))


@pytest.mark.parametrize(
    ("page", "asked"),
    [
        pair if pair in SAMPLE else soak(*pair)
        for pair in itertools.product(WAITING, ASKED)
    ],
)
def test_a_view_that_waits_for_a_kernel_says_so_and_goes_on(
    run_page, monkeypatch, lines, page, asked
):
    views = viewing.page(page).views
    name, view = next(iter(views.items()))

    class Waiting(View):
        """The view, which compiles a kernel whenever it is asked for one thing."""

        def __getattribute__(self, attribute):
            if attribute == asked:
                compiles()
            return super().__getattribute__(attribute)

    fields = [field.name for field in dataclasses.fields(View)]
    waiting = Waiting(**{each: getattr(view, each) for each in fields})
    monkeypatch.setitem(views, name, waiting)
    drawn = run_page(page)
    assert set(lines) == {COMPILING}
    assert COMPILING not in {line.value for line in drawn.info}
    assert drawn.get("bidi_component")
    assert not drawn.exception


def test_a_fragment_that_is_drawn_alone_says_so_too(lines):
    def script():
        from pages.ui import fragments
        from tests.views.test_warmup import compiles

        fragments.draw(compiles, "some")
        fragments.draw(compiles, "other", waits=False)

    page = AppTest.from_function(script).run(timeout=120)
    assert lines == [COMPILING]
    assert not page.exception
