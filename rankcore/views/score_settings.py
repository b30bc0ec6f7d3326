"""Settings of a list of scores and labels: its text, and one document of it."""

from collections.abc import Callable
from typing import NamedTuple

from numpy.typing import ArrayLike

from rankcore.insight import score_list
from rankcore.insight.score_list import ScoreList
from rankcore.views import Changes, Listed, Number, Text, Values


class ScoreSettings(NamedTuple):
    """The settings of a list: all of it as text, and a document's score and label.

    Attributes
    ----------
    text : Text
    document : Listed
        The number of a document, from 1.
    score, label : Number
        Those of this document; ways to change the text.
    """

    text: Text
    document: Listed
    score: Number
    label: Number

    def documents(self, values: Values) -> ScoreList:
        """The list."""
        found = score_list.read(values[self.text.key])
        assert found is not None
        return found

    def place(self, values: Values) -> int:
        """The position of the chosen document, from 0."""
        return int(values[self.document.key]) - 1

    def moved(self, values: Values, place: int, score: float) -> Changes:
        """The change that gives a document another score."""
        key = self.text.key
        return {key: score_list.moved(values[key], place, score)}

    def relabelled(self, values: Values, place: int, label: int) -> Changes:
        """The change that gives a document another label; 0 follows the highest."""
        key = self.text.key
        return {key: score_list.relabelled(values[key], place, label)}


def score_settings(
    prefix: str,
    default: str,
    group: str = "",
    document: str = "1",
    reach: Callable[[ArrayLike], tuple[float, float]] | None = None,
) -> ScoreSettings:
    """The settings of a list.

    Parameters
    ----------
    prefix : str
        What their keys begin with, such as ``approx_``.
    default : str
        The list.
    group : str
        The title that the controls of one document are folded under; empty: they are
        in sight.
    document : str
        The number of the document that is chosen at first.
    reach : callable, optional
        The ends of the sliders of scores, from all scores; without it, score and label
        are fields.
    """

    def named(values: Values) -> dict[str, str]:
        names = enumerate(made.documents(values).names, 1)
        return {str(number): name for number, name in names}

    def rewritten(values: Values, text: str) -> Changes:
        found = score_list.read(text)
        return {} if found is None else {f"{prefix}list": score_list.write(found)}

    def ends(values: Values) -> tuple[float, float]:
        assert reach is not None
        return reach(made.documents(values).scores)

    within = None if reach is None else ends
    made = ScoreSettings(
        Text(
            f"{prefix}list",
            default,
            "Scores and labels",
            meaning=f"{score_list.RULE} Scores can also be dragged in the figure.",
            read=score_list.read,
            rule=score_list.RULE,
            long=True,
            writes=rewritten,
        ),
        Listed(
            f"{prefix}document",
            document,
            "Document",
            names=named,
            every=tuple(str(number) for number in range(1, score_list.MOST + 1)),
            group=group,
        ),
        Number(
            f"{prefix}score",
            0.0,
            "Score",
            low=-score_list.LARGEST,
            high=score_list.LARGEST,
            step=None if reach is None else 0.01,
            limits=within,
            box=reach is None,
            group=group,
            computed=lambda values: float(
                made.documents(values).scores[made.place(values)]
            ),
            writes=lambda values, score: made.moved(values, made.place(values), score),
        ),
        Number(
            f"{prefix}label",
            0,
            "Label",
            low=0,
            high=score_list.HIGHEST,
            whole=True,
            box=reach is None,
            group=group,
            computed=lambda values: int(
                made.documents(values).labels[made.place(values)]
            ),
            writes=lambda values, label: made.relabelled(
                values, made.place(values), label
            ),
        ),
    )
    return made
