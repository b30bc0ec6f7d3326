"""Views: what a page shows, as data.

A view is a file in ``pages/views/<page>`` that declares ``VIEW = View(...)``: its
question, its settings, and a function that makes facts and figures of their values. The
function draws nothing, so it is tested without a browser and works in a notebook. The
frame draws every view; see `pages.ui.frame`.
"""

import dataclasses
import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from pages.ui.setting import Choice, Setting, Values, declared, read
from rankcore.algorithms import Ranker
from rankcore.charts import Picture
from rankcore.hyperparameters import hyperparameters
from rankcore.insight.ranking import QueryRanking
from rankcore.training import Run

Changes = Mapping[str, Any]
# Called with the trace's name, the point's number and its new place.
OnPoint = Callable[..., Changes]
Tables = Mapping[str, Any]
# What one sees → the settings that make it so.
Presets = Mapping[str, Changes]
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Fact(NamedTuple):
    """A number worth reading at a glance."""

    meaning: str
    number: str
    note: str = ""


class Panel(NamedTuple):
    """A figure with all that belongs to it.

    Attributes
    ----------
    key : str
        Unique on the page; zoom is kept as long as it stays the same.
    title, note : str
        The caption: what the figure is, and how to read it.
    picture : Picture
        With its alternative text and its table.
    on_drag, on_click : callable, optional
        Called with the trace's name, the point's number from 0, and its x and y (and z
        in space); returns the settings to change.
    zoom : str
        Zoom starts anew when this changes.
    """

    key: str
    title: str
    note: str
    picture: Picture
    on_drag: OnPoint | None = None
    on_click: OnPoint | None = None
    zoom: str = ""


class Tiles(NamedTuple):
    """A query's ranking as tiles, another order beside it.

    Attributes
    ----------
    key, title, note : str
        As of a `Panel`.
    ranking : QueryRanking
    rows : int
        How many documents of either order are drawn.
    alt : str
    beside : str
        What the table calls the rank in the other order.
    """

    key: str
    title: str
    note: str
    ranking: QueryRanking
    rows: int
    alt: str
    beside: str = "ideal rank"


class DocumentTiles(NamedTuple):
    """The documents of a query as tiles, from the top down.

    Attributes
    ----------
    title, note : str
    documents : sequence of (str, int)
        Name and label of each.
    highest : int
        The highest label there is.
    most : int
        How many are drawn.
    """

    title: str
    note: str
    documents: Sequence[tuple[str, int]]
    highest: int
    most: int


class Toy(NamedTuple):
    """The small ranking of the home page, whose weight is moved in the browser.

    Attributes
    ----------
    key : str
    data : dict
        What the component draws: documents, pieces of the staircase, the ideal order.
    """

    key: str
    data: Mapping[str, Any]


class Words(NamedTuple):
    """Markdown between figures."""

    text: str


class Caption(NamedTuple):
    """A finding or an instruction below a figure, in small type."""

    text: str


class Notice(NamedTuple):
    """A sentence that stands out.

    Attributes
    ----------
    text : str
    icon : str
        The name of a Material symbol.
    warns : bool
    """

    text: str
    icon: str = "info"
    warns: bool = False


class Table(NamedTuple):
    """A table in sight, with its caption.

    Attributes
    ----------
    key, title, note : str
        As of a `Panel`.
    rows : columns by name or rows as dictionaries
    formats : dict
        Column → how its numbers are written, such as ``"%.3g"``.
    """

    key: str
    title: str
    note: str
    rows: Any
    formats: Mapping[str, str] = _NOTHING


class Ask(NamedTuple):
    """Controls of settings (those declared ``inline``), side by side.

    Where the choices depend on what a study has found, ``show`` replaces the names of
    a setting; what has been chosen counts as beside these.
    """

    settings: Sequence[Setting]


class Act(NamedTuple):
    """A button that changes settings.

    Attributes
    ----------
    label : str
    key : str
    changes : dict or function that gives it
        Key → value.
    help, icon, shortcut : str
    disabled : bool
    """

    label: str
    key: str
    changes: Changes | Callable[[], Changes]
    help: str = ""
    icon: str = ""
    shortcut: str = ""
    disabled: bool = False


class Begin(NamedTuple):
    """A button that begins a run, which waits on another page, and goes there.

    Attributes
    ----------
    label, key : str
    page : str
        Its name in the address; its link names the run.
    run : callable
        Makes the run, of `rankcore.training.drive`.
    settings : dict
        Of the run, for the controls of that page.
    help, icon : str
    """

    label: str
    key: str
    page: str
    run: Callable[[], Run]
    settings: Changes
    help: str = ""
    icon: str = "arrow_forward"


