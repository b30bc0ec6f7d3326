"""Tasks of a visitor take no more clicks than they should."""

import pytest

from benchmarks._tasks import TASKS, Visitor, run_changed
from tests.soaking import soak


# The sample begins with the first run; the home page's motion and Race have tests of
# their own.
@pytest.mark.parametrize(
    "task",
    [
        pytest.param(task, id=task.name)
        if task.do == run_changed
        else soak(task, id=task.name)
        for task in TASKS
    ],
)
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
