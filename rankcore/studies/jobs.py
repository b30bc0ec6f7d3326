"""Training in the background: jobs in one registry per process.

A job is a thread that drives one run, an allowance of steps, and an append-only
history. Code with access to the registry can read or control any job.
"""

import math
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol

from rankcore.base.cancellation import cancel_points, rest
from rankcore.base.errors import LostWorkerError
from rankcore.base.turns import WAY, WORK_SECONDS, Turns
from rankcore.training import History, Record

if TYPE_CHECKING:
    from rankcore.algorithms import Ranker
    from rankcore.training.changes import Planned

State = Literal["queued", "running", "paused", "finished", "stopped", "failed"]
# States from which a job continues by itself.
ACTIVE: tuple[State, ...] = ("running", "queued")

# Draw a page within this ``with`` block, during which jobs rest at intervals.
drawing = WAY.drawing
_POLL_SECONDS = 0.02
_QUEUED_AFTER_SECONDS = 0.5
_OTHERS = "{} belongs to another visitor: only its owner can control it."


class _Stopped(BaseException):
    """Raised at a cancel point to end the job within an iteration."""


class JobWork(Protocol):
    """The work of a job, one training iteration per call of ``next``.

    Attributes
    ----------
    reason : str or None
        Why it ended, as a sentence; None before its end.
    max_seconds : float or None, optional
        Limit on its training time. Work with a limit never pauses for lack of watchers.
    speed : float or None, optional
        Initial maximum of iterations per second.
    """

    @property
    def reason(self) -> str | None: ...

    def __next__(self) -> Record: ...

    def close(self) -> None: ...


class Keeping(Protocol):
    """Stores a run until it ends, such as a `rankcore.studies.store.Recorder`.

    Attributes
    ----------
    problem : str or None
        Why the run is not stored, as a sentence.
    """

    problem: str | None

    def end(self, error: str | None = None) -> None: ...


# Starts storing a job's run, in its thread at the first step; None if it does not.
Keep = Callable[["Job"], Keeping | None]


