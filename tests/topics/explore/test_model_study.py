"""Studies that train one model after the other: what their progress says."""

from types import SimpleNamespace

import pytest

from rankcore.studies import Progress
from rankcore.topics.explore import model_study


def said(monkeypatch, **more):
    """What the progress says after each of four models of two seconds."""
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(
        model_study, "time", SimpleNamespace(monotonic=lambda: clock.now)
    )

    def models():
        for number in range(4):
            clock.now += 2.0
            yield number, SimpleNamespace(failed=False, record=lambda: None)

    coming = model_study.each_model(models(), 4, **more)
    return [item.doing for item in coming if isinstance(item, Progress)]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, ["", "about 10 s left", "about 10 s left", ""]),
        (
            {"doing": "coarse to fine"},
            [
                "coarse to fine",
                "coarse to fine, about 10 s left",
                "coarse to fine, about 10 s left",
                "coarse to fine",
            ],
        ),
    ],
)
def test_the_progress_says_the_time_left(monkeypatch, more, expected):
    assert said(monkeypatch, **more) == expected


def test_the_time_left_ends_with_the_budget():
    def models():
        yield 0, SimpleNamespace(failed=False, record=lambda: None)

    times = iter([0.0, 100.0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            model_study, "time", SimpleNamespace(monotonic=lambda: next(times))
        )
        items = list(model_study.each_model(models(), 9, most=140.0))
    # At this pace all nine would take 800 more seconds.
    assert items[1] == Progress("about 40 s left", 1 / 9)
    assert model_study.time_left(800.0) == "about 13 min left"
