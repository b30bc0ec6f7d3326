"""The background work of a view: studies, and interactive training."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from rankcore.training.selection import LAST, Selection, select
from rankcore.views.blocks import Block
from rankcore.views.settings import Values


def text_of(text: str | Callable[[Values], str], values: Values) -> str:
    """Return a text of a work, such as of its button, for these values."""
    return text(values) if callable(text) else text


@dataclass(frozen=True)
class Work:
    """The background work that fills a view's picture.

    Attributes
    ----------
    study : callable
        Makes it from the values; called when the button is pressed.
    button : str, or function of the values
        Verb and object: "Train 12 models".
    promise : str, or function of the values
        The expected result, in a sentence, shown before the start.
    name : str
        Name among several works of a view; each keeps its last study.
    settings : sequence of str
        Keys of the settings that the study depends on; empty: all that are ``studied``.
    refuses : callable, optional
        Why this study cannot be made with these values, as a sentence.
    keeps_settings : bool
        Whether ``show`` gets the settings with which the study was started, if the
        present ones differ.
    only_current : bool
        Whether a study with other settings counts as none, and ``show`` draws other
        content with the present ones.
    steps : callable, optional
        Returns how many steps of the study (None before it starts) advance all of its
        models by one iteration. It can then be paused and stepped.
    shared : bool
        Whether all views of the page with a work of this name show its last study.
    optional : bool
        Whether the view is complete without a study: no example replaces it, and a
        report runs the study only if its link names one.
    only : sequence of str
        Keys of settings that only the study depends on; a report without the study
        leaves them out.
    finding : type, optional
        Type of the study's findings, with ``to_json`` and ``from_json``. Examples are
        then finished studies, which work like the visitor's own; otherwise they are
        pictures.
    frames : callable, optional
        Panels and tiles of ``show``, which the browser requests about ten times a
        second while the study runs, so making them must take only a few milliseconds.
    """

    study: Callable[[Values], Any]
    button: str | Callable[[Values], str]
    promise: str | Callable[[Values], str]
    name: str = ""
    settings: Sequence[str] = ()
    refuses: Callable[[Values], str | None] | None = None
    keeps_settings: bool = False
    only_current: bool = False
    steps: Callable[[Values, Any], int] | None = None
    shared: bool = False
    optional: bool = False
    only: Sequence[str] = ()
    finding: Any = None
    frames: Callable[[Values, Any], Sequence[Block]] | None = None


@dataclass(frozen=True)
class Training:
    """An interactive training run: play, pause, step, restart.

    Attributes
    ----------
    run : callable
        Makes the run, not started, from the values and from initial coefficients or
        None. Called when a button is pressed.
    start : callable
        Returns the present coefficients of a run, if a run with the values can start
        from them; otherwise None.
    refuses, caution : callable
        Why it cannot be trained with these values; what will make its model worse than
        necessary; sentences, or None.
    promise : str
        The text before the start.
    example : str
        Date and settings of the example run shown before the start; empty if there is
        none.
    name, settings
        As in `Work`.
    """

    run: Callable[[Values, Any], Any]
    start: Callable[[Values, Any], Any]
    refuses: Callable[[Values], str | None]
    caution: Callable[[Values], str | None]
    promise: str = "Press Play (P) to start. The defaults work."
    example: str = ""
    name: str = ""
    settings: Sequence[str] = ()


class Watched(NamedTuple):
    """A training run as shown by a view, which may not have started.

    Attributes
    ----------
    id : str
        Changes from run to run.
    title, state : str
        Title, and the state of its job or ``"not begun"``.
    settings : dict or None
        Its settings.
    run : rankcore.training.Run or None
    pinned : sequence of Watched
        Runs to compare it with.
    """

    id: str
    title: str
    state: str
    settings: Mapping[str, Any] | None
    run: Any
    pinned: Sequence["Watched"] = ()

    @classmethod
    def of(cls, job: Any, state: str = "", pinned: Sequence["Watched"] = ()) -> Self:
        """Return the run of a `rankcore.studies.jobs.Job`, by default in its present
        state."""
        return cls(job.id, job.title, state or job.state, job.settings, job.run, pinned)

    def selection(self, at: str) -> Selection:
        """Return the model that a setting names, or the nearest before it, of a run
        with records; the last one if the setting is empty."""
        return select(self.run, at or LAST, nearest=True)
