import gc
import threading

from pages.ui import warmup


def test_the_warm_up_begins_once_the_page_is_drawn(monkeypatch):
    began = threading.Event()
    frozen = threading.Event()

    def warm_up(parts):
        assert parts == ["the measures", "RSRank"]
        began.set()

    monkeypatch.setattr("rankcore.warmup.warm_up", warm_up)
    monkeypatch.setattr(gc, "freeze", frozen.set)
    state = warmup.Warmup()

    state.look()
    assert not began.wait(0.2)
    assert not state.finished
    for _ in range(3):
        state.look()
    assert frozen.wait(30)
    assert began.is_set()


def test_nothing_is_said_once_it_is_done(run_page, monkeypatch):
    done = warmup.Warmup()
    done.finished = True
    monkeypatch.setattr(warmup, "_WARMUP", done)

    assert not any("Preparing" in caption.value for caption in run_page("home").caption)


def test_the_note_is_there_while_it_lasts(run_page, monkeypatch):
    monkeypatch.setattr(warmup, "_WARMUP", warmup.Warmup())
    page = run_page("home")

    assert any("Preparing" in caption.value for caption in page.caption)