class TakeModel(NamedTuple):
    """A model to take away, in the format of another program; folded away.

    Attributes
    ----------
    title, key : str
    label : str
        Before the formats.
    model : callable
        Gives the fitted model as it is now.
    stem : str
        The file's name without its ending.
    """

    title: str
    key: str
    label: str
    model: Callable[[], Ranker]
    stem: str


class Fold(NamedTuple):
    """Blocks that are folded away, such as a way to take a list from the data.

    Attributes
    ----------
    title, key : str
    blocks : function that gives a sequence of blocks
        Called when it is open.
    """

    title: str
    key: str
    blocks: Callable[[], Sequence["Block"]]


class Row(NamedTuple):
    """Columns beside each other, each a sequence of blocks.

    Attributes
    ----------
    columns : sequence of sequences of blocks
    widths : sequence of int
        Relative; empty: equal.
    framed : bool
        Whether each column has a border.
    key : str
        A name for style sheets; columns of ``beside`` stand in reverse order on a
        narrow screen.
    """

    columns: Sequence[Sequence["Block"]]
    widths: Sequence[int] = ()
    framed: bool = False
    key: str = ""


Block = (
    Panel
    | Tiles
    | DocumentTiles
    | Toy
    | Words
    | Caption
    | Notice
    | Table
    | Ask
    | Act
    | Begin
    | TakeModel
    | Fold
    | Row
)


class Shown(NamedTuple):
    """What a view shows.

    Attributes
    ----------
    facts : sequence of Fact
        At most five.
    blocks : sequence of blocks
        From the top down; a `Row` holds some beside each other.
    tables : dict
        Tables to export beside those of the panels: name → columns, rows, or a
        function that gives them.
    records : dict
        What is no table, exported as JSON: name → dictionary or function.
    files : dict
        Other files to export: file name → function that gives the content.
    command : str
        What gives the same in a terminal or in Python.
    """

    facts: Sequence[Fact] = ()
    blocks: Sequence[Block] = ()
    tables: Tables = _NOTHING
    records: Mapping[str, Any] = _NOTHING
    files: Mapping[str, Callable[[], bytes | str]] = _NOTHING
    command: str = ""

    def panels(self) -> list[Panel]:
        """Every panel, also those in rows."""
        return [block for block in flat(self.blocks) if isinstance(block, Panel)]

    def exports(self) -> dict[str, Any]:
        """Every table there is, by its name: facts, those of panels, and its own."""
        found: dict[str, Any] = {}
        if self.facts:
            found["Facts"] = [fact._asdict() for fact in self.facts]
        for block in flat(self.blocks):
            if isinstance(block, Panel) and block.picture.table is not None:
                found[block.title] = block.picture.table
            elif isinstance(block, Table):
                found[block.title] = block.rows
        return found | dict(self.tables)


def flat(blocks: Sequence[Block]) -> list[Block]:
    """The blocks, those in rows in place of their row."""
    found: list[Block] = []
    for block in blocks:
        if isinstance(block, Row):
            found += [inner for column in block.columns for inner in flat(column)]
        else:
            found.append(block)
    return found


@dataclass(frozen=True)
class Work:
    """The background work that fills a view's picture.

    Attributes
    ----------
    study : callable
        Makes it from the values; called when the button is pressed.
    button : str, or function of the values
        Verb and object: "Train 12 models".
    promise : str, or function of the values
        What will come, in a sentence, while nothing has been started.
    name : str
        Among the works of a view that has several; each keeps its last study.
    settings : sequence of str
        Keys of the settings that the study depends on; empty: all that are ``studied``.
    refuses : callable, optional
        Why this study cannot be made with these values, as a sentence.
    speed : callable, optional
        Iterations a second at most, or None, from the values; it may be changed while
        the study is under way.
    keeps_settings : bool
        Whether ``show`` is given the settings that the study was begun with, where the
        present ones differ.
    """

    study: Callable[[Values], Any]
    button: str | Callable[[Values], str]
    promise: str | Callable[[Values], str]
    name: str = ""
    settings: Sequence[str] = ()
    refuses: Callable[[Values], str | None] | None = None
    speed: Callable[[Values], float | None] | None = None
    keeps_settings: bool = False


