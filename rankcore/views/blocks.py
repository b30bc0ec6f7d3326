"""The content of views: facts, figures, and the blocks between them."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from rankcore.algorithms import Ranker
from rankcore.base.numbers import label_text, rounded
from rankcore.data.dataset import RankingDataset
from rankcore.data.readers import Splits
from rankcore.measures import Rules
from rankcore.plot import Picture
from rankcore.plot.palette import Palette
from rankcore.plot.style import short_names
from rankcore.topics.datasets.description import parts
from rankcore.topics.inspect.chips_figure import chips, followed
from rankcore.topics.inspect.ranking import QueryRanking
from rankcore.training import Run
from rankcore.views.settings import RefusedValue, Setting, Values

Changes = Mapping[str, Any]


# Called with the trace's name, the point's number and its new place.
OnPoint = Callable[..., "Changes | Go"]


Tables = Mapping[str, Any]


NOTHING: Mapping[str, Any] = MappingProxyType({})
# The table column with names of models, the length beyond which they are cut, and the
# length of cut names.
MODEL = "model"
LONGEST_NAME = 30
CUT_NAME = 22


class Fact(NamedTuple):
    """A number worth reading at a glance."""

    meaning: str
    number: str
    note: str = ""


class Panel(NamedTuple):
    """A figure with its caption and its callbacks.

    Attributes
    ----------
    key : str
        Unique on the page; zoom is kept while it stays the same.
    title, note : str
        The caption: the title of the figure, and how to read it.
    picture : Picture
        With its alternative text and its table.
    on_drag, on_click : callable, optional
        Called with the trace's name, the point's number from 0, and its x and y (and z
        in space); returns the settings to change, or the page to open.
    zoom : str
        Zoom is reset when this changes.
    on_hover : callable, optional
        Called with the same arguments while the pointer is on a point without numbers,
        at most four times a second.
    on_brush : callable, optional
        Called with the ranges on parallel axes, a list of (low, high) by axis name,
        once a brush has been released; returns the settings to change.
    """

    key: str
    title: str
    note: str
    picture: Picture
    on_drag: OnPoint | None = None
    on_click: OnPoint | None = None
    zoom: str = ""
    on_hover: OnPoint | None = None
    on_brush: Callable[[Mapping[str, Any]], Changes] | None = None


class Followed(NamedTuple):
    """Rankings of the same documents that tiles show as the pointer moves.

    Attributes
    ----------
    group : str
        The figure that leads: ``leads`` in the ``meta`` of a trace there.
    rankings : sequence of QueryRanking
        One for each state of that figure.
    at : int
        The state shown while no point is under the pointer.
    """

    group: str
    rankings: Sequence[QueryRanking]
    at: int


class Tiles(NamedTuple):
    """A query's ranking as tiles, with another order beside it.

    Attributes
    ----------
    key, title, note : str
        As in `Panel`.
    rows : int
        Number of documents drawn of each order.
    beside : str
        The table's heading for the rank in the other order.
    others : sequence of QueryRanking
        Further orders of the same documents, between ``ranking`` and its other order.
    heads : sequence of (str, str)
        Name and colour of each ranking, above it; empty: none.
    on_click : callable, optional
        Called with the document's name and the number of the order, from 0, the other
        one coming last; returns the settings to change.
    ends : bool
        Whether the other order is drawn; without it ``others`` come last.
    follows : Followed, optional
        Rankings that replace ``ranking`` as the pointer moves in another figure.
    """

    key: str
    title: str
    note: str
    ranking: QueryRanking
    rows: int
    alt: str
    beside: str = "ideal rank"
    others: Sequence[QueryRanking] = ()
    heads: Sequence[tuple[str, str]] = ()
    on_click: OnPoint | None = None
    ends: bool = True
    follows: Followed | None = None

    def chips(self, palette: Palette) -> dict[str, Any]:
        """Return the chips in the browser's format."""
        orders = [self.ranking, *self.others]
        content = chips(orders, self.rows, palette, self.heads, self.ends)
        if (led := self.follows) is not None:
            content |= followed(led.rankings, self.rows, palette)
            content |= {"follows": led.group, "at": led.at}
        return content

    def table(self) -> dict[str, Any]:
        """Return the documents in the order of ``ranking``, and their other ranks."""
        names = self.ranking.documents
        others = {
            head: [1 + other.documents.index(name) for name in names]
            for (head, _), other in zip(self.heads[1:], self.others, strict=False)
        }
        return {
            "rank": list(range(1, len(names) + 1)),
            "document": names,
            "label": self.ranking.labels,
            "score": self.ranking.scores,
            **{f"rank by {head}": ranks for head, ranks in others.items()},
            self.beside: self.ranking.ideal + 1,
        }


