"""Tasks of a visitor to a server just started take no more clicks than they should."""

import pytest

from benchmarks._tasks import TASKS, Visitor, first_curve, race_decided
from tests.browser.conftest import Watched, serving

# Changing a run begins with the first; Race has tests of its own.
TESTED_ELSEWHERE = (first_curve, race_decided)
CASES = [
    pytest.param(
        task,
        id=task.name,
        marks=[pytest.mark.soak] if task.do in TESTED_ELSEWHERE else [],
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
        assert watched.leave() == []
