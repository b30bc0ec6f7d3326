"""Controls drawn from settings: one function for each kind of setting."""

from collections.abc import Callable, Mapping, Sequence
from functools import singledispatch
from typing import Any

import streamlit as st

from pages.ui import glossary, session
from pages.ui.components import sortable
from rankcore.topics.measuring import hand_list
from rankcore.views import (
    Changes,
    Choice,
    Declared,
    DraggedRanking,
    Listed,
    Number,
    Points,
    Radio,
    Setting,
    Several,
    Stops,
    Text,
    Values,
)
from rankcore.views.kinds import distinct

FIELD_WIDTH = 84
_REFUSED = "what controls were refused"

# Called in a control's callback with the settings that change, or with a function of
# the then current values, as other changes may follow a control's drawing.
Change = Callable[[Changes | Callable[[Values], Changes]], None]


def column(
    rows: Sequence[Setting], values: Values, change: Change, opening: Changes
) -> None:
    """Draw the controls of settings below each other, groups of them folded.

    A group starts open if one of its settings differs from its default or the
    ``opening``; settings that are another way to change one do not count.
    """
    visible = [row for row in rows if not row.inline and row.matters(values)]
    for row in visible:
        if not row.group:
            draw(row, values, change)
    for title in dict.fromkeys(row.group for row in visible if row.group):
        members = [row for row in visible if row.group == title]
        usual = {row.key: row.default for row in members if row.computed is None}
        differs = any(values[k] not in (v, opening.get(k, v)) for k, v in usual.items())
        with st.expander(title, expanded=differs, key=f"group {title}", type="compact"):
            for row in members:
                draw(row, values, change)


def heading(title: str, note: str = "") -> None:
    """Draw the caption above a figure: its title, and how to read it."""
    if title or note:
        st.html(glossary.heading(title, note))


def outline(rows: Sequence[Setting], values: Values) -> tuple[Any, ...]:
    """Return the appearance of the controls, except the values that they show."""
    return tuple(
        (
            row.key,
            row.title,
            session.shows(row.key, _shown(row.shows(values))),
            row.note and row.note(values),
            row.about and row.about(values),
            row.range(values) if isinstance(row, Number) else None,
            row.names(values) if isinstance(row, Number) and row.names else None,
            tuple(row.labels(values).items())
            if isinstance(row, Choice | Declared)
            else None,
            tuple(row.marks(values).items()) if isinstance(row, Declared) else None,
            row.points(values).tolist() if isinstance(row, Points) else None,
            st.session_state.get(_REFUSED, {}).get(row.key),
        )
        for row in rows
        if not row.inline and row.matters(values)
    )


def draw(row: Setting, values: Values, change: Change) -> None:
    """Draw the control of one setting, with its note below it."""
    value = row.shows(values)
    names = row.names(values) if isinstance(row, Number) and row.names else None
    control = session.control(row.key, _shown(value), names)
    _widget(
        row,
        values | {row.key: value},
        {
            "key": control,
            "help": row.meaning or glossary.definition(row.label) or None,
            "label_visibility": "collapsed" if row.bare else "visible",
            "on_change": _take,
            "args": (row, control, change),
        },
    )
    refused = st.session_state.get(_REFUSED, {}).get(row.key)
    if refused:
        st.warning(refused, icon=":material/info:")
    if row.note is not None and (remark := row.note(values)):
        st.caption(remark)
    text = row.about(values) if row.about is not None else ""
    lines = row.lines if isinstance(row, Listed) else None
    if not (text or lines):
        return
    with st.container(horizontal=True):
        if text:
            with st.popover("Definition", type="tertiary"):
                st.markdown(text)
        if isinstance(row, Listed) and lines is not None:
            _unfolded(row, lines, values, change)