class DocumentTiles(NamedTuple):
    """The documents of a query as tiles, from the top down.

    Attributes
    ----------
    documents : sequence of (str, float)
        Name and label of each.
    highest : float
        The highest possible label.
    most : int
        Number of documents drawn.
    """

    title: str
    note: str
    documents: Sequence[tuple[str, float]]
    highest: float
    most: int

    def tiles(self, palette: Palette) -> list[tuple[str, str, str]]:
        """Return text, colour and ink of the drawn tiles."""
        shown = self.documents[: self.most]
        fills = [palette.label(label, self.highest) for _, label in shown]
        return [
            (f"{name} · {label_text(label)}", fill, palette.on(fill))
            for (name, label), fill in zip(shown, fills, strict=True)
        ]


class Toy(NamedTuple):
    """The small ranking of the home page, whose weight is moved in the browser.

    Attributes
    ----------
    data : dict
        What the component draws: documents, pieces of the staircase, the ideal order.
    """

    key: str
    data: Mapping[str, Any]


class Words(NamedTuple):
    """Markdown between figures.

    Attributes
    ----------
    help : str
        Shown on hover, and beside it on a mark.
    """

    text: str
    help: str = ""


class Caption(NamedTuple):
    """A finding or an instruction below a figure, in small type."""

    text: str


class Notice(NamedTuple):
    """A highlighted sentence.

    Attributes
    ----------
    icon : str
        The name of a Material symbol.
    """

    text: str
    icon: str = "info"
    warns: bool = False


def errors(*texts: str) -> list["Block"]:
    """Return a notice for each error message; empty ones are skipped."""
    return [Notice(text, "error", warns=True) for text in texts if text]


class Table(NamedTuple):
    """A visible table, with its caption.

    Attributes
    ----------
    key, title, note : str
        As in `Panel`.
    rows : columns by name or rows as dictionaries
    formats : dict
        Number format by column, such as ``"%.3g"``.
    on_choose : callable, optional
        Called with the number of the selected row, from 0; returns the settings to
        change.
    on_select : callable, optional
        Called with the numbers of all selected rows, if several may be selected.
    selected : sequence of int
        The currently selected rows.
    lines : sequence of str
        Columns of number sequences, each drawn as a small line.
    height : int
        In pixels; 0: the height of ten rows.
    links : sequence of Go
        The link of each row; empty: no column of links.
    heads : dict
        Heading by column, if different from its name.
    narrow : bool
        Whether it is as wide as its columns rather than its container.
    """

    key: str
    title: str
    note: str
    rows: Any
    formats: Mapping[str, str] = NOTHING
    on_choose: Callable[[int], Changes] | None = None
    on_select: Callable[[Sequence[int]], Changes] | None = None
    selected: Sequence[int] = ()
    lines: Sequence[str] = ()
    height: int = 0
    links: "Sequence[Go]" = ()
    heads: Mapping[str, str] = NOTHING
    narrow: bool = False

    def drawn(self) -> tuple[dict[str, list[Any]], dict[str, str]]:
        """Return the columns by heading, and the formats of numeric columns.

        Without a format, numbers that are not whole have three significant digits; in a
        column with words they become text. Long names, such as those of a visitor's
        files, are cut to save room if they stay distinct.
        """
        by_name, formats = {}, dict(self.formats)
        for name, whole in columns(self.rows).items():
            by_name[name] = column = _cut(whole) if name == MODEL else whole
            if name in self.lines:
                continue
            if any(isinstance(value, str) for value in column):
                form = formats.pop(name, "")
                by_name[name] = [_in_words(value, form) for value in column]
            elif any(_real(value) and value % 1.0 for value in column):
                formats.setdefault(name, "%.3g")
        heads = _cut([self.heads.get(name, name) for name in by_name])
        head = dict(zip(by_name, heads, strict=True))
        return (
            {head[name]: column for name, column in by_name.items()},
            {head.get(name, name): form for name, form in formats.items()},
        )


