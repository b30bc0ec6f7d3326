"""Claims of a paper beside what an experiment on a small case shows."""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rankcore.views.blocks import Changes, Go, Row, Shown, Words
from rankcore.views.settings import Setting, Values


@dataclass(frozen=True)
class Claim:
    """A claim and its check; a file in the folder ``claims`` of a page's views.

    Attributes
    ----------
    name : str
        In the link, and in the list of claims.
    says, holds : str, or function of the values
        What the paper says, and what is true of it, in Markdown.
    settings : sequence of Setting
        Of its own.
    show : callable
        ``show(values)`` makes the numbers that show it. Its first block stands above
        the words, the others below them.
    scene : dict, or function of the values
        Settings that show it on a view of another page; empty if none does.
    scene_label : str
        Of the link to that view.
    """

    name: str
    says: str | Callable[[Values], str]
    holds: str | Callable[[Values], str]
    settings: Sequence[Setting]
    show: Callable[[Values], Shown]
    scene: Changes | Callable[[Values], Changes] = dataclasses.field(
        default_factory=dict
    )
    scene_label: str = ""


def claim_shown(claim: Claim, page: str, values: Values) -> Shown:
    """Return a claim beside what holds, below the first figure of its experiment.

    Parameters
    ----------
    page : str
        The page that has the view of its scene.
    """
    shown = claim.show(values)
    columns = {"The paper says": claim.says, "The experiment shows": claim.holds}
    cells = [
        [Words(f"**{title}**\n\n{text(values) if callable(text) else text}")]
        for title, text in columns.items()
    ]
    scene = claim.scene(values) if callable(claim.scene) else claim.scene
    way = [Go(claim.scene_label, page, scene)] if scene else []
    first, others = shown.blocks[:1], shown.blocks[1:]
    return shown._replace(blocks=[*first, Row(cells, framed=True), *others, *way])
