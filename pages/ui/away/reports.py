"""Views and lessons as reports: one HTML file each, or a folder of all.

Nothing here needs Streamlit, so a command can write reports without a server.
"""

import shutil
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pages.ui import examples, gallery, shared
from pages.ui.assets import ASSETS
from pages.ui.away import copies, links
from pages.ui.catalogue import stem
from pages.ui.data import datasets
from pages.ui.lessons import store
from rankcore import views
from rankcore.base import bundle
from rankcore.base.numbers import counted
from rankcore.base.version import __version__
from rankcore.data.catalogue import Splits
from rankcore.data.dataset import RankingDataset
from rankcore.data.readers import Division
from rankcore.reports.page import (
    THEMES,
    Component,
    FolderReport,
    ReportView,
    ViewState,
    index,
    page,
    script_beside,
)
from rankcore.reports.sliders import slider_of, tools
from rankcore.training import Run
from rankcore.views import (
    Changes,
    Page,
    Setting,
    Shown,
    Training,
    Values,
    View,
    Watched,
    past,
)
from rankcore.views.blocks import NOTHING
from rankcore.views.steps import LessonStep, untold
from rankcore.views.stored import in_words

if TYPE_CHECKING:
    from rankcore.studies.store import StoredRun


# The name of plotly.js in a folder of reports.
SCRIPT = "plotly.js"
# The bundle that draws the app's two-dimensional figures.
PLANE = bundle.folder() / "live_figure/assets/plotly/plotly-cartesian.min.js"

# The link parameter that says a visitor has started the study.
STARTED = {links.JOB: "new"}

# Called with a sentence about the progress of the work.
Tell = Callable[[str], None]


class Findings(NamedTuple):
    """The findings of a view's background work, passed to ``View.show`` after the
    values, and a sentence that says why the work was stopped early."""

    findings: tuple[Any, ...] = ()
    note: str = ""


def silent(text: str) -> None:
    """Progress callback that does nothing."""


def taken_in(
    data: Sequence[RankingDataset],
    names: Mapping[str, str],
    options: Mapping[str, Any] = NOTHING,
    division: Division | None = None,
) -> str:
    """Keep training, validation and test data as an upload, with their
    `datasets.Files`; returns the name by which views find them."""
    files = datasets.Files(names, options, division)
    return datasets.upload(Splits(*data), files)


def report(
    link: str, seconds: float | None = None, tell: Tell = silent, data: str = ""
) -> str:
    """Return the report of a link: of its view, or of the lesson that it names.

    Parameters
    ----------
    link : str
        Path and query, such as ``margins?margin_view=By+hand``; the link of a stored
        run, ``train?job=…``, gives that run.
    seconds : float, optional
        Time limit of each study or training; the report shows the results up to then.
    tell : callable
    data : str
        The name of data that replaces the link's, as returned by `taken_in`.

    Raises
    ------
    ValueError
        If the link opens no page, or its view cannot show these settings.
    DataError
        If the data cannot be read.
    """
    opened = _opened(link, data)
    name = opened.raw.get("lesson")
    if name:
        return lesson(name, seconds, tell)
    stored = past.stored(opened.texts.get("job"))
    if stored is not None:
        splits = datasets.of(_opened_run(stored).values())
        return stored_run(stored, splits, opened.raw)
    content = part(opened, seconds, tell)
    return as_html(content)


def show(
    link: str, seconds: float | None = None, theme: str = "light", data: str = ""
) -> Shown:
    """Return the content of a link's view, after its background work; raises as
    `report` does."""
    opened = _opened(link, data)
    view, values = opened.page.view(opened.raw), opened.values(theme)
    return _shown(view, work_of(opened, seconds, silent).findings, values)


def _opened(link: str, data: str) -> links.OpenLink:
    """Read a link; ``data`` as in `report`."""
    opened = links.opened(link).on(data)
    chosen = {key: opened.raw[key] for key in opened.texts if key in opened.raw}
    for refusal in links.unfit(opened.rows(), chosen, opened.values()).values():
        raise ValueError(f"{refusal.reason}.")
    return opened


def as_html(part: ReportView, script: str = "") -> str:
    """Return the report of one view."""
    return _page(part.title, [part._replace(title="")], script)


def lesson(
    name: str, seconds: float | None = None, tell: Tell = silent, script: str = ""
) -> str:
    """Return the report of a lesson: each step with its view, question and answer.
    Raises ValueError if there is no such lesson."""
    entry = store.find(name)
    if entry is None:
        names = ", ".join(store.files())
        raise ValueError(f"There is no lesson {name!r}; the lessons are {names}.")
    parts = []
    for number, step in enumerate(entry.steps, start=1):
        tell(f"step {number} of {len(entry.steps)}")
        shown = _step(step, seconds, tell)
        parts.append(shown._replace(title=f"{number}. {shown.title}"))
    return _page(entry.title, parts, script, entry.summary)