class Job:
    """One run in its own thread, created by `JobRegistry.submit`.

    Anyone who knows its id may view it; only its owner may `steer` it.

    Attributes
    ----------
    id : str
        Unguessable id, used in links.
    owner : str or None
        The visitor who began it, whose limit it counts towards; only they may steer it.
    run : JobWork
        A `rankcore.training.Run`, or a `Study`.
    error : str or None
        Why the job failed, as a sentence.
    note : str or None
        Why the job paused by itself or was interrupted, as sentences.
    """

    def __init__(
        self,
        run: JobWork,
        turns: Turns,
        *,
        title: str,
        settings: Mapping[str, Any],
        grace_seconds: float,
        keep: "Keep | None" = None,
        key: str | None = None,
        done: int = 0,
        owner: str | None = None,
        on_end: "Callable[[Job], None] | None" = None,
    ) -> None:
        self.id = key or secrets.token_hex(8)
        self.owner = owner
        self._keep = keep
        self._on_end = on_end
        self._recorder: Keeping | None = None
        self.title = title
        self._settings = dict(settings)
        self.run: Any = run
        self.error: str | None = None
        self.note: str | None = None
        self._speed: float | None = None
        self._done_before = done
        self._turns = turns
        self._grace_seconds = grace_seconds
        self._watchers: set[Watcher] = set()
        self._unwatched_since = math.inf
        self._changed = threading.Condition()
        self._allowed: float = 0
        self._holds_slot = False
        self._rested_at = self._progressed_at = 0.0
        self._stopping = False
        self._ended = False
        self._begun_at = self._last_used_at = time.monotonic()
        self._ended_at: float | None = None
        self._thread = threading.Thread(target=self._work, name=f"job {self.id}")
        self._thread.daemon = True
        self._thread.start()

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings of the run, for links and tables."""
        return self._settings

    @property
    def speed(self) -> float | None:
        """The limit in steps per second; None for full speed."""
        return self._speed

    @property
    def algorithm(self) -> "Ranker":
        """Algorithm in training."""
        return self.run.algorithm

    @property
    def history(self) -> History:
        """Records so far."""
        return self.run.history

    @property
    def best(self) -> Record | None:
        """The best record so far; None before the first."""
        return self.run.best if len(self.history) else None

    @property
    def state(self) -> State:
        """The state of the job."""
        with self._changed:
            if self._ended:
                if self.error:
                    return "failed"
                return "stopped" if self.run.reason is None else "finished"
            if self._allowed <= 0:
                return "paused"
            waited = time.monotonic() - self._progressed_at
            queued = not self._holds_slot and waited > _QUEUED_AFTER_SECONDS
            return "queued" if queued else "running"

    @property
    def ended(self) -> bool:
        """Whether the job has ended, so that nothing more will be recorded."""
        return self._ended

    @property
    def seconds(self) -> float:
        """Seconds from its start to its end, or until now."""
        return (self._ended_at or time.monotonic()) - self._begun_at

    @property
    def watched(self) -> bool:
        """Whether a `Watcher` watches it."""
        return bool(self._watchers)

    @property
    def loss(self) -> str | None:
        """Why storing its run failed, as a sentence."""
        return None if self._recorder is None else self._recorder.problem

    def has(self, settings: Mapping[str, Any], *, but: tuple[str, ...] = ()) -> bool:
        """Return whether its settings equal these, ignoring the keys ``but``."""
        keys = (self._settings.keys() | settings.keys()) - set(but)
        return all(self._settings.get(key) == settings.get(key) for key in keys)

    def owned_by(self, visitor: str) -> bool:
        """Return whether a visitor may steer it: the owner, or anyone without an owner;
        an empty visitor may always."""
        return not visitor or self.owner in (None, "", visitor)

    def steer(self, visitor: str = "") -> "Steering":
        """Return the commands for a visitor, or if empty, for this process's own code.

        Raises
        ------
        PermissionError
            If it belongs to another visitor.
        """
        if not self.owned_by(visitor):
            raise PermissionError(_OTHERS.format(self.title))
        return Steering(self)

    def _stop(self) -> None:
        with self._changed:
            self._stopping = True
            self._changed.notify_all()

    def _watched_by(self, watcher: "Watcher") -> None:
        with self._changed:
            self._watchers.add(watcher)
            self._last_used_at = time.monotonic()
            self._unwatched_since = math.inf

    def _left_by(self, watcher: "Watcher") -> None:
        with self._changed:
            self._watchers.discard(watcher)
            if not self._watchers:
                self._unwatched_since = time.monotonic()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait at most ``seconds`` for the job to end; return whether it has."""
        self._thread.join(seconds)
        return self._ended

    def _allow(self, steps: float) -> None:
        with self._changed:
            self._last_used_at = time.monotonic()
            self._allowed = steps
            self._progressed_at = time.monotonic()
            self.note = None
            self._changed.notify_all()

    def _work(self) -> None:
        try:
            if self._keep is not None and self._wait_for_turn():
                self._recorder = self._keep(self)
            with cancel_points(self._at_cancel_point):
                while self.run.reason is None and self._wait_for_turn():
                    if next(self.run, None) is None:
                        break
                    self._after_step()
        except _Stopped:
            pass
        except (ValueError, LostWorkerError) as error:
            self.error = str(error)
        except Exception as error:
            self.error = (
                f"Training ended with an internal error ({type(error).__name__}): "
                f"{error} The curve so far is kept."
            )
        finally:
            self.run.close()
            if self._recorder is not None:
                self._recorder.end(self.error)
            self._release_slot()
            self._ended_at = time.monotonic()
            with self._changed:
                self._ended = True
            if self._on_end is not None:
                self._on_end(self)

    def _wait_for_turn(self) -> bool:
        """Wait for an allowance and a slot; return False if the job must end."""
        while True:
            with self._changed:
                while self._allowed <= 0 and not self._stopping:
                    self._release_slot()
                    rest()
                    self._changed.wait()
                if self._stopping:
                    return False
            if self._holds_slot or self._turns.take(self, _POLL_SECONDS):
                self._holds_slot = True
                return True

    def _at_cancel_point(self) -> None:
        self._pause_if_abandoned()
        self._give_way()
        if not self._wait_for_turn():
            raise _Stopped

    def _after_step(self) -> None:
        self._progressed_at = time.monotonic()
        self._pause_if_abandoned()
        with self._changed:
            self._allowed -= 1
            resumed = self._done_before > 0 and len(self.history) <= self._done_before
            if self._speed and self._allowed > 0 and not resumed:
                self._release_slot()
                self._changed.wait(1.0 / self._speed)
        self._give_way()

    def _pause_if_abandoned(self) -> None:
        """Pause a job whose last watcher left longer than the grace period ago."""
        if getattr(self.run, "max_seconds", None) is not None:
            return
        with self._changed:
            if time.monotonic() - self._unwatched_since > self._grace_seconds:
                self._allowed = 0
                self._unwatched_since = math.inf
                self.note = "Paused because the last page that showed it was closed."

    def _give_way(self) -> None:
        if time.monotonic() - self._rested_at > WORK_SECONDS:
            WAY.rest()
            self._rested_at = time.monotonic()
        if self._holds_slot:
            self._holds_slot = False
            self._holds_slot = self._turns.give_way(self)

    def _release_slot(self) -> None:
        """Release the slot, or stop waiting for one."""
        self._holds_slot = False
        self._turns.leave(self)


