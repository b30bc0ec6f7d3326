"""The findings of a study, or the view of them, as values for a file.

Facts, figures, texts and tables of a view are stored. Controls, buttons and blocks made
on opening are not, as they need the study's findings.
"""

import datetime as dt
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankcore.base.numbers import plain, rounded
from rankcore.plot import Picture
from rankcore.studies import Study
from rankcore.training import Record, Run
from rankcore.training import columns as columns_of
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
    columns,
)
from rankcore.views.kinds import Choice
from rankcore.views.page import Page
from rankcore.views.settings import Setting, Values, read
from rankcore.views.view import View
from rankcore.views.work import Training, Watched, Work

# Maximum number of models in a stored run, and the digits of its figures.
MODELS, EXACT = 50, 10
THEMES = ("light", "dark")
KINDS: Mapping[str, Any] = {
    kind.__name__: kind for kind in (Panel, Words, Caption, Notice, Table, Row)
}

# Parts of a finding that differ between repetitions.
TIMED = ("seconds", "model")
# Maximum number of characters of a value in `preset_words`.
SHORT = 40


def computed(view: View, raw: Changes = NOTHING) -> dict[str, Any]:
    """Return a finished study, for JSON.

    Parameters
    ----------
    raw : dict
        Settings that are not at their defaults.

    Returns
    -------
    dict
        ``settings``, by `settings_text`, ``date``, and ``found`` with the ``reason``
        why it ended, for `recalled`. If findings cannot be written, the result of
        `pack` for the view in each theme. For training ``run``, for `recalled_run`.
    """
    values = read(view.rows(raw), raw)
    work = view.work_for(values)
    about = {"settings": settings_text(view, raw), "date": dt.date.today().isoformat()}
    if isinstance(work, Training):
        return about | {"run": _run(work.run(values, None))}
    assert isinstance(work, Work)
    study = work.study(values)
    study.speed = None
    for _ in study:
        pass
    if work.finding is not None:
        results = sorted((one.to_json() for one in study.found), key=_place)
        return about | {"reason": study.reason, "found": results}
    shown = {theme: pack(view.show(values.themed(theme), study)) for theme in THEMES}
    return about | shown


def _place(finding: Mapping[str, Any]) -> str:
    """Return the sort key of findings, as processes end in any order: all
    distinguishing values except times and the model, whose file has times."""
    return json.dumps({k: v for k, v in finding.items() if k not in TIMED})


def recalled(view: View, raw: Changes, stored: Mapping[str, Any]) -> Study | None:
    """Return the finished study whose findings `computed` stored; None if it stored a
    picture."""
    if "found" not in stored:
        return None
    values = read(view.rows(raw), raw)
    work = view.work_for(values)
    assert isinstance(work, Work)
    results = map(work.finding.from_json, stored["found"])
    study: Study = work.study(values).recall(results, stored["reason"])
    return study


def recalled_run(view: View, raw: Changes, stored: Mapping[str, Any]) -> Watched:
    """Return the finished training run that `computed` stored; between stored models it
    has the previous one."""
    values, stored_run = read(view.rows(raw), raw), stored["run"]
    work = view.work_for(values)
    assert isinstance(work, Training)
    run = work.run(values, None)
    models: dict[int, Any] = dict(
        zip(stored_run["models"], np.array(stored_run["coef"]), strict=True)
    )
    d, coef, records = run.train.n_features, models[0], list[Record]()
    for at, row in enumerate(zip(*stored_run["figures"].values(), strict=True)):
        figures = [math.nan if figure is None else figure for figure in row]
        coef = models.get(at, coef)
        weights = run.algorithm.feature_weights(coef, d)
        row_of = dict(zip(stored_run["figures"], figures, strict=True))
        records.append(Record.of_row(row_of, coef, {}, weights))
    iterations = frozenset(records[at].iteration for at in models)
    run.recall(records, stored_run["best"], stored_run["reason"], iterations)
    title = run.algorithm.title
    return Watched("", title, "finished", view.studied(values, raw), run)


def settings_text(view: View, raw: Changes = NOTHING) -> str:
    """Return the settings of such a study, as a sentence: visible ones, and others that
    differ from their defaults."""
    values = read(view.rows(raw), raw)
    shown = [
        row
        for row in view.rows(raw)
        if row.key == "seed"
        or (row.studied and not row.inline and (not row.group or _changed(row, values)))
    ]
    parts = [f"{r.label}: {in_words(r, values)}" for r in shown if r.matters(values)]
    return ", ".join(parts) + "."


def preset_words(page: Page, changes: Changes) -> str:
    """Return the settings that a preset changes, as a sentence, without long values."""
    rows = page.rows(changes)
    values = read(rows, changes)
    texts = {
        row.label: in_words(row, values)
        for row in rows
        if row.key in changes and row.matters(values) and _changed(row, values)
    }
    parts = [f"{name}: {text}" for name, text in texts.items() if len(text) <= SHORT]
    return ", ".join(parts) + "." if parts else "Default settings."


def _changed(row: Setting, values: Values) -> bool:
    return bool(values[row.key] != row.default)


def pack(shown: Shown) -> dict[str, Any]:
    """Return the content as values for JSON, with six significant digits.

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
    """Return the content that `pack` stored, without callbacks."""
    facts = [Fact(*fact) for fact in stored["facts"]]
    return Shown(facts, _unpacked(stored["blocks"]))


def in_words(row: Setting, values: Values) -> str:
    """Return the value of a setting as its control shows it."""
    value = values[row.key]
    if isinstance(value, float):
        return rounded(value)
    if not isinstance(row, Choice):
        return row.format(value)
    labels = row.labels(values)
    chosen = value if isinstance(value, tuple) else (value,)
    return " + ".join(str(labels.get(name, name)) for name in chosen)


def _run(run: Run) -> dict[str, Any]:
    """Return a linear model's training, for `recalled_run`: all figures, and few
    models."""
    records = list(run)
    best, last = records.index(run.best), len(records) - 1
    iterations = {*range(0, last, -(-last // MODELS)), best, last}
    return {
        "reason": run.reason,
        "best": best,
        "figures": plain(columns_of(records), EXACT),
        "models": sorted(iterations),
        "coef": plain([records[at].coef for at in sorted(iterations)], EXACT),
    }


def _packed(blocks: Sequence[Block]) -> list[dict[str, Any]]:
    drawable = [block for block in blocks if type(block).__name__ in KINDS]
    return [{"kind": type(block).__name__, **_fields(block)} for block in drawable]


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
    unpacked: list[Block] = []
    for block in blocks:
        fields = dict(block)
        kind = KINDS[fields.pop("kind")]
        if kind is Panel:
            fields["picture"] = Picture(**fields["picture"])
        elif kind is Row:
            fields["columns"] = [_unpacked(column) for column in fields["columns"]]
        unpacked.append(kind(**fields))
    return unpacked
