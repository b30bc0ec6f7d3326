"""The two models that are compared query by query."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pages.views.compare import _run_set, _setup
from rankcore.topics.compare.comparison import Contender
from rankcore.topics.compare.differences_figure import styles_of
from rankcore.views import Ask, Block, Notice, Setting


def none(study: _run_set.RunSet) -> list[Block]:
    """Return the reason why there are no two models, and what to do."""
    if len(study.shown.contenders) > 1:
        return [Notice("No query has a value under all of these models.")]
    if study.models > 1:
        sentence = (
            f"Best settings shows one model per algorithm, and these {study.models} "
            "belong to one algorithm: choose Every setting."
        )
        return [Notice(sentence), Ask([_setup.SHOWN])]
    sentence = (
        "Add a second model to compare: choose one under Stored runs, or train "
        "several with the button Train."
    )
    return [Notice(sentence)]


class Two(NamedTuple):
    """Two contenders of a comparison."""

    study: _run_set.RunSet
    first: int
    second: int

    @property
    def contenders(self) -> tuple[Contender, Contender]:
        models = self.study.shown.contenders
        return models[self.first], models[self.second]

    @property
    def names(self) -> tuple[str, str]:
        first, second = self.contenders
        return first.name, second.name

    @property
    def colours(self) -> tuple[str, str]:
        """The colours of figures of all models, if they distinguish the two."""
        palette = self.study.values.palette
        for models in (self.study.shown.contenders, self.contenders):
            styles = styles_of(models, palette)
            first, second = (styles[name].colour for name in self.names)
            if first != second:
                break
        return first, second

    @property
    def values(self) -> tuple[np.ndarray, np.ndarray]:
        """The measure of each query under both models."""
        values = self.study.shown.values
        return values[self.first], values[self.second]

    def rows(self) -> list[Setting]:
        """Return the controls that select the two models."""
        names = self.study.names
        keys = {name: key for key, name in names.items()}
        first, second = (keys[name] for name in self.names)
        return [
            replace(_setup.FIRST, names=names, default=first),
            replace(_setup.SECOND, names=names, default=second),
        ]


def of(study: _run_set.RunSet) -> Two | None:
    """Return the selected models, by default the best two; None if there is only
    one."""
    if len(study.shown.contenders) < 2 or not study.shown.ids:
        return None
    first = study.place(study.values.compared_first, 0)
    second = study.place(study.values.compared_second, int(first == 0))
    if first == second:
        second = int(first == 0)
    return Two(study, first, second)
