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
# The column of a table that has the names of models, the length from which on names
# are cut there, and that of cut ones.
MODEL = "model"
LONGEST_NAME = 30
CUT_NAME = 22


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
        in space); returns the settings to change, or where to go.
    zoom : str
        Zoom starts anew when this changes.
    on_hover : callable, optional
        Called with the same while the pointer is on a point that has no numbers yet, at
        most four times a second.
    on_brush : callable, optional
        Called with the ranges on parallel axes, a list of (low, high) by the name of
        the axis, when a brush has come to rest; returns the settings to change.
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
    """Rankings of the same documents that tiles go through with the pointer.

    Attributes
    ----------
    group : str
        The figure that leads: ``leads`` in the ``meta`` of a trace there.
    rankings : sequence of QueryRanking
        One for each state of that figure.
    at : int
        The state that is shown while no point is under the pointer.
    """

    group: str
    rankings: Sequence[QueryRanking]
    at: int


class Tiles(NamedTuple):
    """A query's ranking as tiles, another order beside it.

    Attributes
    ----------
    key, title, note : str
        As of a `Panel`.
    rows : int
        How many documents of either order are drawn.
    beside : str
        What the table calls the rank in the other order.
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
        Rankings that take the place of ``ranking`` as the pointer moves in another
        figure.
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
        """Return the chips as the browser draws them."""
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
        The highest label there is.
    most : int
        How many are drawn.
    """

    title: str
    note: str
    documents: Sequence[tuple[str, float]]
    highest: float
    most: int

    def tiles(self, palette: Palette) -> list[tuple[str, str, str]]:
        """Return text, colour and ink of the tiles that are drawn."""
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
    """A sentence that stands out.

    Attributes
    ----------
    icon : str
        The name of a Material symbol.
    """

    text: str
    icon: str = "info"
    warns: bool = False


def errors(*texts: str) -> list["Block"]:
    """Return a notice for each sentence on what went wrong; empty ones are none."""
    return [Notice(text, "error", warns=True) for text in texts if text]


class Table(NamedTuple):
    """A table in sight, with its caption.

    Attributes
    ----------
    key, title, note : str
        As of a `Panel`.
    rows : columns by name or rows as dictionaries
    formats : dict
        Column → how its numbers are written, such as ``"%.3g"``.
    on_choose : callable, optional
        Called with the number of a row that is chosen, from 0; returns the settings to
        change.
    on_select : callable, optional
        Called with the numbers of all rows that are selected, where several may be.
    selected : sequence of int
        The rows that are selected now.
    lines : sequence of str
        Columns of number sequences, each drawn as a small line.
    height : int
        In pixels; 0: as many as ten rows take.
    links : sequence of Go
        Of each row; empty: there is no column of links.
    heads : dict
        Column → what its head says, where that is not its name.
    narrow : bool
        Whether it is as wide as its columns, not as its place.
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
        """Return the columns by their heads, and the formats of those of numbers.

        Where ``formats`` has none, numbers that are not whole have three significant
        digits; beside words they are words themselves. Long names, such as those of a
        visitor's files, are cut where they stay distinct, or they would leave no room.
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
    """Return names in a table, those longer than `LONGEST_NAME` cut, unless two are
    equal then."""
    texts = list(dict.fromkeys(map(str, names)))
    long = [name for name in texts if len(name) > LONGEST_NAME]
    cut = dict(zip(long, short_names(long, CUT_NAME) if long else [], strict=True))
    if len({cut.get(name, name) for name in texts}) < len(texts):
        return list(names)
    return [cut.get(name, name) for name in names]


