"""Links as texts: the settings that one names, and the link of settings."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from pages.ui.catalogue import pages, setting
from pages.ui.data import datasets, stored_runs
from pages.ui.shared import DATA, PLACE
from rankcore.base.numbers import quoted
from rankcore.views import Page, Setting, Values, Work, read
from rankcore.views.old_names import page_now, renamed
from rankcore.views.pins import Pin, read_pins
from rankcore.views.settings import RefusedValue

# Names a study or a run that has been begun.
JOB = "job"
_PLACES = {row.key: row for row in PLACE}


class LinkSettings(NamedTuple):
    """The settings of a link by key: those that can be read, and why others cannot."""

    values: Mapping[str, Any]
    refusals: Mapping[str, RefusedValue]


class OpenLink(NamedTuple):
    """A link as an app takes it: the settings it names, with those that runs it names
    bring, and the texts after the question mark, under the keys of now."""

    page: Page
    raw: Mapping[str, Any]
    texts: Mapping[str, str]

    @property
    def job(self) -> str:
        """The id of the job that it names; empty if none."""
        return self.texts.get(JOB, "")

    def on(self, data: str) -> "OpenLink":
        """Return the same with other data; of an empty name with its own."""
        return self._replace(raw={**self.raw, DATA.key: data}) if data else self

    def rows(self) -> list[Setting]:
        """Return the settings of the view that it leads to."""
        return self.page.rows(self.raw)

    def values(self, theme: str = "light") -> Values:
        """Their values."""
        return read(self.rows(), self.raw, theme)


def opened(link: str) -> OpenLink:
    """Read a link, or its path and query, such as ``margins?margin_source=by+hand``.
    Raises ValueError, which names the page, setting or value that does not exist."""
    parts = urlsplit(link)
    params = dict(parse_qsl(parts.query))
    name = page_now(parts.path.strip("/").rpartition("/")[2] or "home", params)
    if name not in pages():
        names = ", ".join(pages())
        raise ValueError(f"There is no page {name!r}; the pages are {names}.")
    page = pages()[name]
    texts = renamed(params)
    raw = {}
    for key, text in texts.items():
        row = _PLACES.get(key) or setting(key)
        if row is not None:
            raw[key] = row.parse(text)
        elif key != JOB:
            raise ValueError(f"{link!r} names the setting {key!r}, which no view has.")
    rows = {row.key for row in page.rows(raw)}
    return OpenLink(page, {**stored_runs.brought(rows, raw), **raw}, texts)


def read_texts(texts: Mapping[str, str]) -> LinkSettings:
    """Read the settings that a link or a pin names, also by names of earlier versions;
    keys of none are ignored."""
    settings, refusals = dict[str, Any](), dict[str, RefusedValue]()
    for key, text in renamed(texts).items():
        row = _PLACES.get(key) or setting(key)
        try:
            if row is not None:
                settings[key] = row.parse(text)
        except ValueError as error:
            refusals[key] = RefusedValue(key, text, str(error))
    return LinkSettings(settings, refusals)


def values(texts: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the settings that a link names; nonsense is left out."""
    return read_texts(texts).values


def checked_pins(text: str) -> list[Pin] | None:
    """Read pinned runs with settings that there are; None if the text names none.
    Raises ValueError for the first setting whose value cannot be read."""
    pins = read_pins(text)
    for pin in pins:
        for refusal in read_texts(pin.settings).refusals.values():
            raise ValueError(f"Of the pinned run {quoted(pin.id)}, {refusal.reason}")
    return pins or None


def unfit(
    rows: Sequence[Setting], chosen: Mapping[str, Any], values: Values
) -> dict[str, RefusedValue]:
    """Return the values of a link that a view's ``rows`` cannot use beside its others,
    such as the hundredth of ten queries; none where the data cannot be read, on which
    they depend. ``chosen`` is what the link names, ``values`` what counts instead."""
    if DATA.key in values and datasets.readable(values) is None:
        return {}
    changes = {}
    for row in rows:
        if row.key in chosen and row.computed is None and row.matters(values):
            reason = row.refusal(chosen[row.key], values)
            if reason is not None:
                changes[row.key] = RefusedValue(
                    row.key, row.format(chosen[row.key]), reason
                )
    return changes


def query(rows: Sequence[Setting], values: Values) -> dict[str, str]:
    """Return what a link says of settings: those that differ from their defaults."""
    pairs = ((row, row.in_link(values)) for row in rows if row.computed is None)
    return {row.key: row.format(value) for row, value in pairs if value != row.default}


def link(page: Page, rows: Sequence[Setting], values: Values, job: str = "") -> str:
    """Return the path and query that lead to these settings of a page.

    ``job`` is that of the study in sight, if there is one; it is named where the view
    would show something else without a study.
    """
    work = page.view(values).work_for(values)
    of_job = {JOB: job} if job and isinstance(work, Work) and work.optional else {}
    text = urlencode(page.told_from_none(query(rows, values) | of_job, values))
    return f"{page.name}?{text}" if text else page.name
