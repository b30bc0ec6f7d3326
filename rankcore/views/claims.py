"""Claims of a paper, with the results of experiments on small cases."""

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
        The paper's claim, and what actually holds, in Markdown.
    settings : sequence of Setting
        Its own settings.
    show : callable
        ``show(values)`` computes the experiment. Its first block is above the text, the
        others are below.
    scene : dict, or function of the values
        Settings that show it on another page's view; empty if none does.
    scene_label : str
        Label of the link to that view.
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
    """Return a claim and what holds, below the first figure of its experiment.

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
