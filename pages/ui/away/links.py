"""Links as texts: reading settings from a link, and writing settings into one."""

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

# The parameter that names a study or a run that was started.
JOB = "job"
_PLACES = {row.key: row for row in PLACE}


class LinkSettings(NamedTuple):
    """The settings of a link by key, and the reasons why others cannot be read."""

    values: Mapping[str, Any]
    refusals: Mapping[str, RefusedValue]


class OpenLink(NamedTuple):
    """A link as the app reads it: its settings, those of the runs that it names, and
    the texts after the question mark, under their current keys."""

    page: Page
    raw: Mapping[str, Any]
    texts: Mapping[str, str]

    @property
    def job(self) -> str:
        """The id of the job that the link names; empty if it names none."""
        return self.texts.get(JOB, "")

    def on(self, data: str) -> "OpenLink":
        """Return the link with other data; with its own for an empty name."""
        return self._replace(raw={**self.raw, DATA.key: data}) if data else self

    def rows(self) -> list[Setting]:
        """Return the settings of the view that the link opens."""
        return self.page.rows(self.raw)

    def values(self, theme: str = "light") -> Values:
        """Values of these settings."""
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
    unknown keys are ignored."""
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
    """Return the settings that a link names, without unreadable ones."""
    return read_texts(texts).values


def checked_pins(text: str) -> list[Pin] | None:
    """Read pinned runs whose settings exist; None if the text names none.
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
    such as query 100 of 10; empty where the data that they depend on cannot be read.
    ``chosen`` holds the link's values, ``values`` those that replace them."""
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
    """Return the settings for a link: those that differ from their defaults."""
    pairs = ((row, row.in_link(values)) for row in rows if row.computed is None)
    return {row.key: row.format(value) for row, value in pairs if value != row.default}


def link(page: Page, rows: Sequence[Setting], values: Values, job: str = "") -> str:
    """Return the path and query that open a page with these settings.

    ``job`` is the id of the study shown, if any; the link names it if the view would
    look different without the study.
    """
    work = page.view(values).work_for(values)
    of_job = {JOB: job} if job and isinstance(work, Work) and work.optional else {}
    text = urlencode(page.told_from_none(query(rows, values) | of_job, values))
    return f"{page.name}?{text}" if text else page.name
