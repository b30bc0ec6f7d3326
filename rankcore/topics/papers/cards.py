"""Every card of the papers: its declaration in ``cards.toml``, and its check."""

import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

from rankcore.topics.papers import (
    _approx,
    _conerank,
    _fenchel,
    _rsrank,
    _scenes,
    _scores,
    _structured,
    rules,
)
from rankcore.topics.papers.card import Card, CardView, Paper
from rankcore.topics.papers.entry import learner

MODULES = {
    "approx": _approx,
    "conerank": _conerank,
    "fenchel": _fenchel,
    "rsrank": _rsrank,
    "rules": rules,
    "scores": _scores,
    "structured": _structured,
}
_DECLARED = tomllib.loads(
    resources.files("rankcore.topics.papers").joinpath("cards.toml").read_text("utf-8")
)
PAPERS: Mapping[str, Paper] = {
    key: Paper(**paper) for key, paper in _DECLARED["papers"].items()
}


def _check_and_arguments(declared: str | list[Any]) -> tuple[Any, list[Any]]:
    """Return the object named "module.name", and the arguments after it."""
    name, *arguments = [declared] if isinstance(declared, str) else declared
    module, _, name = name.partition(".")
    return getattr(MODULES[module], name), arguments


def _value(declared: str | list[Any]) -> Any:
    value, arguments = _check_and_arguments(declared)
    return value(*arguments) if arguments else value


def _scene(declared: str | list[Any]) -> CardView:
    """Return a declared view, or one made by a function of `_scenes`."""
    if isinstance(declared, str):
        settings = dict(_DECLARED["scenes"][declared])
        return CardView(settings.pop("page"), settings)
    name, *arguments = declared
    view: CardView = getattr(_scenes, name)(*arguments)
    return view


def _card(key: str, row: dict[str, Any]) -> Card:
    """Return the card of a table of ``cards.toml``."""
    check, arguments = _check_and_arguments(row.pop("check"))
    entries = row.pop("entries", {})
    if isinstance(entries, str):
        entries = _DECLARED["entries"][entries]
    return Card(
        key,
        key.partition("-")[0],
        check=check,
        arguments=tuple(arguments),
        rule=_value(row.pop("rule")),
        entries={printed: learner(name) for printed, name in entries.items()},
        scene=_scene(row.pop("scene")),
        printed=tuple(row.pop("printed", ())),
        data=tuple(row.pop("data", ())),
        axis=tuple(row.pop("axis")),
        **row,
    )


def _cards() -> tuple[Card, ...]:
    rows = _DECLARED["cards"]
    return tuple(
        _card(key, {**rows.get(row.pop("like", ""), {}), **row})
        for key, row in rows.items()
    )


CARDS = _cards()


def of_paper(paper: str) -> tuple[Card, ...]:
    """Return the cards of a paper, or of all for ``"all"``."""
    return tuple(card for card in CARDS if paper in (card.paper, "all"))


def card(key: str) -> Card:
    """Return the card with that key.

    Raises
    ------
    KeyError
        If there is none.
    """
    for card in CARDS:
        if card.key == key:
            return card
    raise KeyError(f"There is no card {key!r}.")
