"""The background work of a view: studies, and training that a person steers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from rankcore.training.selection import LAST, Selection, select
from rankcore.views.blocks import Block
from rankcore.views.settings import Values


def text_of(text: str | Callable[[Values], str], values: Values) -> str:
    """Return a text of a work, such as of its button, beside these values."""
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
        What will come, in a sentence, while nothing has been started.
    name : str
        Among the works of a view that has several; each keeps its last study.
    settings : sequence of str
        Keys of the settings that the study depends on; empty: all that are ``studied``.
    refuses : callable, optional
        Why this study cannot be made with these values, as a sentence.
    keeps_settings : bool
        Whether ``show`` is given the settings that the study was begun with, where the
        present ones differ.
    only_current : bool
        Whether a study of other settings counts as none: ``show`` draws what else there
        is with the present ones.
    steps : callable, optional
        How many steps of the study, or of None before it, are one more iteration of all
        that it trains. It can then be paused and taken step by step.
    shared : bool
        Whether all views of the page that have a work of this name show its last study.
    optional : bool
        Whether what the view shows without a study stands for itself: no example takes
        its place, and a report makes the study only if its link names one.
    only : sequence of str
        Keys of settings that nothing but the study depends on, which a report without
        it leaves out.
    finding : type, optional
        Of what the study finds, which can be written as JSON (``to_json``) and read
        (``from_json``). Examples are then studies that have ended, on which everything
        works as on one's own; otherwise they are pictures.
    frames : callable, optional
        Panels and tiles of ``show``, which the browser asks for some ten times a second
        while the study goes on, so making them has to take a few milliseconds.
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
    """A training run that a person steers: play, pause, steps, restart.

    Attributes
    ----------
    run : callable
        Makes it from the values, and from coefficients to start from or None; not
        begun. Called when a button is pressed.
    start : callable
        The present coefficients of a run, from which a run of the values can start;
        None where it cannot.
    refuses, caution : callable
        Why it cannot be trained with these values; what will make its model worse than
        it need be; sentences, or None.
    promise : str
        What is said while nothing has been started.
    example : str
        When the example run that is shown until then was computed, and with which
        settings; empty if there is none.
    name, settings
        As of a `Work`.
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
    """A training run as a view shows it; also one that has not begun.

    Attributes
    ----------
    id : str
        Changes from run to run.
    title, state : str
        The state is that of its job, or ``"not begun"``.
    settings : dict or None
        What it was made with.
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
        """Return the run of a `rankcore.studies.jobs.Job`, by default in the state it
        has now."""
        return cls(job.id, job.title, state or job.state, job.settings, job.run, pinned)

    def selection(self, at: str) -> Selection:
        """Return the model of its run, with one record or more, that a setting names,
        or the nearest before; the last one where that is empty."""
        return select(self.run, at or LAST, nearest=True)