def _page(title: str, parts: list[ReportView], script: str, summary: str = "") -> str:
    """Return a file that includes the scripts for blocks other than figures."""
    toy = [(ASSETS / f"toy.{kind}").read_text("utf-8") for kind in ("js", "css")]
    plane, kinds = PLANE.read_text("utf-8"), {"Toy": Component(*toy)}
    return page(title, parts, summary, origin(), script, kinds, plane)


def _step(step: LessonStep, seconds: float | None, tell: Tell) -> ReportView:
    """Return a step as its page shows it before and after the answer, without tables
    that belong to no figure, such as a whole data set's."""

    def view(settings: Changes) -> ReportView:
        opened = links.OpenLink(links.pages()[step.page], settings, STARTED)
        shown = _example(opened, opened.values()) or part(opened, seconds, tell)
        return shown.changed(lambda block: block._replace(tables={}))

    before = view(step.settings)
    after = view({**step.settings, **step.then}) if step.then else before
    if step.point is not None:
        after = after.changed(step.point.on, after.at)
    if step.guess is not None:
        before = before.changed(untold)
    return before._replace(
        question=step.paper or step.text,
        question_after=step.asked,
        answer=step.answered,
        answered=after if step.then or step.guess else None,
        scenes=before.scenes if step.then or step.guess else after.scenes,
    )


def part(
    opened: links.OpenLink, seconds: float | None = None, tell: Tell = silent
) -> ReportView:
    """Return the view that a link opens, after its background work; raises as `report`
    does."""
    work = work_of(opened, seconds, tell)
    return of(opened, opened.values(), work.findings, [work.note] if work.note else [])


def of(
    opened: links.OpenLink,
    values: Values,
    contents: tuple[Any, ...],
    notes: Sequence[str] = (),
    show: Callable[[Values], Shown] | None = None,
) -> ReportView:
    """Return a view with the values of its settings and its work's findings, or with
    what ``show`` returns instead."""
    page, view = opened.page, opened.page.view(opened.raw)
    rows, show = opened.rows(), show or partial(_shown, view, contents)
    slider = slider_of(view, rows, values, contents, shared.AT.key)
    stops = slider.stops
    at = min(range(len(stops)), key=lambda k: abs(stops[k] - slider.at))
    scenes = [
        # With an example on the page, the texts to copy still use the current settings.
        _scene(show, values | (slider.changes(stop) if k != at else {}), f"{stop:g}")
        for k, stop in enumerate(stops)
    ]
    hidden = tools(scenes[at].light) | {slider.key}
    work = view.work_for(values)
    if isinstance(work, views.Work) and work.optional and contents == (None,):
        hidden |= set(work.only)
    data = () if shared.DATA.key in hidden else _data(values)
    return ReportView(
        _title(page, view),
        view.question,
        scenes,
        slider.label,
        at,
        [*_settings(page, rows, values, hidden), *data],
        notes,
        view.explained(values),
        copies.ways(page, rows, values, scenes[at].light, job=opened.job),
    )


def of_stage(opened: links.OpenLink, values: Values, contents: tuple[Any, ...]) -> str:
    """Return the report of a view as a visitor sees it, with its study or example."""
    example = _example(opened, values) if contents == (None,) else None
    return as_html(example or of(opened, values, contents))


def _scene(show: Callable[[Values], Shown], values: Values, label: str) -> ViewState:
    light, dark = (show(values.themed(theme)) for theme in THEMES)
    return ViewState(label, light, dark)


def _shown(view: View, contents: tuple[Any, ...], values: Values) -> Shown:
    """Return a view's content; raises an error if it refuses one of its values."""
    shown: Shown = view.show(values, *contents)
    if shown.refused is not None:
        raise ValueError(shown.refused.reason)
    return shown


def _title(page: Page, view: View) -> str:
    return f"{page.title}: {view.name}" if page.choice else page.title


def _settings(
    page: Page, rows: Sequence[Setting], values: Values, without: Collection[str] = ()
) -> Iterator[tuple[str, str]]:
    """Return names and values of the settings that affect what is shown."""
    for row in rows:
        looks = row.bare or row.key in (*without, shared.SPEED.key)
        reportable = row != page.choice and row.computed is None and row.matters(values)
        if reportable and not looks and values[row.key] not in ("", ()):
            yield row.label or row.key, in_words(row, values)


def _data(values: Values) -> Iterator[tuple[str, str]]:
    """Yield the description of the data set, if the view has one."""
    name = str(values.get("data", ""))
    info = datasets.infos().get(name)
    if info is not None:
        yield "Data set", f"{info.title}. {datasets.describe(name, chip='{}.')}"
        yield "Licence", info.licence


