import pytest

from pages.ui.shared import ALGORITHM
from pages.views.train import _plan
from rankcore import warmup
from tests import viewing

TRAIN = viewing.view("train", "Run")


@pytest.fixture
def state(monkeypatch):
    """A preparation that never begins."""
    found = warmup.Background()
    monkeypatch.setattr(found, "begin", lambda: None)
    monkeypatch.setattr(warmup, "BACKGROUND", found)
    return found


def said(page):
    return [caption.value for caption in page.caption if "/bolt:" in caption.value]


def test_nothing_is_said_once_it_is_done(run_page, state):
    state.finished = True
    assert said(run_page("home")) == []


def test_the_note_is_there_while_it_lasts(run_page, state):
    assert said(run_page("home")) == [":material/bolt: Preparing…"]


def test_the_note_says_how_many_kernels_are_compiled(run_page, state):
    state.ready, state.count = 11, 30
    text = ":material/bolt: Compiling 12 of 30 kernels …"
    assert said(run_page("home")) == [text]


def test_the_defaults_of_train_are_compiled_first():
    assert ALGORITHM.default in warmup.FIRST
    assert set(_plan.measures(viewing.values(TRAIN))) == set(warmup.FIRST_MEASURES)
