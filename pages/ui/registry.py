"""The background work of this process, and what this visitor looks at.

The id of a job travels in the link (``?job=…``), so that a refresh, another page or a
second browser find it again.
"""

from collections.abc import Callable, Mapping
from functools import partial
from threading import Timer
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import streamlit as st

from pages.ui.serving import log, visitor
from rankcore.studies.jobs import Job, JobRegistry, Steering, Watcher
from rankcore.training import Run
from rankcore.views import CHANGES, past

if TYPE_CHECKING:
    from rankcore.studies.store import StoredRun

INTERRUPTED = (
    "The server was restarted while this run was under way. It was kept up to "
    "iteration {}; *Go on* continues there."
)
LATE = "It was not complete after {:g} seconds; its button starts it without a limit."
_OTHERS = "{} is not yours: only who began it can go on with it."
_MISSING = "the job of the link that is not here"
_LOOKED_AT = "jobs looked at"

# Not in Streamlit's cache, which every client may clear for all.
_REGISTRY = JobRegistry(on_end=log.job)
_PLACES: WeakKeyDictionary[Job, str] = WeakKeyDictionary()


class Missing(NamedTuple):
    """A job that a link names and that is not here: its id and place, the settings of
    the link, with which the same can be begun again, and why it is not here, where more
    is known."""

    job: str
    place: str
    settings: Mapping[str, Any]
    reason: str = ""


def registry() -> JobRegistry:
    """Return this process's jobs."""
    return _REGISTRY


@st.cache_resource(scope="session", on_release=Watcher.close, show_spinner=False)
def _visitor() -> Watcher:
    """Return this visitor as a watcher of jobs, until the page is closed."""
    return Watcher()


def find(job_id: str | None) -> Job | None:
    """Return the job of that id, which this visitor watches from now on; None if there
    is none (any more)."""
    job = _REGISTRY.get(job_id)
    if job is not None:
        _visitor().watch(job)
    return job


def begin(
    make: Callable[[], Any],
    place: str,
    settings: Mapping[str, Any],
    title: str = "",
    play: bool = False,
    looks: bool = True,
    resumes: "StoredRun | None" = None,
    seconds: float | None = None,
) -> Job | None:
    """Begin a job in a place.

    Parameters
    ----------
    make : callable
        Makes the study or the run.
    place : str
        As of `look_at`.
    settings : dict
        What it is made with.
    title : str
        By default that of the run's algorithm.
    play : bool
        Whether it starts at once.
    looks : bool
        Whether this visitor looks at it from now on.
    resumes : StoredRun, optional
        The kept run that goes on with it, under its id and its title.
    seconds : float, optional
        The most that it may take; it fails if it has not ended by then.

    Returns
    -------
    Job or None
        None where none can begin, which is said.
    """
    who = visitor.owner()
    # A job of that id would make way before the store refuses.
    if resumes is not None and not resumes.changeable_by(who):
        _refuse(_OTHERS.format(resumes.title))
        return None
    try:
        work = make()
        key, done, name = None, 0, title or type(work.algorithm).title
        keep: Any = past.keep if isinstance(work, Run) else None
        if resumes is not None:
            key, name = resumes.id, resumes.title
            keep = partial(past.resume, resumes, who)
            done = len(resumes.history())
        job = _REGISTRY.submit(
            work,
            title=name,
            settings=settings,
            play=play,
            keep=keep,
            key=key,
            done=done,
            owner=visitor.current(),
        )
    except ValueError as error:
        _refuse(str(error))
        return None
    if looks:
        look_at(place, job.id)
    else:
        _PLACES[job] = place
    if seconds is not None:
        timer = Timer(seconds, _end_late, (job, seconds))
        timer.daemon = True
        timer.start()
    return job


def latest(place: str, settings: Mapping[str, Any]) -> str | None:
    """Return the id of the latest job of these settings that this visitor has begun in
    a place and that has not failed, or None."""
    who = visitor.owner()
    for job, origin in reversed(list(_PLACES.items())):
        sound = job.error is None and job.owned_by(who) and has(job, settings)
        if origin == place and sound and _REGISTRY.get(job.id) is job:
            return job.id
    return None