def _unfolded(
    row: Listed,
    lines: Callable[[Values], Mapping[str, str]],
    values: Values,
    change: Change,
) -> None:
    """Draw a choice of names, with a line about each."""
    key = f"every {row.key}"
    control = session.control(key, values[row.key])

    def take() -> None:
        name = session.reported(key, control)
        change({} if name is None else {row.key: name})

    with st.popover(
        f"All {row.label.lower()}s",
        type="tertiary",
        key=f"all {key}",
        on_change="rerun",
    ) as panel:
        if not panel.open:
            return
        labels, notes = row.labels(values), lines(values)
        st.radio(
            row.title,
            list(labels),
            list(labels).index(values[row.key]),
            format_func=labels.__getitem__,
            captions=[notes.get(name, "") for name in labels],
            label_visibility="collapsed",
            key=control,
            on_change=take,
        )


def _take(row: Setting, control: str, change: Change) -> None:
    """Take over a control's value, unless the control was replaced."""
    answer = session.reported(row.key, control)
    refused = st.session_state.setdefault(_REFUSED, {})
    refused.pop(row.key, None)
    changed: Changes | Callable[[Values], Changes] = {}
    if session.stands(row.key, control):
        try:
            value = row.check(tuple(answer) if isinstance(answer, list) else answer)
        except ValueError as error:
            # A browser with an outdated list may report a value no longer offered.
            if not isinstance(row, Choice) or getattr(row, "reads", None):
                refused[row.key] = str(error)
        else:
            writes = row.writes
            changed = (lambda now: writes(now, value)) if writes else {row.key: value}
    change(changed)


def _shown(value: Any) -> Any:
    """Return a value in the form that its control uses."""
    return list(value) if isinstance(value, tuple) else value


@singledispatch
def _widget(row: Setting, values: Values, details: dict[str, Any]) -> None:
    """Draw the control itself; ``details`` are the arguments common to all controls."""
    if isinstance(row, Text) and row.long:
        st.text_area(row.title, values[row.key], "content", **details)
    else:
        st.text_input(row.title, values[row.key], **details)


@_widget.register
def _number(row: Number, values: Values, details: dict[str, Any]) -> None:
    if row.stops:
        _stops(row, values, details)
        return
    if row.names is not None:
        _name_box(row, row.names(values), values, details)
        return
    kind: Any = int if row.whole else float
    low, high = (n if n is None else kind(n) for n in row.range(values))
    step = row.step if row.step is None else kind(row.step)
    value = kind(values[row.key])
    if high is None or row.box:
        # The default of two decimals would hide further ones.
        form = None if row.whole else "%.10g"
        st.number_input(row.title, low, high, value, step, form, **details)
    elif low == high:
        # A slider needs two ends.
        st.number_input(row.title, low, high, value, disabled=True, **details)
    else:
        # The default of two decimals does not fit every range.
        form = None if row.whole else "%.3g"
        st.slider(row.title, low, high, value, step, form, **details)


def _name_box(
    row: Number, names: Sequence[str], values: Values, details: dict[str, Any]
) -> None:
    """Draw a box with the names of consecutive whole numbers."""
    low = int(row.range(values)[0] or 0)
    offered = range(low, low + len(names))
    at = offered.index(int(values[row.key]))
    st.selectbox(
        row.title, offered, at, format_func=lambda n: names[n - low], **details
    )


@_widget.register
def _choice(row: Choice, values: Values, details: dict[str, Any]) -> None:
    labels = row.labels(values)
    st.segmented_control(
        row.title,
        list(labels),
        format_func=lambda name: labels.get(name, name),
        default=values[row.key],
        required=True,
        **details,
    )


@_widget.register
def _radio(row: Radio, values: Values, details: dict[str, Any]) -> None:
    labels = row.labels(values)
    names, at = list(labels), list(labels).index(values[row.key])
    st.radio(row.title, names, at, format_func=labels.__getitem__, **details)


@_widget.register
def _ordered(row: Stops, values: Values, details: dict[str, Any]) -> None:
    if len(row.labels(values)) > 1:
        _stops(row, values, details)


@_widget.register
def _listed(row: Listed, values: Values, details: dict[str, Any]) -> None:
    labels = _offered(row, values, [values[row.key]])
    st.selectbox(
        row.title,
        list(labels),
        list(labels).index(values[row.key]),
        format_func=lambda name: labels.get(name, name),
        accept_new_options=row.reads is not None,
        **details,
    )


