"""The link of a page: read when a page begins, written where its figures end."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from pages.ui import fragments, registry, session, streamlit_compat
from pages.ui.away.copies import HOME, SERVER
from pages.ui.away.links import JOB, query, read_texts
from pages.ui.catalogue import names, pages, place, place_of
from pages.ui.data import stored_runs
from pages.ui.shared import AT, LESSON, PLACE
from rankcore.views import Page, Setting, Training, Values, Work, past, read
from rankcore.views.blocks import NOTHING
from rankcore.views.old_names import page_now, renamed
from rankcore.views.settings import RefusedValue

_LAST = "link written last"
_PAGE = "page of the link"
_AGAIN = "page of the link, to be opened again"
_LOOKED_AT = "jobs looked at beside links"
# Number of links remembered together with the job that was shown.
MOST_REMEMBERED = 500
ELSEWHERE = (
    "The job that this link names belongs to {}. Its settings are loaded here; press "
    "*Train again* to compute its results."
)


def begin(page: Page) -> None:
    """Take over the link's settings, if the page has just been opened.

    Settings missing from the link keep the values chosen on other pages. After the
    browser went back or forward, or if the page was open, they get their defaults: an
    earlier link is complete. A link that names a lesson also names the step. Without a
    link, or with one that names a view only, the page opens with settings of its own.
    """
    query = _address()
    if (there := page_now(page.name, query)) != page.name:
        go(there, renamed(query))
    again = st.session_state.pop(_AGAIN, False)
    opened = again or st.session_state.get(_PAGE) != page.name
    if not opened and query == st.session_state.get(_LAST):
        return
    st.session_state[_PAGE] = page.name
    earlier = not opened or streamlit_compat.went_through_history()
    params = renamed(query)
    chosen, refusals = read_texts(params)
    if opened:
        session.end_opening()
    if earlier:
        session.forget(row.key for row in page.rows(session.raw()))
    if earlier or LESSON.key in chosen:
        session.forget(row.key for row in PLACE)
    session.put(chosen)
    if earlier:
        rows = page.rows(session.raw())
        session.forget(row.key for row in rows if row.key not in chosen)
    if page.opens_with_its_own(params.keys() & {JOB, *chosen, *refusals}):
        session.open_with(page.opening)
    registry.note_missing(None)
    if params.get(JOB):
        _take_over(page, params[JOB], chosen)
    elif query or earlier:
        _look_back(page, query, chosen, earlier)
    _beside_run(page, chosen)
    if opened and AT.key not in chosen:
        # An iteration belongs to the run it was chosen for, not to another page's run.
        session.forget([AT.key])
    keys = {row.key for row in (*page.rows(session.raw()), *PLACE)}
    session.begin_link({k: r for k, r in refusals.items() if k in keys}, chosen)


def stay(page: Page) -> None:
    """Return to the page that was opened last, if this is another one.

    A timer or a click that reaches the server during a change of pages still names the
    old page, and Streamlit then shows that page with a single fragment: its own, or
    that of the new page in the same place.
    """
    opened = st.session_state.get(_PAGE, page.name)
    if not opened == page.name == _named_by_request(page.name):
        st.session_state[_AGAIN] = True
        st.switch_page(f"pages/{opened}.py")


def go(page: str, settings: Mapping[str, str] = NOTHING) -> None:
    """Go to another page while this one is drawn; a callback cannot do that."""
    fragments.end_timers()
    st.switch_page(f"pages/{page}.py", query_params=settings)


def _named_by_request(otherwise: str) -> str:
    """Return the page that the browser showed when it sent the request, if known."""
    address = st.context.url
    if address is None:
        return otherwise
    last = urlsplit(address).path.rstrip("/").rpartition("/")[2]
    return last if last in names() else HOME


def write(
    page: Page,
    rows: Sequence[Setting],
    values: Values,
    where: str,
    job: str | None,
    refused: Mapping[str, RefusedValue] = NOTHING,
) -> None:
    """Write the settings of the selected view that differ from their defaults into the
    link, and keep the values of the previous link that settings refused.

    A request that the browser sent earlier may still name the previous link. ``where``
    is the place of the view, as in `registry.look_at`, and ``job`` the id of the job
    that the link names.
    """
    wanted = query(rows, values) | _lesson()
    wanted |= {key: refusal.text for key, refusal in refused.items()}
    if job is not None:
        wanted[JOB] = job
    wanted = page.told_from_none(wanted, values)
    if not _address() == wanted == st.session_state.get(_LAST, wanted):
        st.query_params.from_dict(wanted)
    st.session_state[_LAST] = wanted
    recent = st.session_state.setdefault(_LOOKED_AT, {})
    key = _remembered(page, wanted)
    recent.pop(key, None)
    recent[key] = where, registry.looked_at(where)
    while len(recent) > MOST_REMEMBERED:
        del recent[next(iter(recent))]


def server(page: Page) -> str:
    """Return the address of the app in this visitor's browser."""
    parts = urlsplit(st.context.url or "")
    if not parts.netloc:
        return SERVER
    before = parts.path.rstrip("/").removesuffix(f"/{page.name}")
    return f"{parts.scheme}://{parts.netloc}{before}"


