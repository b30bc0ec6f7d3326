"""A report: views with their figures, texts and numbers in one HTML file.

The file needs no network and no other file, follows the reader's light or dark theme,
and runs no script but its own, as its content security policy says. If a view has
several states, such as the iterations of a run, a slider selects one. Large parts
(plotly.js, the figures' numbers, and tables) are compressed, and the browser unpacks
them.
"""

import gzip
import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import singledispatchmethod
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from rankcore import views
from rankcore.base.numbers import plain
from rankcore.plot import packed, plotly_script
from rankcore.plot.palette import DARK, LIGHT
from rankcore.reports.formats import as_csv
from rankcore.reports.markdown import html_of
from rankcore.reports.tables import ReportTable
from rankcore.topics.inspect.chips_figure import chips
from rankcore.views.blocks import NOTHING

ASSETS = Path(__file__).parent / "assets"
THEMES = ("light", "dark")
# Types of traces that Plotly's bundle for the plane draws, in the app too.
PLANE = frozenset({"bar", "contour", "heatmap", "scatter"})
# Smallest arrow drawn, as a share of the largest.
SMALL_FORCE = 0.05
# Visible rows of a table; its file has all.
MOST_ROWS = 200
# Link from a section to the list of all.
BACK = ' <a class="back" href="#contents">Contents</a>'
# Paragraph separator in Markdown.
PARAGRAPH = "\n\n"
# Beginnings of notes about a figure's pointer actions.
_ACT = re.compile(r"drag (?!to rotate)|drag,|click |select a |[+] and −", re.IGNORECASE)
# Shorter arrays are not worth a separate name.
SHARED = 200


class ViewState(NamedTuple):
    """A state of a view.

    Attributes
    ----------
    label : str
        Text beside the slider, such as ``"iteration 12"``.
    light, dark : Shown
        The view in the colours of each theme, otherwise equal.
    """

    label: str
    light: views.Shown
    dark: views.Shown


class ReportView(NamedTuple):
    """A view in a report.

    Attributes
    ----------
    title, question : str
        Title and question; the title may be empty if it is the report's.
    scenes : sequence of ViewState
        One state, or the states of the slider.
    slider : str
        Name of the setting that the slider changes.
    at : int
        Index of the scene shown first.
    settings : sequence of (str, str)
        Names and values of settings, such as data, split, seed, measure and convention.
    notes : sequence of str
        Notes for the reader in Markdown, such as why a study has not ended.
    explain : dict
        Title → Markdown.
    copies : dict
        Ways to reproduce the view, by name: link, command, Python.
    question_after, answer : str
        Question and answer of a lesson's step, in Markdown.
    answered : ReportView, optional
        View whose scenes are shown while the answer is open; by default this one.
    """

    title: str
    question: str
    scenes: Sequence[ViewState]
    slider: str = ""
    at: int = 0
    settings: Sequence[tuple[str, str]] = ()
    notes: Sequence[str] = ()
    explain: Mapping[str, str] = NOTHING
    copies: Mapping[str, str] = NOTHING
    question_after: str = ""
    answer: str = ""
    answered: "ReportView | None" = None

    def changed(
        self, change: Callable[[views.Shown], views.Shown], at: int | None = None
    ) -> "ReportView":
        """Return the view with all scenes changed, or only the one at an index."""
        scenes = [
            scene._replace(light=change(scene.light), dark=change(scene.dark))
            if at in (None, place)
            else scene
            for place, scene in enumerate(self.scenes)
        ]
        return self._replace(scenes=scenes)


class Component(NamedTuple):
    """A browser script that draws a kind of block other than figures.

    Attributes
    ----------
    script : str
        A module whose default export is ``function ({ parentElement, data })``.
    """

    script: str
    style: str


def page(
    title: str,
    parts: Sequence[ReportView],
    summary: str = "",
    origin: str = "",
    script: str = "",
    components: Mapping[str, Component] = NOTHING,
    plane: str = "",
) -> str:
    """Return one HTML file.

    Parameters
    ----------
    summary : str
        Text below the title, in Markdown.
    origin : str
        Program and time, shown at the end.
    script : str
        Path of `script_beside` relative to the file, for a folder of many reports; by
        default plotly.js is embedded in the file.
    components : dict of str to Component
        Components that draw blocks such as `rankcore.views.Toy`, by name of the kind.
    plane : str
        Smaller bundle of plotly.js, embedded instead if it draws all figures.
    """
    contents = _contents(parts) if len(parts) > 1 else ""
    writer = _Writer(BACK if contents else "")
    body = "".join(writer.part(f"part{n}", part) for n, part in enumerate(parts, 1))
    small = plane and not script and writer.types <= PLANE
    plotly = plane if small else plotly_script()
    page_script = (ASSETS / "page.js").read_text("utf-8")
    data = _compressed("data", writer.data())
    loaded = f'<script src="{escape(script)}" id="plotly"></script>\n'
    if not script:
        loaded = _compressed("plotly", plotly)
    kinds = [kind for kind in writer.kinds if kind in components]
    scripts = [_component(kind, components[kind]) for kind in kinds]
    return _document(
        title,
        summary,
        contents + body,
        origin,
        data + loaded,
        [*scripts, page_script],
        [plotly],
        alone=not script,
    )


