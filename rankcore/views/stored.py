"""What a study has found, or a view shows after it, as values that a file can hold.

Of what is shown, facts, figures, words and tables are kept. Controls, buttons and what
is made when it is opened are not: they need what the study has found.
"""

import datetime as dt
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankcore.charts import Picture
from rankcore.studies import Study
from rankcore.views.blocks import (
    NOTHING,
    Block,
    Caption,
    Changes,
    Fact,
    Notice,
    Panel,
    Row,
    Shown,
    Table,
    Words,
)
from rankcore.views.kinds import Choice
from rankcore.views.settings import Setting, Values, read
from rankcore.views.view import View
from rankcore.views.work import Work

DIGITS = 6
THEMES = ("light", "dark")
KINDS: Mapping[str, Any] = {
    kind.__name__: kind for kind in (Panel, Words, Caption, Notice, Table, Row)
}


def computed(view: View, raw: Changes = NOTHING) -> dict[str, Any]:
    """A study that has been taken to its end, for JSON.

    Parameters
    ----------
    view : View
    raw : dict
        The settings that are not at their defaults.

    Returns
    -------
    dict
        ``settings``, as `said` says them, ``date``, and ``found`` with the ``reason``
        why it ended, for `recalled`. Where findings cannot be written, what `pack`
        makes of what the view shows, of each theme.
    """
    values = read(view.rows(raw), raw)
    work = view.work_for(values)
    assert isinstance(work, Work)
    study = work.study(values)
    study.speed = None
    for _ in study:
        pass
    told = {"settings": said(view, raw), "date": dt.date.today().isoformat()}
    if work.finding is not None:
        # Processes end in any order; what tells findings apart is in front.
        found = sorted((one.to_json() for one in study.found), key=json.dumps)
        return told | {"reason": study.reason, "found": found}
    shown = {theme: pack(view.show(values.themed(theme), study)) for theme in THEMES}
    return told | shown


def recalled(view: View, raw: Changes, stored: Mapping[str, Any]) -> Study | None:
    """The study of which `computed` has stored the findings, at its end; None where it
    has stored a picture."""
    if "found" not in stored:
        return None
    values = read(view.rows(raw), raw)
    work = view.work_for(values)
    assert isinstance(work, Work)
    found = map(work.finding.from_json, stored["found"])
    study: Study = work.study(values).recall(found, stored["reason"])
    return study


def said(view: View, raw: Changes = NOTHING) -> str:
    """The settings in sight that such a study is made with, as a sentence."""
    values = read(view.rows(raw), raw)
    shown = [
        row
        for row in view.rows(raw)
        if row.key == "seed" or (row.studied and not row.group)
    ]
    parts = [f"{r.label}: {in_words(r, values)}" for r in shown if r.matters(values)]
    return ", ".join(parts) + "."


def pack(shown: Shown) -> dict[str, Any]:
    """What is shown as values for JSON, its numbers with six significant digits.

    Returns
    -------
    dict
        For `unpack`.
    """
    return {
        "facts": [list(fact) for fact in shown.facts],
        "blocks": _packed(shown.blocks),
    }


def unpack(stored: Mapping[str, Any]) -> Shown:
    """What `pack` has stored; nothing in it can be dragged or clicked."""
    facts = [Fact(*fact) for fact in stored["facts"]]
    return Shown(facts, _unpacked(stored["blocks"]))


def in_words(row: Setting, values: Values) -> str:
    """The value of a setting as its control shows it."""
    value = values[row.key]
    if not isinstance(row, Choice):
        return row.format(value)
    labels = row.labels(values)
    chosen = value if isinstance(value, tuple) else (value,)
    return " + ".join(str(labels.get(name, name)) for name in chosen)


def _packed(blocks: Sequence[Block]) -> list[dict[str, Any]]:
    kept = [block for block in blocks if type(block).__name__ in KINDS]
    return [{"kind": type(block).__name__, **_fields(block)} for block in kept]


def _fields(block: Any) -> dict[str, Any]:
    fields = block._asdict()
    if isinstance(block, Panel):
        picture = block.picture
        table = plain(columns(picture.numbers()))
        fields |= {"picture": plain(picture._replace(table=table)._asdict())}
        fields |= {name: None for name in fields if name.startswith("on_")}
    elif isinstance(block, Row):
        fields |= {"columns": [_packed(column) for column in block.columns]}
    elif isinstance(block, Table):
        fields |= {"rows": columns(block.rows)}
        fields |= {"on_choose": None, "on_select": None, "links": ()}
    return {name: plain(value) for name, value in fields.items()}


def _unpacked(blocks: Sequence[Mapping[str, Any]]) -> list[Block]:
    found: list[Block] = []
    for block in blocks:
        fields = dict(block)
        kind = KINDS[fields.pop("kind")]
        if kind is Panel:
            fields["picture"] = Picture(**fields["picture"])
        elif kind is Row:
            fields["columns"] = [_unpacked(column) for column in fields["columns"]]
        found.append(kind(**fields))
    return found


def columns(table: Any) -> dict[str, list[Any]]:
    """A table's columns by name, also of one that holds rows; empty of None."""
    if table is None:
        return {}
    if not hasattr(table, "items"):
        names = list(dict.fromkeys(name for row in table for name in row))
        return {name: [row.get(name) for row in table] for name in names}
    return {str(name): list(column) for name, column in table.items()}


def plain(value: Any, digits: int = DIGITS) -> Any:
    """A value as JSON has them; what is no finite number becomes None.

    Numbers have at most so many significant digits; 17 are all of them.
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(name): plain(item, digits) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, digits) for item in value]
    if isinstance(value, float):
        return float(f"{value:.{digits}g}") if math.isfinite(value) else None
    return value
