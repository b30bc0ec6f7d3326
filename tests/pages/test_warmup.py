import gc
import threading

from pages.ui import warmup


def test_the_warm_up_begins_once_the_page_is_drawn(monkeypatch):
    began = threading.Event()
    frozen = threading.Event()

    def warm_up(progress, parts):
        assert parts == ["the measures", "RSRank"]
        progress("a kernel", 1, 3)
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
    assert state.doing == "a kernel (2 of 3)"


def test_the_note_is_there_while_it_lasts(run_page, monkeypatch):
    monkeypatch.setattr(warmup, "_WARMUP", warmup.Warmup())
    page = run_page("home")

    assert any("Preparing…" in caption.value for caption in page.caption)