def work_of(
    opened: links.OpenLink, seconds: float | None = None, tell: Tell = silent
) -> Findings:
    """Return a view's background work, finished; None where it is optional, unless the
    link names a job. Raises as `report` does."""
    view, values = opened.page.view(opened.raw), opened.values()
    work = view.work_for(values)
    optional = isinstance(work, views.Work) and work.optional and not opened.job
    refusal = view.refusal(values) if optional else view.no_study(values)
    if refusal is not None:
        raise ValueError(refusal)
    if work is None or optional:
        return Findings(() if work is None else (None,))
    deadline = None if seconds is None else time.monotonic() + seconds
    if isinstance(work, Training):
        run = work.run(values, None)
        note = _done(
            run, deadline, lambda: tell(counted(len(run.history), "iterations"))
        )
        return Findings((watched(run, values, view.studied(values, opened.raw)),), note)
    study = work.study(values)
    study.speed = None
    note = _done(
        study, deadline, lambda: tell(f"{study.done} of {study.total} {study.unit}")
    )
    study.close()
    return Findings((study,), note)


def _done(work: Any, deadline: float | None, report: Callable[[], None]) -> str:
    """Run to the end or the deadline; return whether the deadline came first."""
    for _ in work:
        report()
        if deadline is not None and time.monotonic() > deadline:
            return "Stopped at the time limit: the report shows the results up to then."
    return ""


def watched(run: Run, values: Values, settings: Mapping[str, Any]) -> Watched:
    """Return an ended run, as its view shows it."""
    title = type(run.algorithm).title
    return Watched("run", title, "finished", settings, run)


def origin() -> str:
    """Return a sentence that says which version made the report, and when."""
    today = datetime.now(UTC).date()
    return f"Made with RankScope {__version__} on {today}."


def site(
    folder: Path, seconds: float | None = None, tell: Tell = silent
) -> Iterator[Path]:
    """Write a gallery of every view and lesson into a new folder; yields each file.

    A view that opens with an example shows it; the background work of others runs, each
    for at most ``seconds``. ``index.html`` links to all files, which share one
    plotly.js.
    """
    folder.mkdir(parents=True, exist_ok=True)
    yield _put(folder / SCRIPT, script_beside())
    cards = []
    for card in gallery.cards(without=("lessons",)):
        name = stem(card.page, card.view)
        tell(card.title)
        opened = links.OpenLink(card.page, card.settings, {})
        shown = _example(opened, opened.values()) or part(opened, seconds, tell)
        yield _put(folder / f"{name}.html", as_html(shown, SCRIPT))
        pictures = []
        for theme in THEMES:
            source = card.picture(theme)
            if source.exists():
                shutil.copyfile(source, folder / source.name)
                yield folder / source.name
                pictures.append(source.name)
        cards.append(
            FolderReport(f"{name}.html", card.title, card.view.question, *pictures)
        )
    lessons = []
    for entry in store.everything()[0]:
        tell(f"lesson {entry.title}")
        name = f"lesson-{entry.name}.html"
        yield _put(folder / name, lesson(entry.name, seconds, tell, SCRIPT))
        lessons.append(FolderReport(name, entry.title, entry.summary))
    groups = {"Lessons": lessons, "Views": cards}
    about = "Views and lessons of RankScope, a laboratory for learning to rank."
    yield _put(folder / "index.html", index("RankScope", about, groups, origin()))


def stored_run(
    stored: "StoredRun", splits: Splits, raw: Mapping[str, Any] = NOTHING
) -> str:
    """Return the report of a stored run, with a slider over its iterations. ``raw`` has
    a link's settings other than the run's; raises ValueError if the data differs."""
    run = stored.recalled(splits.train, splits.valid)
    opened = _opened_run(stored, raw)
    name = stored.data_set
    same = opened.values().data == name
    made_with = {**opened.raw, "data": name}
    subject = Watched(stored.id, stored.title, stored.status, made_with, run)
    notes = [stored.notes] if stored.notes else []
    page = of(opened, opened.values(), (subject,), notes)
    about = {
        "Run": stored.id,
        "Began": f"{stored.created:%Y-%m-%d %H:%M} UTC",
        "Status": f"{stored.status}. {stored.reason}",
        "Training data": f"{stored.data or 'unnamed'}, content {stored.fingerprint}",
        "Versions": ", ".join(f"{name} {v}" for name, v in stored.versions.items()),
        "Tags": ", ".join(stored.tags),
    }
    rows = [(name, value) for name, value in about.items() if value]
    # If no link can name the data, the view's settings are those of another data set.
    others = {} if same else {"Data", "Data set", "Licence"}
    settings = [(n, value) for n, value in page.settings if n not in others]
    title = f"{stored.title}: run {stored.id}"
    ways = page.copies if same else {}
    return as_html(page._replace(title=title, settings=[*rows, *settings], copies=ways))


def _opened_run(stored: "StoredRun", raw: Changes = NOTHING) -> links.OpenLink:
    """Return the page of a stored run, with its settings."""
    return links.OpenLink(links.pages()["train"], {**raw, **past.settings(stored)}, {})


def _put(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def _example(opened: links.OpenLink, values: Values) -> ReportView | None:
    """Return a view with the example that it opens with; None if it has none."""
    example = examples.example(opened.page, opened.page.view(opened.raw), values)
    if example is None:
        return None
    return of(opened, values, (example.study,), show=example.show)
