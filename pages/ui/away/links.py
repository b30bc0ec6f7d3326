"""Links as texts: the settings that one names, and the link of settings."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from pages.ui.catalogue import pages, setting
from pages.ui.data import stored_runs
from pages.ui.old_names import renamed
from pages.ui.shared import DATA, PLACE
from rankcore.views import Page, Setting, Values, Work, read

# Names a study or a run that has been begun.
JOB = "job"
_PLACES = {row.key: row for row in PLACE}


class Opened(NamedTuple):
    """A link as an app takes it.

    Attributes
    ----------
    page : Page
    raw : dict
        The settings it names, and those that runs it names bring, by key.
    texts : dict
        All that it says after the question mark, under the keys of now.
    """

    page: Page
    raw: Mapping[str, Any]
    texts: Mapping[str, str]

    @property
    def job(self) -> str:
        """The id of the job that it names; empty if none."""
        return self.texts.get(JOB, "")

    def on(self, data: str) -> "Opened":
        """The same with other data; of an empty name with its own."""
        return self._replace(raw={**self.raw, DATA.key: data}) if data else self

    def rows(self) -> list[Setting]:
        """The settings of the view that it leads to."""
        return self.page.rows(self.raw)

    def values(self, theme: str = "light") -> Values:
        """Their values."""
        return read(self.rows(), self.raw, theme)


def opened(link: str) -> Opened:
    """Read a link, or its path and query, such as ``margins?margin_view=By+hand``.

    Raises
    ------
    ValueError
        If no page has that name, or it names a setting or a value that there is not;
        the sentence says which.
    """
    parts = urlsplit(link)
    name = parts.path.strip("/").rpartition("/")[2] or "home"
    if name not in pages():
        known = ", ".join(pages())
        raise ValueError(f"There is no page {name!r}; the pages are {known}.")
    page = pages()[name]
    texts = dict(renamed(*item) for item in parse_qsl(parts.query))
    raw = {}
    for key, text in texts.items():
        row = _PLACES.get(key) or setting(key)
        if row is not None:
            raw[key] = row.parse(text)
        elif key != JOB:
            raise ValueError(f"{link!r} names the setting {key!r}, which no view has.")
    rows = {row.key for row in page.rows(raw)}
    return Opened(page, {**stored_runs.brought(rows, raw), **raw}, texts)


def values(texts: Mapping[str, str]) -> dict[str, Any]:
    """The settings that a link names; nonsense is left out."""
    found = {}
    for key, text in texts.items():
        row = _PLACES.get(key) or setting(key)
        try:
            if row is not None:
                found[key] = row.parse(text)
        except ValueError:
            continue
    return found


def query(rows: Sequence[Setting], values: Values) -> dict[str, str]:
    """What a link says of settings: those that differ from their defaults."""
    said = (
        (row, values[row.key] if row.linked is None else row.linked(values))
        for row in rows
        if row.computed is None
    )
    return {row.key: row.format(own) for row, own in said if own != row.default}


def link(page: Page, rows: Sequence[Setting], values: Values, job: str = "") -> str:
    """The path and query that lead to these settings of a page.

    ``job`` is that of the study in sight, if there is one; it is named where the view
    would show something else without a study.
    """
    work = page.view(values).work_for(values)
    named = {JOB: job} if job and isinstance(work, Work) and work.optional else {}
    asked = urlencode(query(rows, values) | named)
    return f"{page.name}?{asked}" if asked else page.name
