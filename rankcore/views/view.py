"""Views: the content of a page, as data.

A view is a file in ``pages/views/<page>`` that declares ``VIEW = View(...)``: its
question, its settings, and a function that makes facts and figures from their values.
The function draws nothing, so it is tested without a browser and works in a notebook.
One frame of the app draws every view.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankcore.views.blocks import NOTHING, Changes, Shown
from rankcore.views.kinds import Choice
from rankcore.views.settings import Setting, Values
from rankcore.views.work import Training, Work

# Settings of presets by title.
Presets = Mapping[str, Changes]


@dataclass(frozen=True)
class View:
    """One view of a page's subject.

    Attributes
    ----------
    name : str
        Name in the link, and on its button.
    question : str
        What the view shows or teaches, in a sentence.
    settings : sequence of Setting, or function of the values chosen so far
        In the order of their controls. A function gets the raw values by key, and
        returns the rows for them.
    show : callable
        ``show(values)`` returns the content; with ``work``, ``show(values, study)``,
        where the study is None if there is none. With a `Training`, ``show(values,
        watched)``.
    work : Work, Training, or function of the values, optional
        Background work; a function chooses one of several.
    refuses : callable, optional
        Why these values allow no content or study, as a sentence.
    presets : dict, or function of the raw values
        Settings by title.
    explain : dict, or function of the values
        The tabs of the *Explain* panel: title → Markdown.
    plays : str
        The key of a `Number` that a *Play* button advances by itself.
    plays_to : callable, optional
        The end of playing, from the values; by default the number's end.
    shipped : sequence of str
        Names of the presets whose studies ship with the app; the study of the defaults
        does if the view would be empty.
    """

    name: str
    question: str
    settings: Sequence[Setting] | Callable[[Mapping[str, Any]], Sequence[Setting]]
    show: Callable[..., Shown]
    work: Work | Training | Callable[[Values], Work | None] | None = None
    refuses: Callable[[Values], str | None] | None = None
    presets: Presets | Callable[[Mapping[str, Any]], Presets] = dataclasses.field(
        default_factory=dict
    )
    explain: Mapping[str, str] | Callable[[Values], Mapping[str, str]] = (
        dataclasses.field(default_factory=dict)
    )
    plays: str = ""
    plays_to: Callable[[Values], float] | None = None
    shipped: Sequence[str] = ()

    def rows(self, raw: Mapping[str, Any]) -> Sequence[Setting]:
        """Return the settings for these raw values."""
        return self.settings(raw) if callable(self.settings) else self.settings

    def every_row(self) -> list[Setting]:
        """Return the settings for all choices of names."""
        rows = list(self.rows({}))
        for row in rows.copy():
            if isinstance(row, Choice) and not callable(row.every):
                offered = row.every if callable(row.names) else row.labels(Values({}))
                for name in offered:
                    rows += self.rows({row.key: name})
        return list({row.key: row for row in reversed(rows)}.values())

    def refusal(self, values: Values) -> str | None:
        """Why there is nothing to show, as a sentence."""
        return None if self.refuses is None else self.refuses(values)

    def explained(self, values: Values) -> Mapping[str, str]:
        """Return the tabs of the *Explain* panel."""
        return self.explain(values) if callable(self.explain) else self.explain

    def scenarios(self, raw: Mapping[str, Any] = NOTHING) -> Presets:
        """Return the presets for these raw values."""
        return self.presets(raw) if callable(self.presets) else self.presets

    def work_for(self, values: Values) -> Work | Training | None:
        """Return the background work for these values."""
        work = self.work
        if work is None or isinstance(work, Work | Training):
            return work
        return work(values)

    def no_study(self, values: Values) -> str | None:
        """Why no study can be made with these values, as a sentence."""
        work, refusal = self.work_for(values), self.refusal(values)
        if refusal is not None or work is None or work.refuses is None:
            return refusal
        return work.refuses(values)

    def studied(self, values: Values, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values that a study depends on."""
        work = self.work_for(values)
        keys = () if work is None else work.settings
        return {
            row.key: values[row.key]
            for row in self.rows(raw)
            if (row.key in keys if keys else row.studied)
        }