class Steering:
    """The commands of a job, from `Job.steer`."""

    def __init__(self, job: Job) -> None:
        self.job = job

    def play(self) -> None:
        """Run until paused or stopped."""
        self.job._allow(math.inf)

    def pause(self) -> None:
        """Pause after the current step, or at a cancel point within it."""
        self.job._allow(0)

    def step(self, count: int = 1) -> None:
        """Take ``count`` steps, then pause."""
        self.job._allow(count)

    def stop(self) -> None:
        """End the job during or after the current step, keeping its history and best
        model."""
        self.job._stop()

    def limit(self, speed: float | None) -> None:
        """Limit the steps per second; None for full speed."""
        self.job._speed = speed

    def change(self, **hyperparameters: Any) -> "Planned":
        """Change hyperparameters from the next iteration on, like
        `rankcore.training.Run.change`; return all changes so far."""
        self.job.run.change(**hyperparameters)
        return self.job.run.changes

    def note(self, settings: Mapping[str, Any]) -> None:
        """Note settings that change from now on."""
        self.job._settings.update(settings)


class Watcher:
    """A watcher of jobs, such as an open page; safe to use from any thread."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def watch(self, job: Job) -> None:
        """Watch a job until `close`; watching it again has no effect."""
        with self._lock:
            self._jobs[job.id] = job
            job._watched_by(self)

    def close(self) -> None:
        """Stop watching all jobs; jobs without another watcher pause themselves."""
        with self._lock:
            jobs, self._jobs = list(self._jobs.values()), {}
            for job in jobs:
                job._left_by(self)


class JobRegistry:
    """All jobs of a process.

    Parameters
    ----------
    max_jobs : int
        Maximum number of jobs kept in total.
    max_each : int
        Maximum number of jobs kept per owner; the next job replaces the owner's oldest
        ended one, or else the one paused longest. A job that is active or watched never
        makes room for another owner's job.
    max_running : int
        Number of jobs that take steps at the same time; the others queue. Each owner
        gets the same share, regardless of the number of jobs.
    grace_seconds : float
        Seconds from the departure of a job's last `Watcher` until it pauses. Jobs that
        never had one or that have a time limit do not pause.
    on_end : callable, optional
        Called with each ended job, in its thread.
    """

    def __init__(
        self,
        max_jobs: int = 256,
        max_running: int = 2,
        grace_seconds: float = 30.0,
        max_each: int = 32,
        on_end: Callable[[Job], None] | None = None,
    ) -> None:
        self.max_jobs = max_jobs
        self.max_each = max_each
        self._on_end = on_end
        self._grace_seconds = grace_seconds
        self._turns = Turns(max_running)
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._jobs)

    def states(self) -> Counter[State]:
        """Return the number of jobs in each state."""
        return Counter(job.state for job in list(self._jobs.values()))

    def submit(
        self,
        run: JobWork,
        *,
        title: str,
        settings: Mapping[str, Any] | None = None,
        play: bool = False,
        keep: Keep | None = None,
        key: str | None = None,
        done: int = 0,
        owner: str | None = None,
    ) -> Job:
        """Start a run in the background.

        Parameters
        ----------
        run : JobWork
            From `rankcore.training.drive`, with a stopping rule that bounds it, or a
            `Study`.
        settings : dict, optional
            The settings of the run, for links and tables.
        play : bool
            Whether to start at once rather than paused.
        keep : callable, optional
            Starts storing the run outside of the process.
        key : str, optional
            Its id, by default a new one; it replaces a job with the same id.
        done : int
            Number of records that only repeat stored ones, at full speed.
        owner : str, optional
            The visitor who begins it, whose places it takes and who alone may steer it.

        Raises
        ------
        ValueError
            If no job can make room.
        """
        with self._lock:
            if key not in self._jobs:
                self._make_room(owner)
            job = Job(
                run,
                self._turns,
                title=title,
                settings=settings or {},
                grace_seconds=self._grace_seconds,
                keep=keep,
                key=key,
                done=done,
                owner=owner,
                on_end=self._on_end,
            )
            self._jobs[job.id] = job
        if play:
            job.steer().play()
        return job

    def get(self, job_id: str | None) -> Job | None:
        """Return the job with an id, or None if it does not exist or was dropped."""
        job = self._jobs.get(job_id) if job_id else None
        if job is not None:
            job._last_used_at = time.monotonic()
        return job

    def _make_room(self, owner: str | None) -> None:
        """Drop a job if there are too many."""
        jobs = list(self._jobs.values())
        candidates = [job for job in jobs if job.owner == owner]
        if len(candidates) >= self.max_each:
            most = len(candidates)
        elif len(jobs) >= self.max_jobs:
            most = len(jobs)
            candidates += [
                job for job in jobs if job.owner != owner and not job.watched
            ]
        else:
            return
        ended = [job for job in candidates if job.ended]
        paused = [job for job in candidates if job.state == "paused"]
        if not ended and not paused:
            raise ValueError(
                f"All {most} places for training runs are taken; wait for a run to "
                "end, or stop one."
            )
        oldest = min(ended or paused, key=lambda job: job._last_used_at)
        oldest.steer().stop()
        del self._jobs[oldest.id]
