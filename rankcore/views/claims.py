"""Claims of a paper beside what an experiment shows, as one view of a page."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankcore.views.blocks import Act, Changes, Row, Shown, Words
from rankcore.views.kinds import Radio
from rankcore.views.page import modules
from rankcore.views.settings import Setting, Values
from rankcore.views.view import View

VERSUS = "Paper versus experiment"


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
        Settings that show it on another view; empty: there is none.
    scene_label : str
        Of the button that goes there.
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


def claims_view(
    package: str,
    key: str,
    question: str,
    order: Sequence[str] = (),
    presets: Mapping[str, Changes] | None = None,
    explain: Mapping[str, str] | Callable[[Values], Mapping[str, str]] | None = None,
    afresh: Sequence[str] = (),
) -> View:
    """Return the view of all claims in a package.

    Parameters
    ----------
    package : str
        Its modules that have a ``CLAIM`` are found by looking.
    key : str
        Of the setting that names the claim.
    question : str
    order : sequence of str
        Names of files in the order of their claims; others follow.
    presets : dict, optional
    explain : dict or function of the values, optional
        As of a `View`.
    afresh : sequence of str
        Keys of settings that have their defaults again when a claim is chosen, as they
        mean another thing in each.
    """
    found = modules(package, "CLAIM", order)
    claims: dict[str, Claim] = {claim.name: claim for claim in found}
    first = next(iter(claims))

    def choose(values: Values, name: str) -> Changes:
        rows = claims[name].settings
        return {key: name} | {r.key: r.default for r in rows if r.key in afresh}

    chosen = Radio(
        key,
        first,
        "Claim",
        names=tuple(claims),
        studied=False,
        writes=choose if afresh else None,
    )

    def settings(raw: Mapping[str, Any]) -> list[Setting]:
        claim = claims.get(str(raw.get(key)), claims[first])
        return [chosen, *claim.settings]

    def show(values: Values) -> Shown:
        claim = claims[values[key]]
        shown = claim.show(values)
        said = Row(
            [
                [Words(f"**The paper says**\n\n{_text(claim.says, values)}")],
                [Words(f"**The experiment shows**\n\n{_text(claim.holds, values)}")],
            ],
            framed=True,
        )
        scene = claim.scene(values) if callable(claim.scene) else claim.scene
        to_scene = Act(claim.scene_label, "to_scene", scene, icon="arrow_forward")
        first, others = shown.blocks[:1], shown.blocks[1:]
        return shown._replace(
            blocks=[*first, said, *others, *([to_scene] if scene else [])]
        )

    return View(
        VERSUS,
        question,
        settings,
        show,
        presets=presets or {},
        explain=explain or {},
    )


def _text(text: str | Callable[[Values], str], values: Values) -> str:
    return text(values) if callable(text) else text