def _contents(parts: Sequence[ReportView]) -> str:
    """Return a list of all sections with their questions."""
    questions = ((part.question_after or part.question) for part in parts)
    items = "".join(
        f'<li><a href="#part{n}">{escape(part.title)}</a>'
        f"{html_of(text.partition(PARAGRAPH)[0])}</li>"
        for n, (part, text) in enumerate(zip(parts, questions, strict=True), 1)
    )
    return (
        f'<nav id="contents" aria-label="Contents"><h2>Contents</h2><ul>{items}</ul>'
        "</nav>"
    )


def script_beside() -> str:
    """Return the script shared by the reports of a folder: it fills its script element
    with plotly.js, compressed to less than half its size."""
    return f'document.currentScript.textContent = "{_packed(plotly_script())}";\n'


def _packed(text: str) -> str:
    """Return a text compressed for the browser, deterministically."""
    return b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _compressed(key: str, text: str) -> str:
    return f'<script type="application/gzip" id="{key}">{_packed(text)}</script>\n'


class FolderReport(NamedTuple):
    """A report in a folder.

    Attributes
    ----------
    light, dark : str
        Picture files for each theme, or empty.
    """

    file: str
    title: str
    summary: str
    light: str = ""
    dark: str = ""


def index(
    title: str,
    summary: str,
    groups: Mapping[str, Sequence[FolderReport]],
    origin: str = "",
) -> str:
    """Return the index page of a folder of reports, in titled groups."""
    body = "".join(
        f'<section class="part"><h2>{escape(name)}</h2><ul class="gallery">'
        f"{''.join(map(_card, entries))}</ul></section>"
        for name, entries in groups.items()
    )
    return _document(title, summary, body, origin, alone=False)


def _card(entry: FolderReport) -> str:
    picture = ""
    if entry.light:
        media = 'media="(prefers-color-scheme:dark)"'
        dark = f'<source srcset="{escape(entry.dark)}" {media}>' if entry.dark else ""
        picture = f'<picture>{dark}<img src="{escape(entry.light)}" alt=""></picture>'
    return (
        f'<li><a href="{escape(entry.file)}">{escape(entry.title)}</a>'
        f"{html_of(entry.summary)}{picture}</li>"
    )


def _document(
    title: str,
    summary: str,
    body: str,
    origin: str,
    data: str = "",
    scripts: Sequence[str] = (),
    unpacked: Sequence[str] = (),
    alone: bool = True,
) -> str:
    """Return a whole HTML file; it runs only these scripts and those that they unpack,
    and loads files beside it unless it is standalone."""
    inlined = "".join(f"<script>{_inline(text)}</script>\n" for text in scripts)
    # Sources for pages on a server, and for files in a folder.
    beside = "" if alone else "'self' file: "
    hashes = _hashes([*map(_inline, scripts), *unpacked])
    allowed = f"{beside}{hashes}".strip() or "'none'"
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {allowed}",
            "style-src 'unsafe-inline'",
            f"img-src {beside}data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    style = (ASSETS / "page.css").read_text("utf-8")
    return (
        '<!doctype html>\n<html lang="en-GB">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n"
        f"<style>{_colours()}\n{style}</style>\n</head>\n<body>\n"
        f"<header><h1>{escape(title)}</h1>{html_of(summary)}</header>\n"
        f"<main>{body}</main>\n<footer><p>{escape(origin)}</p></footer>\n"
        f"{data}{inlined}</body>\n</html>\n"
    )