@dataclass(frozen=True)
class Training:
    """A training run that a person steers: play, pause, steps, restart.

    Attributes
    ----------
    run : callable
        Makes it from the values, not begun; called when a button is pressed.
    refuses, caution : callable
        Why it cannot be trained with these values; what will make its model worse than
        it need be; sentences, or None.
    name, settings
        As of a `Work`.
    """

    run: Callable[[Values], Any]
    refuses: Callable[[Values], str | None]
    caution: Callable[[Values], str | None]
    name: str = ""
    settings: Sequence[str] = ()


class Watched(NamedTuple):
    """A training run as a view shows it; also one that has not begun.

    Attributes
    ----------
    id : str
        Changes from run to run.
    title, state : str
        The state is that of its job, or ``"not begun"``.
    settings : dict or None
        What it was made with.
    run : rankcore.training.Run or None
    pinned : sequence of Watched
        Runs to compare it with.
    """

    id: str
    title: str
    state: str
    settings: Mapping[str, Any] | None
    run: Any
    pinned: Sequence["Watched"] = ()


@dataclass(frozen=True)
class View:
    """One way to look at the subject of a page.

    Attributes
    ----------
    name : str
        In the link, and on its button.
    question : str
        What one sees or learns in it, in a sentence.
    settings : sequence of Setting, or function of the values chosen so far
        In the order of their controls. A function is given the raw values by key, and
        returns the rows that they call for.
    show : callable
        ``show(values)`` makes what is shown; with ``work``, ``show(values, study)``,
        whose study is None while there is none. With a `Training`,
        ``show(values, watched)``.
    work : Work, Training, or function of the values, optional
        A function chooses one of several.
    refuses : callable, optional
        Why there is nothing to show or to study with these values, as a sentence.
    presets : dict, or function of the raw values
        What one sees → the settings that make it so.
    explain : dict, or function of the values
        The tabs of the *Explain* panel: title → Markdown.
    plays : str
        The key of a `Number` that a *Play* button moves on by itself.
    plays_to : callable, optional
        Where that ends, from the values; by default at the number's end.
    """

    name: str
    question: str
    settings: Sequence[Setting] | Callable[[Mapping[str, Any]], Sequence[Setting]]
    show: Callable[..., Shown]
    work: Work | Training | Callable[[Values], Work] | None = None
    refuses: Callable[[Values], str | None] | None = None
    presets: Presets | Callable[[Mapping[str, Any]], Presets] = dataclasses.field(
        default_factory=dict
    )
    explain: Mapping[str, str] | Callable[[Values], Mapping[str, str]] = (
        dataclasses.field(default_factory=dict)
    )
    plays: str = ""
    plays_to: Callable[[Values], float] | None = None

    def rows(self, raw: Mapping[str, Any]) -> Sequence[Setting]:
        """The settings that these raw values call for."""
        return self.settings(raw) if callable(self.settings) else self.settings

    def every_row(self) -> list[Setting]:
        """The settings that any choice of a name calls for."""
        rows = list(self.rows({}))
        for row in rows.copy():
            if isinstance(row, Choice) and not callable(row.names):
                for name in row.labels(Values({})):
                    rows += self.rows({row.key: name})
        return list({row.key: row for row in reversed(rows)}.values())

    def refusal(self, values: Values) -> str | None:
        """Why there is nothing to show, as a sentence."""
        return None if self.refuses is None else self.refuses(values)

    def explained(self, values: Values) -> Mapping[str, str]:
        """The tabs of the *Explain* panel."""
        return self.explain(values) if callable(self.explain) else self.explain

    def scenarios(self, raw: Mapping[str, Any] = _NOTHING) -> Presets:
        """The presets beside these raw values."""
        return self.presets(raw) if callable(self.presets) else self.presets

    def work_for(self, values: Values) -> Work | Training | None:
        """The background work that these values choose."""
        work = self.work
        if work is None or isinstance(work, Work | Training):
            return work
        return work(values)

    def no_study(self, values: Values) -> str | None:
        """Why no study can be made with these values, as a sentence."""
        work, refusal = self.work_for(values), self.refusal(values)
        if refusal is not None or work is None or work.refuses is None:
            return refusal
        return work.refuses(values)

    def studied(self, values: Values, raw: Mapping[str, Any]) -> dict[str, Any]:
        """The values that a study is made with."""
        work = self.work_for(values)
        keys = () if work is None else work.settings
        return {
            row.key: values[row.key]
            for row in self.rows(raw)
            if (row.key in keys if keys else row.studied)
        }


