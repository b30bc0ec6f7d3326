"""The background work of this process, and the jobs that this visitor views.

The id of a job travels in the link (``?job=…``), so a refresh, another page or a second
browser finds it again.
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
    "The server was restarted while this run was under way. It is stored up to "
    "iteration {}; *Go on* continues from there."
)
LATE = "It was not complete after {:g} seconds; its button runs it without a limit."
_OTHERS = "{} is not yours: only the visitor who started it can continue it."
_MISSING = "the job of the link that is not here"
_LOOKED_AT = "jobs looked at"

# This is not in Streamlit's cache, which every client may clear for all.
_REGISTRY = JobRegistry(on_end=log.job)
_PLACES: WeakKeyDictionary[Job, str] = WeakKeyDictionary()


class Missing(NamedTuple):
    """A job that a link names but the server does not have: its id and place, the
    link's settings, which can start the same job again, and the reason, if known."""

    job: str
    place: str
    settings: Mapping[str, Any]
    reason: str = ""


def registry() -> JobRegistry:
    """Return this process's jobs."""
    return _REGISTRY


@st.cache_resource(scope="session", on_release=Watcher.close, show_spinner=False)
def _visitor() -> Watcher:
    """Register this visitor as a watcher of jobs until the page is closed."""
    return Watcher()


def find(job_id: str | None) -> Job | None:
    """Return the job with that id, which this visitor now watches; None if there is
    none (any more)."""
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
        As in `look_at`.
    settings : dict
        The settings of the job.
    title : str
        By default the title of the run's algorithm.
    play : bool
        Whether the job starts at once.
    looks : bool
        Whether this visitor views the job from now on.
    resumes : StoredRun, optional
        The stored run that the job continues, with its id and title.
    seconds : float, optional
        Time limit; a job that has not ended by then fails.

    Returns
    -------
    Job or None
        None, with a message, if no job can start.
    """
    who = visitor.owner()
    # A job with that id would be removed before the store refuses.
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
    """Return the id of the latest job with these settings that this visitor started in
    a place and that has not failed, or None."""
    who = visitor.owner()
    for job, origin in reversed(list(_PLACES.items())):
        sound = job.error is None and job.owned_by(who) and has(job, settings)
        if origin == place and sound and _REGISTRY.get(job.id) is job:
            return job.id
    return None


def put_back(place: str, stored: "StoredRun", run: Run, looks: bool = True) -> None:
    """Add a stored run, as it ended, to this process's jobs; ``looks`` as in
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
    """Continue a stopped stored run in a job of the same id: at full speed to where it
    was, then with a limited number of iterations per second."""
    stored = past.stored(job.id)
    if stored is None:
        return
    run = stored.again(job.run.train, job.run.valid)
    new = steering(begin(lambda: run, place, job.settings, resumes=stored))
    if new is not None:
        new.limit(speed)
        new.play()


def look_at(place: str, job_id: str | None) -> None:
    """Note which job this visitor views in a place, such as ``sparsity/One path``, or
    None."""
    st.session_state[_MISSING] = None
    job = _REGISTRY.get(job_id)
    if job is not None:
        _PLACES.setdefault(job, place)
    st.session_state.setdefault(_LOOKED_AT, {})[place] = job_id


def looked_at(place: str) -> str | None:
    """Return the id of the job that this visitor views in a place, if any."""
    return st.session_state.get(_LOOKED_AT, {}).get(place)


def steering(job: Job | None) -> Steering | None:
    """Return the commands of a job, if it exists and this visitor may steer it."""
    who = visitor.owner()
    return job.steer(who) if job is not None and job.owned_by(who) else None


def belongs(job: Job, place: str) -> bool:
    """Whether a job was started in a place, so that the view there can draw it."""
    return _PLACES.get(job) == place


def begun_in(job: Job) -> str:
    """Return the place in which a job was started; empty if unknown."""
    return _PLACES.get(job, "")


def has(job: Job, settings: Mapping[str, Any]) -> bool:
    """Whether a job has these settings, apart from changes made while it is under way,
    perhaps by another visitor."""
    return job.has(settings, but=() if job.ended else (CHANGES,))


def gone(job_id: str) -> bool:
    """Whether neither this process nor the store has a job."""
    return find(job_id) is None and past.stored(job_id) is None


def note_missing(missing: Missing | None) -> None:
    """Note that a job which this visitor wants to view is missing; None clears the
    note."""
    if missing is not None:
        look_at(missing.place, None)
    st.session_state[_MISSING] = missing


def missing(place: str, settings: Mapping[str, Any]) -> Missing | None:
    """Return the missing job of a place that the link names or that this visitor
    viewed; None once the settings differ."""
    key = looked_at(place)
    if key is not None and gone(key):
        note_missing(Missing(key, place, dict(settings)))
    noted: Missing | None = st.session_state.get(_MISSING)
    if noted is None or (noted.place, noted.settings) == (place, settings):
        return noted
    st.session_state[_MISSING] = None
    return None


def linked(place: str, settings: Mapping[str, Any]) -> str | None:
    """Return the id of the job for a link to a place with these settings: the job that
    this visitor views, if it has these settings."""
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
    """Return the run or study that this visitor viewed last in a place, or the one with
    that id; None if this process has none. The place `past.COMPUTED` stands for all
    stored work of this visitor, see `rankcore.views.past.computed`."""
    if place == past.COMPUTED:
        return past.computed(visitor.owner())
    job = find(looked_at(place) or place)
    return None if job is None else job.run


def works() -> Callable[[str], Any]:
    """`work` as it is for this visitor now, for a thread of another's."""
    places = {place: work(place) for place in st.session_state.get(_LOOKED_AT, {})}
    who = visitor.owner()
    return lambda at: past.computed(who) if at == past.COMPUTED else places.get(at)