def as_json(value: Any) -> str:
    """Return JSON for a script element, without ``<``."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028")


class _Writer:
    """Writer of blocks as HTML, and of the data of figures and tables; equal arrays are
    stored once.

    Attributes
    ----------
    kinds : dict
        Kinds of blocks that components draw, as keys in order.
    types : set of str
        Types of the traces of all figures.
    """

    def __init__(self, back: str) -> None:
        self.back = back
        self.arrays: dict[str, Any] = {}
        self.kinds: dict[str, None] = {}
        self.types: set[str] = set()
        self.parts: dict[str, dict[str, Any]] = {}
        self.tables: list[dict[str, str]] = []

    def data(self) -> str:
        """Return the data for the script as JSON."""
        every = {"arrays": self.arrays, "parts": self.parts, "tables": self.tables}
        return as_json(every)

    def part(self, key: str, part: ReportView) -> str:
        """Return the section of a view."""
        answered = part.answered or part
        frames = [*map(self._scene, part.scenes)]
        states: dict[str, Any] = {"scenes": frames, "at": part.at}
        first = frames[part.at]
        self.parts[key] = states
        if part.answered:
            scenes = [*map(self._scene, answered.scenes)]
            states["answered"] = {"scenes": scenes, "at": answered.at}
        slider = ""
        if len(part.scenes) > 1:
            end, text = len(part.scenes) - 1, escape(first["label"])
            slider = (
                f'<label class="slider">{escape(part.slider)} <input type="range" '
                f'min="0" max="{end}" value="{part.at}"><output>{text}</output></label>'
            )
        title = f"<h2>{escape(part.title)}{self.back}</h2>" if part.title else ""
        notes = "".join(f'<div class="note">{html_of(n)}</div>' for n in part.notes)
        after = ""
        if part.question_after:
            after = (
                f'<div class="asked">{html_of(part.question_after)}'
                f"{_details('Answer', html_of(part.answer))}</div>"
            )
        return (
            f'<section class="part" id="{key}">{title}'
            f'<div class="question">{html_of(part.question)}</div>{notes}{slider}'
            f'<div class="stage">{first["html"]}</div>{after}'
            f"{_settings(part.settings)}{self._tables(answered.scenes[answered.at].light)}{_explained(part.explain)}{_copies(part.copies)}</section>\n"
        )

    def _tables(self, shown: views.Shown) -> str:
        """Return a collapsible section for each figure's numbers, which the script
        fills with a table and a file."""
        folds = []
        for name, table in shown.exports().items():
            content = table() if callable(table) else table
            if name == "Facts" or content is None:
                continue
            whole = ReportTable.of(content)
            if not whole.rows:
                continue
            head = ReportTable(whole.columns, whole.rows[:MOST_ROWS])
            hidden = len(whole.rows) - len(head.rows)
            more = f"<p>{hidden} more rows are in the file.</p>" if hidden > 0 else ""
            file = re.sub(r"\W+", "-", name.lower()).strip("-") or "table"
            folds.append(
                _details(
                    f"Data: {name}",
                    f'<p><a download="{escape(file)}.csv">Save as CSV</a></p>'
                    f'<div data-table="{len(self.tables)}"></div>{more}',
                )
            )
            csv, html = as_csv(content).decode(), _scrolled(head.html())
            self.tables.append({"csv": csv, "html": html})
        return "".join(folds)

    def _scene(self, scene: ViewState) -> dict[str, Any]:
        themes = _panels(scene.light.blocks), _panels(scene.dark.blocks)
        figures = {
            panel.key: {
                "light": self._figure(panel),
                "dark": self._figure(other),
                "alt": panel.picture.alt,
            }
            for panel, other in zip(*themes, strict=True)
        }
        # Themes differ only in the colours of figures.
        html = _facts(scene.light.facts) + self._all(scene.light.blocks)
        return {"label": scene.label, "html": html, "figures": figures}

    def _figure(self, panel: views.Panel) -> dict[str, Any]:
        picture = panel.picture
        self.types.update(trace.get("type", "") for trace in picture.data)
        return {
            "data": self._shared(plain(packed(picture.data), digits=17)),
            "layout": self._shared(plain(packed(picture.layout), digits=17)),
        }

    def _shared(self, value: Any) -> Any:
        """Return a value with large parts replaced by their names in ``arrays``."""
        if isinstance(value, dict) and "bdata" not in value:
            return {name: self._shared(part) for name, part in value.items()}
        if not isinstance(value, dict | list):
            return value
        text = as_json(value)
        if len(text) < SHARED or (isinstance(value, list) and _holds(value)):
            return value if isinstance(value, dict) else [*map(self._shared, value)]
        name = hashlib.blake2b(text.encode(), digest_size=9).hexdigest()
        self.arrays.setdefault(name, value)
        return {"shared": name}

    def _all(self, blocks: Sequence[views.Block]) -> str:
        return "".join(self._block(block) for block in blocks)

    @singledispatchmethod
    def _block(self, block: Any) -> str:
        """Return one block, without controls, buttons and other actions of the app."""
        return ""

    @_block.register
    def _panel(self, block: views.Panel) -> str:
        height = int(block.picture.layout.get("height", 400))
        return (
            f"<figure>{_heading(block.title, block.note)}"
            f'<div class="plot" role="img" data-key="{escape(block.key)}" '
            f'aria-label="{escape(block.picture.alt)}" style="height:{height}px"></div>'
            "</figure>"
        )

    @_block.register
    def _toy(self, block: views.Toy) -> str:
        kind = type(block).__name__
        self.kinds[kind] = None
        data = escape(as_json(dict(block.data)))
        return f'<div class="component" data-kind="{kind}" data-data="{data}"></div>'

    @_block.register
    def _row(self, block: views.Row) -> str:
        widths = block.widths or [1] * len(block.columns)
        columns = "".join(
            f'<div style="flex:{width} 1 {width * 60}px">{self._all(column)}</div>'
            for width, column in zip(widths, block.columns, strict=True)
        )
        return f'<div class="row">{columns}</div>'

    @_block.register
    def _popover(self, block: views.Popover) -> str:
        inner = self._all(_unfolded(block))
        return _details(block.title, inner) if inner else ""

    @_block.register
    def _words(self, block: views.Words) -> str:
        return html_of(block.text)

    @_block.register
    def _caption(self, block: views.Caption) -> str:
        return f'<div class="caption">{html_of(block.text)}</div>'

    @_block.register
    def _notice(self, block: views.Notice) -> str:
        return f'<div class="note">{html_of(block.text)}</div>'

    @_block.register
    def _table(self, block: views.Table) -> str:
        formats = {name: text.lstrip("%") for name, text in block.formats.items()}
        table = ReportTable.of(block.rows, formats=formats).html()
        return f"{_heading(block.title, block.note)}{_scrolled(table)}"

    @_block.register
    def _tiles(self, block: views.Tiles) -> str:
        orders = [block.ranking, *block.others]
        light, dark = (
            chips(orders, block.rows, palette, block.heads) for palette in (LIGHT, DARK)
        )
        names = [head["name"] for head in light["heads"]] or ["order"]
        names += ["ideal order"] * (light["columns"] - len(names))
        columns = [self._column(name, at, light, dark) for at, name in enumerate(names)]
        caption = f'<p class="caption">{escape(block.alt)}</p>'
        rankings = f'<div class="tiles">{"".join(columns)}</div>'
        return f"{_heading(block.title, block.note)}{rankings}{caption}"

    def _column(self, name: str, at: int, *themes: Mapping[str, Any]) -> str:
        """Return one order of a query's documents as chips."""
        light, dark = themes
        pairs = zip(light["documents"], dark["documents"], strict=True)
        placed = sorted(pairs, key=lambda pair: pair[0]["places"][at])
        items = "".join(
            _chip(
                f"{one['short']} · {one['label']}{_arrow(one, at)}",
                one["titles"][at],
                one,
                other,
            )
            for one, other in placed
            if one["places"][at] < light["rows"]
        )
        return f"<div><h4>{escape(name)}</h4><ol>{items}</ol></div>"

    @_block.register
    def _document_tiles(self, block: views.DocumentTiles) -> str:
        both = zip(block.tiles(LIGHT), block.tiles(DARK), block.documents, strict=False)
        items = "".join(
            _chip(
                text,
                name,
                {"colour": light, "ink": on_light},
                {"colour": dark, "ink": on_dark},
            )
            for (text, light, on_light), (_, dark, on_dark), (name, _) in both
        )
        more = len(block.documents) - block.most
        caption = f'<p class="caption">and {more} more</p>' if more > 0 else ""
        tiles = f'<div class="tiles"><ol>{items}</ol></div>{caption}'
        return f"{_heading(block.title, block.note)}{tiles}"

    @_block.register
    def _runs(self, block: views.Runs) -> str:
        items = "".join(
            f'<li><b style="color:{escape(row.colour)}">■</b> {escape(row.name)} '
            f"<small>{escape(row.note)}</small></li>"
            for row in block.rows
        )
        return f"{_heading(block.title, block.note)}<ul class='runs'>{items}</ul>"