@dataclass(frozen=True)
class Page:
    """A page with views.

    Attributes
    ----------
    package : str
        Where its views are, such as ``pages.views.cones``.
    title, question : str
    key : str
        Of the setting that names the view; by default ``<name>_view``.
    order : sequence of str
        Names of its views' files in the order of their buttons; others follow.
    presets : dict
        What one sees → settings; after those of the views.
    presets_by_view : bool
        Whether the presets of a view are offered beside that view only, as where all
        of them would not fit in a row.
    """

    package: str
    title: str
    question: str
    key: str = ""
    order: Sequence[str] = ()
    presets: Mapping[str, Changes] = dataclasses.field(default_factory=dict)
    presets_by_view: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", self.key or f"{self.name}_view")

    @property
    def name(self) -> str:
        """Its name in URLs."""
        return self.package.rpartition(".")[2]

    @property
    def views(self) -> Mapping[str, View]:
        """Its views by name, in order."""
        return _views(self.package, tuple(self.order))

    @property
    def choice(self) -> Choice | None:
        """The setting that names the view; None where there is only one."""
        names = tuple(self.views)
        if len(names) < 2:
            return None
        return Choice(self.key, names[0], "View", names=names, bare=True, studied=False)

    def view(self, raw: Mapping[str, Any]) -> View:
        """The view that is chosen."""
        views = self.views
        first = next(iter(views.values()))
        return views.get(str(raw.get(self.key)), first)

    def rows(self, raw: Mapping[str, Any]) -> list[Setting]:
        """The settings of the view that is chosen, after the one that names it."""
        own = [] if self.choice is None else [self.choice]
        return [*own, *self.view(raw).rows(raw)]

    def scenarios(self, raw: Mapping[str, Any] = _NOTHING) -> dict[str, Changes]:
        """The presets offered beside these raw values, with the view they belong to."""
        found: dict[str, Changes] = {}
        for name, view in self.views.items():
            if self.presets_by_view and view is not self.view(raw):
                continue
            for title, changes in view.scenarios(raw).items():
                found[title] = {self.key: name, **changes} if self.choice else changes
        return found | dict(self.presets)


@cache
def _views(package: str, order: tuple[str, ...]) -> dict[str, View]:
    return {view.name: view for view in modules(package, "VIEW", order)}


def modules(package: str, name: str, order: Sequence[str] = ()) -> list[Any]:
    """What the modules of a package call ``name``, found by looking.

    Parameters
    ----------
    package : str
    name : str
        Of a constant; modules without it are left out.
    order : sequence of str
        Names of modules that come first; others follow by name.
    """
    where = importlib.import_module(package).__path__
    found = {info.name for info in pkgutil.iter_modules(where)}
    unknown = set(order) - found
    if unknown:
        raise ImportError(f"There is no {', '.join(sorted(unknown))} in {package}")
    names = [*order, *sorted(found - set(order))]
    every = [importlib.import_module(f"{package}.{module}") for module in names]
    return [getattr(module, name) for module in every if hasattr(module, name)]


@cache
def pages() -> Mapping[str, Page]:
    """Every page with views, by name."""
    return {page.name: page for page in modules("pages.views", "PAGE")}


@cache
def _rows() -> Mapping[str, Setting]:
    """Every setting of every view, by key, as far as it is there by default."""
    found: dict[str, Setting] = {}
    for page in pages().values():
        if page.choice is not None:
            found[page.key] = page.choice
        for view in page.views.values():
            found = {row.key: row for row in view.every_row()} | found
    return found


def known_settings() -> Sequence[str]:
    """The keys of all settings but hyperparameters."""
    return [key for key in _rows() if "." not in key]


def setting(key: str) -> Setting | None:
    """The setting of that key, such as ``seed`` or ``RSRank.g``; None if there is none.

    Hyperparameters need no row in a view: their declarations make one.
    """
    from rankcore.algorithms import get_algorithm, list_algorithms

    if key in _rows():
        return _rows()[key]
    algorithm, _, name = key.partition(".")
    if algorithm not in list_algorithms() or name == "random_state":
        return None
    cls = get_algorithm(algorithm)
    return declared(cls, name)[0] if name in hyperparameters(cls) else None


def place(page: Page, raw: Mapping[str, Any]) -> str:
    """A view of a page, as one name: ``cones/Quality and K``; if it has several works,
    the name of the chosen one follows."""
    view = page.view(raw)
    names = [page.name, view.name]
    work = view.work_for(read(page.rows(raw), raw))
    if work is not None and work.name:
        names.append(work.name)
    return "/".join(names)