@_widget.register
def _several(row: Several, values: Values, details: dict[str, Any]) -> None:
    chosen = list(values[row.key])
    labels = _offered(row, values, chosen)
    details |= {"format_func": lambda name: labels.get(name, name), "default": chosen}
    if row.boxed:
        st.multiselect(
            row.title,
            list(labels),
            max_selections=row.most,
            accept_new_options=row.reads is not None,
            # Enter would select every match of the typed text.
            select_all=False,
            **details,
        )
        if row.most is not None and len(chosen) >= row.most:
            st.caption(f"At most {row.most} are allowed: remove one to add another.")
    else:
        st.pills(row.title, list(labels), selection_mode="multi", **details)


@_widget.register
def _declared(row: Declared, values: Values, details: dict[str, Any]) -> None:
    declared, value = row.declared, values[row.key]
    if declared.words:
        names = (*declared.choices, *(row.features(values) if row.features else ()))
        offered = [*dict.fromkeys([*declared.special, *names, str(value)])]
        at = offered.index(str(value))
        st.selectbox(row.title, offered, at, accept_new_options=True, **details)
    elif declared.kind == "choice":
        at = declared.choices.index(value)
        st.selectbox(row.title, declared.choices, at, **details)
    else:
        _stops(row, values, details)
        if marks := row.marks(values):
            _marks(marks)


def _marks(marks: Mapping[str, float]) -> None:
    """Draw ticks below the track of a slider, and a line over the unstable range. The
    note below it gives the same information as text."""
    ticks = "".join(
        f'<i class="{name}" style="left:{100.0 * at:.2f}%"></i>'
        for name, at in marks.items()
    )
    st.html(f'<div class="rs-marks" aria-hidden="true">{ticks}</div>')


def _stops(row: Setting, values: Values, details: dict[str, Any]) -> None:
    """Draw a slider over a few values."""
    labels, value = row.stop_labels(values), values[row.key]
    text = labels.__getitem__
    st.select_slider(row.title, list(labels), value, format_func=text, **details)


@_widget.register
def _ranking(row: DraggedRanking, values: Values, details: dict[str, Any]) -> None:
    change = details["args"][-1]
    documents = hand_list.read(values[row.key]) or hand_list.read(row.default) or []
    heading(row.label, row.meaning)
    sortable.draw(
        documents, row.key, values.palette, lambda text: change({row.key: text})
    )


@_widget.register
def _points(row: Points, values: Values, details: dict[str, Any]) -> None:
    """Draw number fields for one point at a time."""
    points, place, change = row.points(values), 0, details["args"][-1]
    if len(row.names) > 1:
        names = list(row.names)
        chosen = st.selectbox(row.title, names, key=f"which {row.key}")
        place = names.index(chosen) if chosen in names else 0
    else:
        st.markdown(row.title)
    numbers = [round(float(n), row.DIGITS) for n in points[place]]
    owners = [f"{row.key} {place} {axis}" for axis in range(len(numbers))]
    fields = [session.control(*both) for both in zip(owners, numbers, strict=True)]

    def move() -> None:
        at = [session.reported(*both) for both in zip(owners, fields, strict=True)]
        change({} if None in at else row.moved(values, place, at))

    with st.container(horizontal=True, gap="small"):
        for axis, field in enumerate(fields):
            st.number_input(
                f"{row.label}, coordinate {axis + 1}",
                -row.LARGEST,
                row.LARGEST,
                numbers[axis],
                step=0.05,
                format="%.3f",
                label_visibility="collapsed",
                width=FIELD_WIDTH,
                key=field,
                on_change=move,
            )


def _offered(row: Choice, values: Values, chosen: Sequence[str]) -> dict[str, str]:
    """Return name → label of the selected values and of those on offer."""
    labels = row.labels(values)
    return distinct({name: name for name in chosen if name not in labels} | labels)