def _unfolded(block: views.Popover) -> Sequence[views.Block]:
    """Return the content of a popover; nothing if it acts in the app, such as loading a
    list from the data."""
    blocks = block.blocks()
    return (
        []
        if any(isinstance(one, views.Act | views.Ask) for one in views.flat(blocks))
        else blocks
    )


def _panels(blocks: Sequence[views.Block]) -> list[views.Panel]:
    """Return the figures of blocks, including those in popovers."""
    panels: list[views.Panel] = []
    for one in views.flat(blocks):
        if isinstance(one, views.Panel):
            panels.append(one)
        elif isinstance(one, views.Popover):
            panels += _panels(_unfolded(one))
    return panels


def _arrow(document: Mapping[str, Any], order: int) -> str:
    """Return the direction of the force on a document of the first order; empty if it
    is small."""
    force = document.get("force", 0.0) if order == 0 else 0.0
    return "" if abs(force) < SMALL_FORCE else " ↑" if force > 0.0 else " ↓"


def _component(kind: str, component: Component) -> str:
    """Return a script that adds a component to the page."""
    source = component.script.replace(
        "export default function", "const draw = function"
    )
    parts = f"{{ draw, style: {as_json(component.style)} }}"
    return f"(() => {{ {source};\n(window.components ??= {{}}).{kind} = {parts}; }})();"