def _lesson() -> dict[str, str]:
    """Return the visitor's place in a lesson."""
    chosen = session.values(PLACE)
    if not chosen.lesson:
        return {}
    return {
        row.key: row.format(chosen[row.key])
        for row in PLACE
        if chosen[row.key] != row.default
    }


def _address() -> dict[str, str]:
    # Links copied by hand sometimes end in blanks.
    params = st.query_params
    return {key: ",".join(params.get_all(key)).strip() for key in params}


def _beside_run(page: Page, link: Mapping[str, Any]) -> None:
    """Take settings missing from the link from the runs that it names."""

    def settings_of(key: str) -> Mapping[str, Any]:
        job = registry.find(key)
        return stored_runs.start_settings(key) if job is None else job.settings

    rows = {row.key for row in page.rows(session.raw())}
    session.put(stored_runs.brought(rows, link, settings_of))


def _take_over(page: Page, job_id: str, chosen: Mapping[str, Any]) -> None:
    """Show the job that the link names, and take missing settings from it.

    A job that is not here, or belongs to another view, gives only its settings.
    """
    job = registry.find(job_id)
    raw = session.raw()
    run = past.stored(job_id) if job is None else None
    if run is not None and isinstance(page.view(raw).work, Training):
        session.put({k: v for k, v in past.settings(run).items() if k not in chosen})
        registry.look_at(place(page, session.raw()), run.id)
        return
    reason = ""
    if job is not None:
        left_out = {k: v for k, v in job.settings.items() if k not in chosen}
        here = place(page, {**raw, **left_out})
        if registry.belongs(job, here):
            session.put(left_out)
            registry.look_at(here, job.id)
            return
        reason = ELSEWHERE.format(_place_text(registry.begun_in(job)))
    elif run is not None:
        reason = ELSEWHERE.format(_place_text(place(pages()["train"], {})))
    view, values = page.view(raw), read(page.rows(raw), raw)
    if view.work_for(values) is not None:
        settings = view.studied(values, raw)
        where = place_of(page, view, values)
        registry.note_missing(registry.Missing(job_id, where, settings, reason))


def _look_back(
    page: Page, params: Mapping[str, str], chosen: Mapping[str, Any], earlier: bool
) -> None:
    """Show the job remembered for a link that names none: a run with other settings, or
    nothing.

    With a new link, the run shown last stays only if it has the settings that the link
    names.
    """
    place = st.session_state.get(_LOOKED_AT, {}).get(_remembered(page, params))
    raw = session.raw()
    view, values = page.view(raw), read(page.rows(raw), raw)
    here, work = place_of(page, view, values), view.work_for(values)
    if place is not None and place[0] == here:
        registry.look_at(*place)
        return
    job = registry.find(registry.looked_at(here))
    if isinstance(work, Work) and work.only_current:
        # A run with other settings counts as none.
        return
    others = {} if job is None else job.settings
    if earlier or any(chosen.get(key, value) != value for key, value in others.items()):
        registry.look_at(here, None)


def _remembered(page: Page, params: Mapping[str, str]) -> tuple[Any, ...]:
    """Return the key of a link among the remembered ones."""
    return page.name, *sorted(params.items())


def _place_text(where: str) -> str:
    """Return a place in words."""
    page, _, rest = where.partition("/")
    title = pages()[page].title if page in pages() else "another page"
    return f"{title}: {rest.replace('/', ', ')}" if rest else title