def _cut(names: Sequence[Any]) -> list[Any]:
    """Return names in a table, cut at `LONGEST_NAME` unless that makes two equal."""
    texts = list(dict.fromkeys(map(str, names)))
    long = [name for name in texts if len(name) > LONGEST_NAME]
    cut = dict(zip(long, short_names(long, CUT_NAME) if long else [], strict=True))
    if len({cut.get(name, name) for name in texts}) < len(texts):
        return list(names)
    return [cut.get(name, name) for name in names]


def _real(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def _in_words(value: Any, form: str) -> Any:
    """Return a value of a mixed column as text."""
    if not _real(value):
        return value
    return form % value if form else rounded(value)


def columns(table: Any) -> dict[str, list[Any]]:
    """Return a table's columns by name, also of a table of rows; empty for None."""
    if table is None:
        return {}
    if not hasattr(table, "items"):
        names = list(dict.fromkeys(name for row in table for name in row))
        return {name: [row.get(name) for row in table] for name in names}
    return {str(name): list(column) for name, column in table.items()}


class Ask(NamedTuple):
    """Controls of settings (those declared ``inline``), side by side.

    If the choices depend on the results of a study, ``show`` replaces the names of a
    setting; chosen values are checked against these.
    """

    settings: Sequence[Setting]


class Act(NamedTuple):
    """A button that changes settings.

    Attributes
    ----------
    changes : dict or function that gives it
        Key → value.
    """

    label: str
    key: str
    changes: Changes | Callable[[], Changes]
    help: str = ""
    icon: str = ""
    shortcut: str = ""
    disabled: bool = False


class Edit(NamedTuple):
    """A field with a text that is stored outside the settings.

    Attributes
    ----------
    write : callable
        Called with a new text; stores it, and returns the settings to change.
    long : bool
        Whether it may have several lines.
    hint : str
        Shown in the field while it is empty.
    """

    label: str
    key: str
    text: str
    write: Callable[[str], Changes]
    long: bool = False
    hint: str = ""


class Go(NamedTuple):
    """A link to another page, with settings.

    Attributes
    ----------
    page : str
        Its name in the URL.
    settings : dict
        Key → value.
    """

    label: str
    page: str
    settings: Changes
    help: str = ""
    icon: str = "arrow_forward"


class Begin(NamedTuple):
    """A button that starts a run on another page, and opens that page or pins the run
    there.

    Attributes
    ----------
    page : str
        Its name in the URL; its link names the run.
    run : callable
        Makes the run, of `rankcore.training.drive`.
    settings : dict
        Settings of the run, for the controls of that page.
    plays : bool
        Whether the run plays at once; otherwise it pauses at its starting point.
    resumes : rankcore.studies.store.StoredRun, optional
        The stored run to continue, with its id.
    pins : str
        A setting with pins in the format of `rankcore.views.pins`: the run is pinned
        there, and its page is not opened.
    at : str
        The model of the run to show, as of `rankcore.training.selection.select`; empty:
        its last.
    """

    label: str
    key: str
    page: str
    run: Callable[[], Run]
    settings: Changes
    help: str = ""
    icon: str = "arrow_forward"
    plays: bool = False
    resumes: Any = None
    pins: str = ""
    at: str = ""


class TakeModel(NamedTuple):
    """A folded download of a model in the format of another program.

    Attributes
    ----------
    label : str
        Label before the formats.
    model : callable
        Returns the current fitted model or, with ``choices``, the model of one of their
        names, by default the first.
    stem : str
        The file's name without its ending and the iteration.
    held_out : callable, optional
        Returns the queries for comparing the model with the one in use; None if the
        data is missing.
    choices : dict of str to str
        The models to choose from: ``at`` as of `rankcore.training.selection.select` →
        description of the model.
    """

    title: str
    key: str
    label: str
    model: Callable[..., Ranker]
    stem: str
    held_out: "Callable[[], HeldOut | None] | None" = None
    choices: Mapping[str, str] = MappingProxyType({})


class HeldOut(NamedTuple):
    """Queries for comparing models.

    Attributes
    ----------
    split : str
        ``test``, ``valid`` or ``train``.
    rules : Rules
        Evaluation rules.
    """

    split: str
    dataset: RankingDataset
    measure: str
    rules: Rules

    @classmethod
    def of(cls, splits: Splits, measure: str, rules: Rules) -> "HeldOut":
        """Return the test queries if there are any, else the queries that chose the
        model."""
        here = parts(splits)
        split = next(name for name in ("test", "valid", "train") if name in here)
        return cls(split, here[split], measure, rules)


class Popover(NamedTuple):
    """Folded blocks, such as controls that take a list from the data.

    Attributes
    ----------
    blocks : function that gives a sequence of blocks
        Called when it is open.
    """

    title: str
    key: str
    blocks: Callable[[], Sequence["Block"]]


class Listing(NamedTuple):
    """An entry of a list of runs.

    Attributes
    ----------
    id, name : str
        The id of its pin, empty for a permanent run, and its name.
    note : str
        Further information.
    """

    id: str
    name: str
    colour: str
    note: str = ""
    hidden: bool = False


class Runs(NamedTuple):
    """A list of runs, to show, hide, rename and remove them.

    Attributes
    ----------
    setting : str
        The setting with their pins, in the format of `rankcore.views.pins`.
    pins : callable
        Returns that text for the present values, with every run of the list.
    removed : callable
        Returns the changes when a run is removed, from the present values and its id.
    """

    title: str
    note: str
    rows: Sequence[Listing]
    setting: str
    pins: Callable[[Values], str]
    removed: Callable[[Values, str], Changes]


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
        A name for style sheets; ``beside`` reverses the columns on a narrow screen.
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
    | Edit
    | Go
    | Begin
    | TakeModel
    | Popover
    | Runs
    | Row
)


