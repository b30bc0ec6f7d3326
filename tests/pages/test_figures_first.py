"""Figures are sent before the rest, and only where the browser can place them."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.scriptrunner_utils.exceptions import RerunException
from streamlit.runtime.scriptrunner_utils.script_requests import (
    RerunData,
    ScriptRequestType,
)

from pages.ui import figures_first
from pages.ui.figures_first import FiguresFirst

PAGE = [
    ("block", (0,)),
    ("slider", (0, 0)),
    ("bidi_component", (0, 1)),
    ("block", (1,)),
    ("markdown", (1, 0)),
    ("bidi_component", (1, 1)),
]
MOVED = [*PAGE[:2], (*PAGE[2], "moved"), *PAGE[3:5], (*PAGE[5], "moved")]
FIGURES_FIRST = [PAGE[2], PAGE[5], PAGE[0], PAGE[1], PAGE[3], PAGE[4]]


def message(kind, path, content=""):
    found = ForwardMsg()
    found.metadata.delta_path.extend(path)
    if kind == "block":
        found.delta.add_block.allow_empty = True
    else:
        getattr(found.delta.new_element, kind).SetInParent()
    found.hash = content
    return found


def described(sent):
    return [
        (
            sent.delta.new_element.WhichOneof("type") or "block",
            tuple(sent.metadata.delta_path),
        )
        for sent in sent
    ]


@pytest.fixture
def context(monkeypatch):
    """A script's context that keeps what it is to send."""
    sent = []
    requests = SimpleNamespace(_state=ScriptRequestType.CONTINUE)
    context = SimpleNamespace(sent=sent, _enqueue=sent.append, script_requests=requests)
    monkeypatch.setattr(figures_first, "get_script_run_ctx", lambda: context)
    return context


@pytest.fixture
def clock(monkeypatch):
    """A clock that only sleep moves; ``asleep`` is what else happens then."""
    clock = SimpleNamespace(now=0.0, asleep=lambda: None)

    def sleep(seconds):
        clock.now += seconds
        clock.asleep()

    time = SimpleNamespace(monotonic=lambda: clock.now, sleep=sleep)
    monkeypatch.setattr(figures_first, "time", time)
    monkeypatch.setattr(figures_first, "DRAWING_SECONDS", 0.12)
    return clock


def draw(context, first, page, fails=None):
    with first.sending():
        for place in page:
            context._enqueue(message(*place))
        if fails:
            raise fails


def run(context, first, page):
    context.sent.clear()
    draw(context, first, page)
    return described(context.sent)


def test_only_a_page_that_looks_as_it_did_is_sent_out_of_order(context):
    first = FiguresFirst()

    assert run(context, first, PAGE) == PAGE
    assert run(context, first, MOVED) == FIGURES_FIRST
    assert run(context, first, PAGE) == FIGURES_FIRST


def test_a_figure_that_is_as_it_was_waits_with_the_rest(context):
    first = FiguresFirst()
    run(context, first, PAGE)

    assert run(context, first, PAGE) == PAGE
    one_moved = [*PAGE[:5], MOVED[5]]
    assert run(context, first, one_moved) == [PAGE[5], *PAGE[:5]]


@pytest.mark.parametrize(
    ("place", "other"),
    [(1, ("selectbox", (0, 0))), (3, ("markdown", (1,))), (4, ("markdown", (1, 7)))],
)
def test_all_is_in_order_from_the_first_thing_that_is_new(context, place, other):
    first = FiguresFirst()
    run(context, first, PAGE)
    changed = [*PAGE[:place], other, *PAGE[place + 1 :]]

    sent = run(context, first, changed)

    assert sorted(sent) == sorted(changed)
    at = sent.index(other)
    assert sorted(sent[:at]) == sorted(changed[:place])
    assert sent[at:] == changed[place:]
    moved = [*changed[:5], MOVED[5]]
    assert run(context, first, moved) == [PAGE[5], *moved[:5]]


def test_a_run_that_breaks_off_loses_nothing_and_is_not_trusted(context):
    first = FiguresFirst()
    run(context, first, PAGE)
    context.sent.clear()

    with pytest.raises(RuntimeError):
        draw(context, first, MOVED[:3], RuntimeError)

    assert described(context.sent) == [PAGE[2], PAGE[0], PAGE[1]]
    assert run(context, first, PAGE) == PAGE


def test_other_messages_pass_at_once(context):
    first = FiguresFirst()
    run(context, first, PAGE)
    context.sent.clear()
    note = ForwardMsg()
    note.session_status_changed.SetInParent()

    with first.sending():
        context._enqueue(message(*PAGE[0]))
        context._enqueue(note)
        assert context.sent == [note]

    assert len(context.sent) == 2


