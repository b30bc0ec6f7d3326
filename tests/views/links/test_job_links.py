"""Links that name a run or a study: on every view that has one, they mean one thing."""

import pytest

from pages.ui import link, registry
from pages.ui.catalogue import pages, place_of
from rankcore.views import Training, Work, read
from tests.soaking import soak

pytestmark = pytest.mark.contract

SMALL = {"data": "toy-2d"}
# The first of each page; `make soak` has all.
VIEWS = [
    (page.name, name) if number == 0 else soak(page.name, name)
    for page in pages().values()
    for number, name in enumerate(
        name for name, view in page.views.items() if view.work is not None
    )
]
of_every_view = pytest.mark.parametrize(("page", "view"), VIEWS)


def link_of(page, view):
    result = pages()[page]
    named = (
        {result.key: view} if result.choice and view != result.choice.default else {}
    )
    rows = {row.key for row in result.views[view].rows(SMALL)}
    return named | {key: value for key, value in SMALL.items() if key in rows}


def begun(page, view):
    """A job of a view, not played."""
    result = pages()[page]
    raw = link_of(page, view)
    values = read(result.rows(raw), raw)
    work = result.views[view].work_for(values)
    made = work.study(values) if isinstance(work, Work) else work.run(values, None)
    settings = result.views[view].studied(values, raw)
    job = registry.registry().submit(made, title="A job", settings=settings)
    registry.look_at(place_of(result, result.views[view], values), job.id)
    return job


def other_setting(page, view):
    """A setting on which a job depends, with another value that counts."""
    result = pages()[page]
    raw = link_of(page, view)
    values = read(result.rows(raw), raw)
    studied = result.views[view].studied(values, raw)
    for row in result.views[view].rows(raw):
        if row.key not in studied or row.computed is not None:
            continue
        for value in row.examples(values):
            changed = raw | {row.key: value}
            new = read(result.rows(changed), changed)
            if value != values[row.key] and new[row.key] == value:
                return row.key, value
    raise AssertionError(f"No setting of {view} can be changed.")


def shown_figures(page, view):
    """Whether a view has figures without a job."""
    work = pages()[page].views[view].work
    return not isinstance(work, Training) and getattr(work, "optional", True)


def go(page, link):
    """Go to a link of the history."""
    page.query_params.clear()
    page.query_params.update(link)
    page.run()


@of_every_view
def test_a_link_whose_job_is_gone_offers_to_train_again(run_page, drawn, page, view):
    link = link_of(page, view) | {"job": "gone"}
    app = run_page(page, **link)

    assert not app.exception
    assert "no longer exists" in app.info[0].value
    assert not any("**Example**" in caption.value for caption in app.caption)
    assert "Train again" in [button.label for button in app.button]
    if not shown_figures(page, view):
        assert drawn(app) == {}
        assert not any('"rs-facts"' in html.proto.body for html in app.get("html"))
    assert link.items() <= dict(app.query_params).items()

    key, value = other_setting(page, view)
    app.session_state[key] = value
    app.run()
    assert not any("no longer exists" in info.value for info in app.info)
    assert "job" not in app.query_params


@of_every_view
def test_a_job_leaves_the_link_while_a_setting_differs(run_page, page, view):
    job = begun(page, view)
    app = run_page(page, **link_of(page, view), job=job.id)
    link = dict(app.query_params)
    assert link["job"] == job.id

    key, value = other_setting(page, view)
    before = read(pages()[page].rows(link), link)[key]
    app.session_state[key] = value
    app.run()
    changed = dict(app.query_params)
    assert "job" not in changed
    app.session_state[key] = before
    app.run()
    assert app.query_params == link

    # Back to what was changed, and forward again.
    go(app, changed)
    assert app.query_params == changed
    assert app.session_state[key] == value
    go(app, link)
    assert app.query_params == link
    job.steer().stop()


def test_a_setting_of_the_link_counts_more_than_that_of_its_job(run_page):
    page, view = VIEWS[0]
    job = begun(page, view)
    key, value = other_setting(page, view)
    rows = pages()[page].rows(link_of(page, view))
    (row,) = (row for row in rows if row.key == key)
    chosen = link_of(page, view) | {key: row.format(value)}
    app = run_page(page, **chosen, job=job.id)
    assert app.session_state[key] == value


def test_the_links_looked_at_last_are_remembered(run_page, monkeypatch):
    monkeypatch.setattr(link, "MOST_REMEMBERED", 2)
    app = run_page("measures", alpha="20")
    for alpha in ("30", "20", "40"):
        go(app, {"alpha": alpha})
    remembered = app.session_state[link._LOOKED_AT]
    assert [dict(key[1:])["alpha"] for key in remembered] == ["20", "40"]
