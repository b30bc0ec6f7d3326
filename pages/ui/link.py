"""The link of a page: read when a page begins, written where its figures end."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from pages.ui import fragments, registry, session
from pages.ui.away.copies import HOME, SERVER
from pages.ui.away.links import JOB, query, values
from pages.ui.catalogue import names, place, place_of
from pages.ui.data import stored_runs
from pages.ui.old_names import renamed
from pages.ui.shared import AT, LESSON, PLACE
from rankcore import past
from rankcore.views import Page, Setting, Values, View
from rankcore.views.blocks import NOTHING

_WRITTEN = "link written last"
_PAGE = "page of the link"
_AGAIN = "page of the link, to be opened again"


def begin(page: Page) -> None:
    """Take over the link's settings, if the page has just been opened.

    What the link does not name stays as it was chosen on other pages. Where the browser
    went back to an earlier link of the same page, what that does not name has its
    default. A link that names a lesson also says at which step.
    """
    asked = _asked()
    again = st.session_state.pop(_AGAIN, False)
    opened = again or st.session_state.get(_PAGE) != page.name
    if not opened and asked == st.session_state.get(_WRITTEN):
        return
    st.session_state[_PAGE] = page.name
    known = dict(renamed(*item) for item in asked.items())
    named = values(known)
    if not opened:
        session.forget(row.key for row in page.rows(session.raw()))
    if not opened or LESSON.key in named:
        session.forget(row.key for row in PLACE)
    session.put(named)
    _take_over(page, known.get(JOB), named)
    _beside_run(page, named)
    if opened and AT.key not in named:
        # An iteration is one of the run that it was chosen for, not of another page's.
        session.forget([AT.key])


def stay(page: Page) -> None:
    """Go back to the page that was opened last, where this is another one.

    A timer or a click that reaches the server while it goes on to the next page still
    names the page before, and Streamlit then shows that page with one fragment alone:
    its own, or that of the opened page in the same place.
    """
    opened = st.session_state.get(_PAGE, page.name)
    if not opened == page.name == _named_by_request(page.name):
        st.session_state[_AGAIN] = True
        st.switch_page(f"pages/{opened}.py")


def go(page: str, settings: Mapping[str, str] = NOTHING) -> None:
    """Go to another page, while this one is drawn; a callback cannot."""
    fragments.end_timers()
    st.switch_page(f"pages/{page}.py", query_params=settings)


def _named_by_request(otherwise: str) -> str:
    """The page that the browser showed when it sent its request, if that is known."""
    address = st.context.url
    if address is None:
        return otherwise
    last = urlsplit(address).path.rstrip("/").rpartition("/")[2]
    return last if last in names() else HOME


def write(page: Page, view: View, rows: Sequence[Setting], values: Values) -> None:
    """Write what differs from its default into the link.

    A request may still name the link before the one written last, where the browser
    sent it first.
    """
    wanted = query(rows, values) | _lesson()
    job = registry.looked_at(place_of(page, view, values))
    if job is not None:
        wanted[JOB] = job
    if not _asked() == wanted == st.session_state.get(_WRITTEN, wanted):
        st.query_params.from_dict(wanted)
    st.session_state[_WRITTEN] = wanted


def server(page: Page) -> str:
    """The address of the app as this visitor's browser has it."""
    parts = urlsplit(st.context.url or "")
    if not parts.netloc:
        return SERVER
    before = parts.path.rstrip("/").removesuffix(f"/{page.name}")
    return f"{parts.scheme}://{parts.netloc}{before}"


def _lesson() -> dict[str, str]:
    """Where the visitor is in a lesson."""
    chosen = session.values(PLACE)
    if not chosen.lesson:
        return {}
    return {
        row.key: row.format(chosen[row.key])
        for row in PLACE
        if chosen[row.key] != row.default
    }


def _asked() -> dict[str, str]:
    return {key: ",".join(st.query_params.get_all(key)) for key in st.query_params}


def _beside_run(page: Page, named: Mapping[str, Any]) -> None:
    """Settings that the link leaves out are those of the runs that it names."""

    def begun(key: str) -> Mapping[str, Any]:
        job = registry.find(key)
        return stored_runs.begun(key) if job is None else job.settings

    rows = {row.key for row in page.rows(session.raw())}
    session.put(stored_runs.brought(rows, named, begun))


def _take_over(page: Page, job_id: str | None, named: Mapping[str, Any]) -> None:
    """Look at the job that the link names; settings the link leaves out are the job's.

    Without a job, or with one of another view, the page shows the one this visitor
    looked at last.
    """
    job = registry.find(job_id)
    kept = past.stored(job_id) if job is None else None
    registry.note_lost(job_id is not None and job is None and kept is None)
    if kept is not None:
        left_out = {k: v for k, v in past.settings(kept).items() if k not in named}
        session.put(left_out)
        registry.look_at(place(page, session.raw()), kept.id)
    if job is None:
        return
    left_out = {k: v for k, v in job.settings.items() if k not in named}
    here = place(page, {**session.raw(), **left_out})
    if registry.belongs(job, here):
        session.put(left_out)
        registry.look_at(here, job.id)