class Later(Sequence[Block]):
    """Blocks that are computed when first read, so that the blocks before them are
    already drawn.

    Parameters
    ----------
    blocks : function that gives a sequence of blocks
        Called once.
    """

    def __init__(self, blocks: Callable[[], Sequence[Block]]) -> None:
        self._blocks = lru_cache(maxsize=1)(blocks)

    def __len__(self) -> int:
        return len(self._blocks())

    def __getitem__(self, at: Any) -> Any:
        return self._blocks()[at]


class Shown(NamedTuple):
    """The content of a view.

    Attributes
    ----------
    facts : sequence of Fact
        At most five.
    blocks : sequence of blocks
        From the top down; a `Row` holds some beside each other.
    tables : dict
        Tables to export in addition to those of the panels, by name: columns, rows, or
        a function that returns them.
    records : dict
        Other results, exported as JSON: a dictionary or function by name.
    files : dict
        Other files to export: a function that returns the content, by file name.
    command, python : str
        The equivalent in a terminal and in Python, if the view knows more than its
        link.
    refused : RefusedValue, optional
        A link's value that the content does not have, such as an iteration after the
        end of a run; a message replaces all figures.
    """

    facts: Sequence[Fact] = ()
    blocks: Sequence[Block] = ()
    tables: Tables = NOTHING
    records: Mapping[str, Any] = NOTHING
    files: Mapping[str, Callable[[], bytes | str]] = NOTHING
    command: str = ""
    python: str = ""
    refused: RefusedValue | None = None

    def panels(self) -> list[Panel]:
        """Every panel, also those in rows."""
        return [block for block in flat(self.blocks) if isinstance(block, Panel)]

    def exports(self) -> dict[str, Any]:
        """Every table by name: facts, those of panels, and its own."""
        tables: dict[str, Any] = {}
        if self.facts:
            tables["Facts"] = [fact._asdict() for fact in self.facts]
        for block in flat(self.blocks):
            if isinstance(block, Panel) and block.picture.table is not None:
                tables[block.title] = block.picture.table
            elif isinstance(block, Table):
                tables[block.title] = block.rows
        return tables | dict(self.tables)


def flat(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks, with rows replaced by their blocks."""
    flattened: list[Block] = []
    for block in blocks:
        if isinstance(block, Row):
            flattened += [inner for column in block.columns for inner in flat(column)]
        else:
            flattened.append(block)
    return flattened
