"""Settings of a list of scores and labels: its text, and one document of it."""

from collections.abc import Callable
from typing import NamedTuple

from numpy.typing import ArrayLike

from rankcore.topics.approximation import score_list
from rankcore.topics.approximation.score_list import ScoreList
from rankcore.views.blocks import Changes
from rankcore.views.kinds import Listed, Number, Text
from rankcore.views.settings import Values


class ScoreSettings(NamedTuple):
    """The settings of a list: its text, and the score and label of one document.

    Attributes
    ----------
    document : Listed
        The number of a document, from 1.
    score, label : Number
        Score and label of this document; changing them changes the text.
    """

    text: Text
    document: Listed
    score: Number
    label: Number

    def documents(self, values: Values) -> ScoreList:
        """Return the list."""
        values_of = score_list.read(values[self.text.key])
        assert values_of is not None
        return values_of

    def names(self, values: Values) -> dict[str, str]:
        """Return the names of the documents by their numbers."""
        return {str(n): name for n, name in enumerate(self.documents(values).names, 1)}

    def rewritten(self, text: str) -> Changes:
        """Return the change to a list written as in links; none if unreadable."""
        documents = score_list.read(text)
        if documents is None:
            return {}
        return {self.text.key: score_list.write(documents)}

    def place(self, values: Values) -> int:
        """Return the position of the chosen document, from 0."""
        return int(values[self.document.key]) - 1

    def moved(self, values: Values, place: int, score: float) -> dict[str, str]:
        """Return the change that gives a document another score."""
        key = self.text.key
        return {key: score_list.with_score(values[key], place, score)}

    def relabelled(self, values: Values, place: int, label: int) -> Changes:
        """Return the change that gives a document another label; 0 follows the
        highest."""
        key = self.text.key
        return {key: score_list.relabelled(values[key], place, label)}


def score_settings(
    prefix: str,
    default: str,
    group: str = "",
    document: str = "1",
    reach: Callable[[ArrayLike], tuple[float, float]] | None = None,
) -> ScoreSettings:
    """Return the settings of a list.

    Parameters
    ----------
    prefix : str
        Prefix of their keys, such as ``approx_``.
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
    rows: ScoreSettings

    def names(values: Values) -> dict[str, str]:
        return rows.names(values)

    text = Text(
        f"{prefix}list",
        default,
        "Scores and labels",
        meaning=f"{score_list.RULE} Scores can also be dragged in the figure.",
        read=score_list.read,
        rule=score_list.RULE,
        long=True,
        writes=lambda now, text: rows.rewritten(text),
    )
    chosen = Listed(
        f"{prefix}document",
        document,
        "Document",
        names=names,
        every=tuple(str(number) for number in range(1, score_list.MOST + 1)),
        group=group,
    )
    score = Number(
        f"{prefix}score",
        0.0,
        "Score",
        low=-score_list.LARGEST,
        high=score_list.LARGEST,
        step=None if reach is None else 0.01,
        limits=reach and (lambda now: reach(rows.documents(now).scores)),
        box=reach is None,
        group=group,
        computed=lambda now: float(rows.documents(now).scores[rows.place(now)]),
        writes=lambda now, score: rows.moved(now, rows.place(now), score),
    )
    label = Number(
        f"{prefix}label",
        0,
        "Label",
        low=0,
        high=score_list.HIGHEST,
        whole=True,
        box=reach is None,
        group=group,
        computed=lambda now: int(rows.documents(now).labels[rows.place(now)]),
        writes=lambda now, label: rows.relabelled(now, rows.place(now), label),
    )
    rows = ScoreSettings(text, chosen, score, label)
    return rows