def _real(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def _in_words(value: Any, form: str) -> Any:
    """Return a value of a column that holds words, too."""
    if not _real(value):
        return value
    return form % value if form else rounded(value)


def columns(table: Any) -> dict[str, list[Any]]:
    """Return a table's columns by name, also of one that holds rows; empty of None."""
    if table is None:
        return {}
    if not hasattr(table, "items"):
        names = list(dict.fromkeys(name for row in table for name in row))
        return {name: [row.get(name) for row in table] for name in names}
    return {str(name): list(column) for name, column in table.items()}


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
    """A field with a text that is kept elsewhere than in the settings.

    Attributes
    ----------
    write : callable
        Called with a new text; keeps it, and returns the settings to change.
    long : bool
        Whether it may take several lines.
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
        Its name in the address.
    settings : dict
        Key → value.
    """

    label: str
    page: str
    settings: Changes
    help: str = ""
    icon: str = "arrow_forward"


class Begin(NamedTuple):
    """A button that begins a run, which waits on another page, and goes there or pins
    it there.

    Attributes
    ----------
    page : str
        Its name in the address; its link names the run.
    run : callable
        Makes the run, of `rankcore.training.drive`.
    settings : dict
        Of the run, for the controls of that page.
    plays : bool
        Whether the run plays at once; otherwise it waits after its starting point.
    resumes : rankcore.studies.store.StoredRun, optional
        The kept run that goes on with it, under its id.
    pins : str
        A setting with pins, as `rankcore.views.pins` writes them: the run is pinned
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
    """A model to take away, in the format of another program; folded away.

    Attributes
    ----------
    label : str
        Before the formats.
    model : callable
        Gives the fitted model as it is now; where there are ``choices``, that of one of
        their names, by default of the first.
    stem : str
        The file's name without its ending and the iteration.
    held_out : callable, optional
        Gives the queries on which the model is compared with the one in use; None
        where the data is not here.
    choices : dict of str to str
        The models to choose from: ``at`` as of `rankcore.training.selection.select` →
        what the model is.
    """

    title: str
    key: str
    label: str
    model: Callable[..., Ranker]
    stem: str
    held_out: "Callable[[], HeldOut | None] | None" = None
    choices: Mapping[str, str] = MappingProxyType({})


class HeldOut(NamedTuple):
    """Queries to compare models on.

    Attributes
    ----------
    split : str
        ``test``, ``valid`` or ``train``.
    rules : Rules
        Of the evaluation.
    """

    split: str
    dataset: RankingDataset
    measure: str
    rules: Rules

    @classmethod
    def of(cls, splits: Splits, measure: str, rules: Rules) -> "HeldOut":
        """Return the test queries if there are some, else those that chose the
        model."""
        here = parts(splits)
        split = next(name for name in ("test", "valid", "train") if name in here)
        return cls(split, here[split], measure, rules)


class Popover(NamedTuple):
    """Blocks that are folded away, such as a way to take a list from the data.

    Attributes
    ----------
    blocks : function that gives a sequence of blocks
        Called when it is open.
    """

    title: str
    key: str
    blocks: Callable[[], Sequence["Block"]]


class Listing(NamedTuple):
    """A run of a list, and how it is drawn.

    Attributes
    ----------
    id, name : str
        The id is that of its pin; empty for a run that always stays, as it is.
    note : str
        What there is to know of it.
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
        The setting with their pins, as `rankcore.views.pins` writes them.
    pins : callable
        Gives that text from the present values, with every run of the list in it.
    removed : callable
        Gives what changes when a run is removed, from the present values and its id.
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
    | Edit
    | Go
    | Begin
    | TakeModel
    | Popover
    | Runs
    | Row
)


class Later(Sequence[Block]):
    """Blocks that are computed when they are first read, so that what stands before
    them is drawn already.

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
        Tables to export beside those of the panels: name → columns, rows, or a
        function that gives them.
    records : dict
        What is no table, exported as JSON: name → dictionary or function.
    files : dict
        Other files to export: file name → function that gives the content.
    command, python : str
        What gives the same in a terminal and in Python, where the view knows more than
        its link.
    refused : RefusedValue, optional
        The value of a link that what is shown does not have, such as an iteration after
        the end of a run; it is named in place of all figures.
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
        """Every table there is, by its name: facts, those of panels, and its own."""
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
    """Return the blocks, those in rows in place of their row."""
    flattened: list[Block] = []
    for block in blocks:
        if isinstance(block, Row):
            flattened += [inner for column in block.columns for inner in flat(column)]
        else:
            flattened.append(block)
    return flattened