def test_what_a_fragment_inside_draws_does_not_wait(context):
    first = FiguresFirst()
    inner = ("markdown", (0, 0))
    run(context, first, PAGE)
    context.sent.clear()

    with first.sending():
        context._enqueue(message(*PAGE[0]))
        drawn = message(*inner)
        drawn.delta.fragment_id = "inner"
        context._enqueue(drawn)
        context._enqueue(message(*MOVED[2]))

    assert described(context.sent) == [inner, PAGE[2], PAGE[0]]


def test_the_rest_waits_while_a_figure_that_changed_is_drawn(context, clock):
    first = FiguresFirst()
    run(context, first, PAGE)
    sent_asleep = []
    clock.asleep = lambda: sent_asleep.append(described(context.sent))

    assert run(context, first, MOVED) == FIGURES_FIRST
    assert all(sent == FIGURES_FIRST[:2] for sent in sent_asleep)
    assert clock.now == pytest.approx(0.12, abs=0.011)


@pytest.mark.parametrize(
    ("waits", "page", "order"), [(True, PAGE, PAGE), (False, MOVED, FIGURES_FIRST)]
)
def test_nothing_waits_without_a_change_or_time(context, clock, waits, page, order):
    first = FiguresFirst(waits)
    run(context, first, PAGE)

    assert run(context, first, page) == order
    assert clock.now == 0.0


def test_another_run_that_is_asked_for_ends_the_waiting(context, clock):
    def ask():
        context.script_requests._state = ScriptRequestType.RERUN

    first = FiguresFirst()
    run(context, first, PAGE)
    clock.asleep = ask

    run(context, first, MOVED)

    assert clock.now == pytest.approx(0.01)


@pytest.mark.parametrize("stops", [False, True])
def test_a_fragment_draws_figures_even_before_its_container(
    context, monkeypatch, stops
):
    container, figure = ("block", (0,)), ("bidi_component", (0, 0))
    drawings, done = [], []
    stored = {}
    context.fragment_storage = SimpleNamespace(
        lookup=stored.get,
        register=lambda name, part, **kept: stored.update({name: part}),
    )

    def fragment(part, run_every):
        def drawn():
            context._enqueue(message(*container))
            part()

        stored["part"] = drawn
        return drawn

    def draw():
        drawings.append(None)
        context._enqueue(message(*figure, str(len(drawings))))
        if stops and len(drawings) != 2:
            raise StopIteration

    monkeypatch.setattr(figures_first.st, "fragment", fragment)
    fragments = SimpleNamespace(get=lambda: SimpleNamespace(fragment_id="part"))
    monkeypatch.setattr(figures_first, "ThreadState", fragments)

    expected = pytest.raises(StopIteration) if stops else nullcontext()
    with expected:
        FiguresFirst().fragment(draw, None, lambda: done.append(len(context.sent)))
    assert described(context.sent) == [container, figure]
    assert not done

    context.sent.clear()
    stored["part"]()
    # After a run that broke off, all is in order once more.
    order = [container, figure] if stops else [figure, container]
    assert described(context.sent) == order
    assert done == [2]
    with expected:
        stored["part"]()
    assert len(done) == 2


def test_a_run_that_asks_for_another_sends_nothing_more(context):
    first = FiguresFirst()
    draw(context, first, PAGE)
    context.sent.clear()

    with pytest.raises(RerunException):
        draw(context, first, PAGE[:2], RerunException(RerunData()))

    assert not context.sent


def test_a_fragment_that_asks_for_another_run_does_nothing_else(context, monkeypatch):
    """A second request would take the place of the first, with what was pressed."""
    stored, done = {}, []
    context.fragment_storage = SimpleNamespace(
        lookup=stored.get,
        register=lambda name, part, **kept: stored.update({name: part}),
    )
    fragments = SimpleNamespace(get=lambda: SimpleNamespace(fragment_id="part"))
    monkeypatch.setattr(figures_first, "ThreadState", fragments)
    runs = []

    def fragment(part, run_every):
        stored["part"] = part
        return part

    def draw():
        runs.append(None)
        if len(runs) > 1:
            raise RerunException(RerunData())

    monkeypatch.setattr(figures_first.st, "fragment", fragment)
    FiguresFirst().fragment(draw, None, lambda: done.append(None))
    with pytest.raises(RerunException):
        stored["part"]()

    assert len(runs) == 2
    assert not done


def test_a_part_of_a_part_is_known_as_such(context, monkeypatch):
    """Where both are to be drawn, Streamlit draws the outer one only."""
    kept, ids = {}, iter(["body", "part"])
    context.fragment_storage = SimpleNamespace(
        lookup=lambda name: None,
        register=lambda name, part, **details: kept.update({name: details}),
    )
    states = SimpleNamespace(get=lambda: SimpleNamespace(fragment_id=next(ids)))
    monkeypatch.setattr(figures_first, "ThreadState", states)
    monkeypatch.setattr(figures_first.st, "fragment", lambda part, run_every: part)
    FiguresFirst().fragment(lambda: None, None, lambda: None)

    assert kept == {"part": {"parent_fragment_id": "body"}}