def put_back(place: str, stored: "StoredRun", run: Run, looks: bool = True) -> None:
    """Take a run of the store among this process's jobs, as it ended; ``looks`` as of
    `begin`."""
    settings = past.settings(stored)
    job = _REGISTRY.submit(
        run,
        title=stored.title,
        settings=settings,
        key=stored.id,
        owner=visitor.current(),
    )
    job.error = stored.reason if stored.status == "failed" else None
    if stored.status == "interrupted":
        job.note = INTERRUPTED.format(stored.iterations)
    job.steer(visitor.current()).stop()
    job.wait()
    _PLACES[job] = place
    if looks:
        look_at(place, job.id)


def go_on(place: str, job: Job, speed: float | None) -> None:
    """Go on with a kept run that was stopped, in a job of the same id: at full speed to
    where it was, then at most with so many iterations a second."""
    stored = past.stored(job.id)
    if stored is None:
        return
    run = stored.again(job.run.train, job.run.valid)
    new = steering(begin(lambda: run, place, job.settings, resumes=stored))
    if new is not None:
        new.limit(speed)
        new.play()


def look_at(place: str, job_id: str | None) -> None:
    """Note which job this visitor looks at in a place, such as ``sparsity/One path``;
    None: none."""
    st.session_state[_MISSING] = None
    job = _REGISTRY.get(job_id)
    if job is not None:
        _PLACES.setdefault(job, place)
    st.session_state.setdefault(_LOOKED_AT, {})[place] = job_id


def looked_at(place: str) -> str | None:
    """Return the id of the job this visitor looks at in a place, if any."""
    return st.session_state.get(_LOOKED_AT, {}).get(place)


def steering(job: Job | None) -> Steering | None:
    """Return the commands of a job, if there is one and this visitor may steer it."""
    who = visitor.owner()
    return job.steer(who) if job is not None and job.owned_by(who) else None


def belongs(job: Job, place: str) -> bool:
    """Whether a job was begun in a place, so that the view there can draw it."""
    return _PLACES.get(job) == place


def begun_in(job: Job) -> str:
    """Return the place in which a job was begun; empty if none is known."""
    return _PLACES.get(job, "")


def has(job: Job, settings: Mapping[str, Any]) -> bool:
    """Whether a job is that of these settings; while it is under way, but for the
    changes made to it, by another visitor perhaps."""
    return job.has(settings, but=() if job.ended else (CHANGES,))


def gone(job_id: str) -> bool:
    """Whether neither this process nor the store has a job."""
    return find(job_id) is None and past.stored(job_id) is None


def note_missing(missing: Missing | None) -> None:
    """Note that a job which this visitor wants to look at is not here; None: that no
    such job is wanted any more."""
    if missing is not None:
        look_at(missing.place, None)
    st.session_state[_MISSING] = missing


def missing(place: str, settings: Mapping[str, Any]) -> Missing | None:
    """Return what is known of the job that the link names, or that this visitor looked
    at, in a place, and that is not here (any more); None once the settings differ."""
    key = looked_at(place)
    if key is not None and gone(key):
        note_missing(Missing(key, place, dict(settings)))
    noted: Missing | None = st.session_state.get(_MISSING)
    if noted is None or (noted.place, noted.settings) == (place, settings):
        return noted
    st.session_state[_MISSING] = None
    return None


def linked(place: str, settings: Mapping[str, Any]) -> str | None:
    """Return the id of the job that a link to a place names beside these settings: the
    one this visitor looks at, if it is of these settings."""
    key = looked_at(place)
    job = find(key)
    if job is not None:
        return job.id if has(job, settings) else None
    noted: Missing | None = st.session_state.get(_MISSING)
    if noted is not None and (noted.place, noted.settings) == (place, settings):
        return noted.job
    return key


def _end_late(job: Job, seconds: float) -> None:
    if not job.ended:
        job.error = LATE.format(seconds)
        job.steer().stop()


def _refuse(problem: str) -> None:
    st.toast(problem, icon=":material/block:", duration="long")


def work(place: str) -> Any:
    """Return the run or study that this visitor looked at last in a place, or the one
    of that id; None if this process holds none. In the place `past.COMPUTED` is all
    that the store has of this visitor, see `rankcore.views.past.computed`."""
    if place == past.COMPUTED:
        return past.computed(visitor.owner())
    job = find(looked_at(place) or place)
    return None if job is None else job.run


def works() -> Callable[[str], Any]:
    """`work` as it is for this visitor now, for a thread of another's."""
    places = {place: work(place) for place in st.session_state.get(_LOOKED_AT, {})}
    who = visitor.owner()
    return lambda at: past.computed(who) if at == past.COMPUTED else places.get(at)
