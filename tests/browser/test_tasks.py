"""Tasks of a visitor to a server just started take no more clicks than they should."""

import pytest

from benchmarks._tasks import TASKS, Visitor, run_changed
from tests.browser.conftest import Watched, serving

# It begins with the first run; the home page's motion and Race have tests of their own.
SAMPLE = (run_changed,)
CASES = [
    pytest.param(
        task,
        id=task.name,
        marks=[] if task.do in SAMPLE else [pytest.mark.soak],
    )
    for task in TASKS
]


@pytest.mark.parametrize("task", CASES)
def test_a_task_takes_few_clicks(browser, task):
    with serving() as url:
        watched = Watched(browser, url)
        visitor = Visitor(watched.tab)
        visitor.page.goto(url, wait_until="commit")
        task.do(visitor)

        assert visitor.clicks == task.clicks
        assert visitor.page.get_by_test_id("stException").count() == 0
        # The home page was left while its pictures were on their way; its own tests
        # see that they come.
        assert [fault for fault in watched.leave() if "/media/" not in fault] == []
