"""Tasks of a visitor take no more clicks than they should."""

import pytest

from benchmarks._tasks import TASKS, Visitor


@pytest.mark.soak
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_a_task_takes_few_clicks(watched, assert_sound, task):
    visitor = Visitor(watched.tab)
    visitor.page.set_viewport_size({"width": 1440, "height": 900})
    visitor.page.emulate_media(reduced_motion="no-preference")
    visitor.page.goto(watched.url, wait_until="commit")
    task.do(visitor)

    assert visitor.clicks == task.clicks
    assert_sound(visitor.page)
    # The home page was left while its pictures were on their way; its own tests see
    # that they come.
    assert [fault for fault in watched.leave() if "/media/" not in fault] == []
