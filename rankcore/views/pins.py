"""Pinned runs in a link: their ids, their names, and settings to train them again."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from rankcore.views.blocks import NOTHING
from rankcore.views.settings import Setting

MOST_PINNED = 5
_RUN, _NAME, _HIDDEN = "run", "name", "hidden"


class Pin(NamedTuple):
    """A run that stays in the picture when the next one starts.

    Attributes
    ----------
    id : str
        Id of its job.
    name : str
        Its given name; empty: named by the settings that differ.
    hidden : bool
        Whether its line is left out of the picture.
    settings : dict of str to str
        Settings that are not at their defaults, in the format of links.
    """

    id: str
    name: str = ""
    hidden: bool = False
    settings: Mapping[str, str] = NOTHING


def pin_of(
    job_id: str, settings: Mapping[str, Any], row: Callable[[str], Setting | None]
) -> Pin:
    """Return the pin of a job; ``row`` gives the setting of a key."""
    rows = {key: setting for key in settings if (setting := row(key)) is not None}
    texts = {
        key: setting.format(settings[key])
        for key, setting in rows.items()
        # A run with all defaults still has settings.
        if key == "algorithm" or settings[key] != setting.default
    }
    return Pin(job_id, settings=texts)


def read_pins(text: str) -> list[Pin]:
    """Return the pinned runs that a text names, the first `MOST_PINNED`.

    Each is an id alone, or written as by `write_pins`; they are separated by commas.
    """
    pins: dict[str, Pin] = {}
    for part in filter(None, text.split(",")):
        fields = dict(parse_qsl(part)) if "=" in part else {_RUN: part}
        run, name = fields.pop(_RUN, ""), fields.pop(_NAME, "")
        hidden = bool(fields.pop(_HIDDEN, ""))
        if run:
            pins.setdefault(run, Pin(run, name, hidden, fields))
    return list(pins.values())[:MOST_PINNED]


def write_pins(pins: Sequence[Pin]) -> str:
    """Return the text that `read_pins` reads back; the newest are kept."""
    return ",".join(
        urlencode(
            {_RUN: pin.id}
            | ({_NAME: pin.name} if pin.name else {})
            | ({_HIDDEN: "1"} if pin.hidden else {})
            | dict(pin.settings)
        )
        for pin in pins[-MOST_PINNED:]
    )


def with_new(text: str, pin: Pin) -> str:
    """Return the text with one more pin, the newest; it replaces one with the same
    id."""
    return write_pins([*(one for one in read_pins(text) if one.id != pin.id), pin])


def with_pin(text: str, pin_id: str, **changes: Any) -> str:
    """Return the text with other values of one pin's attributes."""
    return write_pins(
        [
            pin._replace(**changes) if pin.id == pin_id else pin
            for pin in read_pins(text)
        ]
    )


def without_pin(text: str, pin_id: str) -> str:
    """Return the text without one of the pins."""
    return write_pins([pin for pin in read_pins(text) if pin.id != pin_id])