def _holds(values: Sequence[Any]) -> bool:
    """Return whether a list has parts that may be shared."""
    return any(isinstance(value, dict) for value in values)


def _chip(
    text: str, title: str, light: Mapping[str, str], dark: Mapping[str, str]
) -> str:
    style = (
        f"--fill:{light['colour']};--ink:{light['ink']};"
        f"--fill-dark:{dark['colour']};--ink-dark:{dark['ink']}"
    )
    return f'<li style="{style}" title="{escape(title)}">{escape(text)}</li>'


def on_paper(note: str) -> str:
    """Return the note of a figure without actions of the app: only there can points be
    dragged and clicked, while 3D figures rotate in the file, too."""
    sentences = []
    for sentence in re.split(r"(?<=[.]) ", note):
        clauses = [_without_act(clause) for clause in sentence.split("; ")]
        sentences.append("; ".join(filter(None, clauses)))
    return " ".join(filter(None, sentences))


def _without_act(clause: str) -> str:
    if not _ACT.match(clause):
        return clause
    _, _, key = clause.partition(", ")
    return key if ": " in key else ""


def _heading(title: str, note: str = "") -> str:
    note = on_paper(note)
    small = f" <small>{escape(note)}</small>" if note else ""
    return f"<h3>{escape(title)}{small}</h3>"


def _details(title: str, html: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{html}</details>"


def _scrolled(html: str) -> str:
    return f'<div class="scrolled" tabindex="0">{html}</div>'


def _facts(facts: Sequence[views.Fact]) -> str:
    cells = "".join(
        f"<div><dt>{escape(fact.meaning)}</dt><dd>{escape(fact.number)}"
        f"<small>{escape(fact.note)}</small></dd></div>"
        for fact in facts
    )
    return f'<dl class="facts">{cells}</dl>' if cells else ""


def _settings(settings: Sequence[tuple[str, str]]) -> str:
    rows = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in settings
    )
    return f'<h3>Settings</h3><dl class="settings">{rows}</dl>' if rows else ""


def _explained(explain: Mapping[str, str]) -> str:
    return "".join(_details(title, html_of(text)) for title, text in explain.items())


def _copies(copies: Mapping[str, str]) -> str:
    inner = "".join(
        f"<h4>{escape(name)}</h4><pre><code>{escape(text)}</code></pre>"
        for name, text in copies.items()
    )
    return _details("Reproduce this", inner) if inner else ""


def _inline(script: str) -> str:
    """Return a script for embedding, in which nothing ends the script element."""
    return re.sub(r"</(?=script)", r"<\\/", script, flags=re.IGNORECASE)


def _hashes(scripts: Sequence[str]) -> str:
    """Return the hashes of the scripts that a page may run."""
    digests = [hashlib.sha256(text.encode()).digest() for text in scripts]
    hashes = [f"'sha256-{b64encode(digest).decode()}'" for digest in digests]
    return " ".join(hashes)


def _colours() -> str:
    """Return the two palettes as custom properties."""
    light, dark = (
        ";".join(
            f"--{name}:{getattr(palette, name)}"
            for name in ("background", "panel", "line", "ink", "secondary", "primary")
        )
        for palette in (LIGHT, DARK)
    )
    return (
        f":root{{color-scheme:light dark;{light}}}\n"
        f"@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"
    )
