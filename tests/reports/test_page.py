"""Reports: self-contained HTML that runs nothing but its own scripts."""

import gzip
import hashlib
import json
import re
from base64 import b64decode, b64encode
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import live_figure
from rankcore.plot import Picture, plotly_script
from rankcore.reports.markdown import html_of, mathml
from rankcore.reports.page import (
    PLANE,
    FolderReport,
    ReportView,
    ViewState,
    index,
    on_paper,
    page,
    script_beside,
)
from rankcore.views import (
    Act,
    Caption,
    DocumentTiles,
    Fact,
    Notice,
    Panel,
    Popover,
    Row,
    Shown,
    Table,
    Words,
)

pytestmark = pytest.mark.unit

NOTES = {
    "drag a score, or click it; arrow: force, open: near": "arrow: force, open: near",
    "shaded: Theorem 1 fails; drag the point": "shaded: Theorem 1 fails",
    "the ideal; click to explain, triangles: forces": "the ideal; triangles: forces",
    "Band: 95% interval; dotted: training. Click a point to select it, and again to "
    "open it.": "Band: 95% interval; dotted: training.",
    "drag, or arrow keys; + and − set the label": "",
    "squares: inside; drag to rotate": "squares: inside; drag to rotate",
    "drag z, u₁ or u₂; dotted: uᵀz = 0": "dotted: uᵀz = 0",
    "best 0.5. One line per model.": "best 0.5. One line per model.",
    "Select a row to select its cell; a link opens its settings.": "a link opens its "
    "settings.",
}

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(1)> & \"q\" 'a'"
VOID = {"meta", "input", "img", "source", "br", "hr"}


@pytest.mark.parametrize(("note", "printed"), NOTES.items())
def test_a_note_says_nothing_of_what_only_the_app_does(note, printed):
    assert on_paper(note) == printed
    shown = Shown([], [Panel("one", "One", note, Picture([], {}))])
    html = page("Title", [ReportView("View", "", [ViewState("", shown, shown)])])
    assert ("drag the point" in html, "click it" in html) == (False, False)


class Tree(HTMLParser):
    """Elements of a page, with what is in them as text; complains of wrong nesting."""

    def __init__(self, html):
        super().__init__()
        self.found, self.open, self.texts = [], [], {}
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in VOID and not tag.startswith("m"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not tag.startswith("m"):
            assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.texts[self.open[-1]] = self.texts.get(self.open[-1], "") + data

    def of(self, tag):
        return [attributes for name, attributes in self.found if name == tag]


def picture(colour="#111111", y=(1.0, np.nan, 3.0), alt="Three values."):
    x = np.arange(float(len(y)))
    trace = {"type": "scatter", "x": x, "y": list(y), "line": {"color": colour}}
    table = {"x": list(range(len(y))), "y": list(y)}
    return Picture([trace], {"height": 240, "title": {"text": EVIL}}, alt, table)


def shown(colour="#111111", **details):
    panel = Panel("one", "A figure", "its note", picture(colour, **details))
    return Shown([Fact("Mean", "0.5", "of 3")], [Row([[panel], [Caption("Said")]])])


def part(*scenes, **details):
    scenes = scenes or (ViewState("", shown(), shown("#eeeeee")),)
    return ReportView("A view", "A question?", scenes, **details)


def unpacked(html, key):
    (text,) = re.findall(rf'id="{key}">(.*?)</script>', html, re.DOTALL)
    return gzip.decompress(b64decode(text)).decode()


def data_of(html):
    return json.loads(unpacked(html, "data"))


def figures(html, scene=0):
    return data_of(html)["parts"]["part1"]["scenes"][scene]["figures"]


def test_a_report_has_figures_in_both_themes_their_texts_and_their_numbers():
    html = page("A report", [part()], "About it", "Made today")
    tree = Tree(html)
    (plot,) = [item for item in tree.of("div") if item.get("class") == "plot"]
    (link,) = [item for item in tree.of("a") if "download" in item]

    assert plot["role"] == "img"
    assert plot["aria-label"] == "Three values."
    assert figures(html)["one"]["light"]["data"][0]["line"]["color"] == "#111111"
    assert figures(html)["one"]["dark"]["data"][0]["line"]["color"] == "#eeeeee"
    # JSON has no NaN; plotly.js takes null for a gap.
    assert figures(html)["one"]["light"]["data"][0]["y"] == [1.0, None, 3.0]
    assert link["download"] == "a-figure.csv"
    (table,) = data_of(html)["tables"]
    assert table["csv"] == "x,y\n0,1.0\n1,nan\n2,3.0\n"
    assert table["html"].count("<tr>") == 4
    for text in ("A report", "About it", "A question?", "Mean", "of 3", "Made today"):
        assert text in html


def test_the_policy_permits_the_page_s_own_scripts_only():
    html = page("A report", [part()])
    policy = Tree(html).of("meta")[1]["content"]
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    hashes = {
        f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for text in (*scripts, unpacked(html, "plotly"))
    }
    rules = {rule.split()[0]: set(rule.split()[1:]) for rule in policy.split("; ")}

    assert len(scripts) == 1
    assert rules["default-src"] == {"'none'"}
    assert rules["script-src"] == hashes
    assert rules["img-src"] == {"data:", "blob:"}
    assert not {"src", "srcset"} & {
        name for _, result in Tree(html).found for name in result
    }


def test_no_text_becomes_markup():
    blocks = [
        Words(EVIL),
        Caption(EVIL),
        Notice(EVIL),
        Table("t", EVIL, EVIL, {EVIL: [EVIL, 1.0]}),
        DocumentTiles(EVIL, EVIL, [(EVIL, 1)], 2, 5),
        Popover(EVIL, "f", lambda: [Words(EVIL)]),
        Panel("p", EVIL, EVIL, picture(alt=EVIL)),
    ]
    result = Shown([Fact(EVIL, EVIL, EVIL)], blocks)
    html = page(
        EVIL,
        [
            ReportView(
                EVIL,
                EVIL,
                [ViewState(EVIL, result, result)] * 2,
                slider=EVIL,
                settings=[(EVIL, EVIL)],
                notes=[EVIL],
                explain={EVIL: EVIL},
                copies={EVIL: EVIL},
                question_after=EVIL,
                answer=EVIL,
            )
        ],
        EVIL,
        EVIL,
    )
    tree = Tree(html)

    assert not tree.of("img")
    assert len(tree.of("script")) == 3
    assert not [
        name for _, result in tree.found for name in result if name.startswith("on")
    ]


def test_equal_arrays_are_written_once():
    values = np.linspace(0, 1, 200)
    scenes = [
        ViewState(str(k), shown(y=values.tolist()), shown("#eeeeee", y=values.tolist()))
        for k in range(5)
    ]
    html = page("A report", [part(*scenes, slider="State", at=2)])

    # One of x, one of y, in five scenes and two themes.
    assert len(data_of(html)["arrays"]) == 2
    assert data_of(html)["parts"]["part1"]["at"] == 2
    assert [item["value"] for item in Tree(html).of("input")] == ["2"]


def test_the_scenes_of_an_answer_stand_beside_those_of_its_question():
    after = part(ViewState("", shown("#222222"), shown("#dddddd")))
    html = page("A lesson", [part(question_after="Why?", answer="So", answered=after)])
    part1 = data_of(html)["parts"]["part1"]

    for view, colour in ((part1, "#111111"), (part1["answered"], "#222222")):
        figure = view["scenes"][view["at"]]["figures"]["one"]["light"]
        assert figure["data"][0]["line"]["color"] == colour
    assert "answered" not in data_of(page("A view", [part()]))["parts"]["part1"]


def test_folds_that_act_on_the_app_are_left_out():
    tool = Popover("Take", "t", lambda: [Words("x"), Act("Take it", "a", {})])
    table = Popover("Look", "l", lambda: [Words("seen")])
    both = Shown(blocks=[tool, table])
    html = page("A report", [part(ViewState("", both, both))])

    assert "<summary>Look" in html
    assert "<summary>Take" not in html


def test_a_report_is_small_and_the_same_twice():
    html = page("A report", [part()])

    assert len(html) < 2_100_000
    assert html == page("A report", [part()])


def test_contents_say_what_each_part_is_about():
    result = part(question_after="Is $x$ < 2?\n\n- Yes\n- No", answer="Yes")
    html = page("A lesson", [part(), result])
    entries = re.findall("<li>.*?</li>", html.partition("</nav>")[0], re.DOTALL)

    assert "A view</a><p>A question?</p>" in entries[0]
    assert "<mi>x</mi>" in entries[1]
    assert "Yes" not in entries[1]


def test_contents_lead_to_each_part_and_back():
    tree = Tree(page("A lesson", [part(), part()._replace(title="Another <one>")]))
    links = [
        item["href"] for item in tree.of("a") if item.get("href", "").startswith("#")
    ]

    assert links == ["#part1", "#part2", "#contents", "#contents"]
    assert {item["id"] for item in tree.of("section")} == {"part1", "part2"}
    alone = Tree(page("A report", [part()]))
    assert not [item for item in alone.of("a") if item.get("href", "").startswith("#")]


def test_reports_of_a_folder_share_their_script():
    html = page("A report", [part()], script="plotly.js")

    assert len(html) < 50_000
    assert {"src": "plotly.js", "id": "plotly"} in Tree(html).of("script")
    head, packed, end = script_beside().split('"')
    assert (head, end) == ("document.currentScript.textContent = ", ";\n")
    assert gzip.decompress(b64decode(packed)).decode() == plotly_script()
    assert len(packed) < 2_000_000


@pytest.mark.parametrize(
    ("kind", "script", "small"),
    [("scatter", "", True), ("scatter3d", "", False), ("", "plotly.js", False)],
)
def test_a_file_has_the_bundle_for_the_plane_where_that_draws_all(kind, script, small):
    traces = [{"type": "bar", "y": [1.0]}, {"type": kind, "y": [1.0]}]
    panels = [Panel(t["type"], "A", "", Picture([t], {}, "B.")) for t in traces]
    state = ViewState("", Shown([], panels), Shown([], panels))
    html = page("A report", [part(state)], script=script, plane="draw()")
    plotly = "draw()" if small else plotly_script()

    digest = b64encode(hashlib.sha256(plotly.encode()).digest()).decode()
    assert digest in html
    assert script or unpacked(html, "plotly") == plotly


def test_the_bundle_for_the_plane_draws_the_same_figures_as_in_the_app():
    assets = Path(live_figure.__file__).with_name("assets")
    source = (assets / "figure.js").read_text("utf-8")
    (kinds,) = re.findall(r"PLANE = new Set\(\[(.*)\]\)", source)
    assert {*json.loads(f"[{kinds}]")} == PLANE


def test_an_index_leads_to_the_reports():
    report = FolderReport("a.html", "A <view>", "It shows *much*", "a.webp", "b.webp")
    tree = Tree(index("All", "About", {"Views": [report]}))

    assert [item["href"] for item in tree.of("a")] == ["a.html"]
    assert tree.of("source")[0]["srcset"] == "b.webp"
    assert not tree.of("script")


def test_markdown_has_formulas_tables_and_no_html():
    html = html_of("**a** $x_1 \\le 2$\n\n# Head\n\n|a|b|\n|-|-|\n|1|2|\n\n<b>no</b>")

    assert "<strong>a</strong>" in html
    assert "<msub><mi>x</mi><mn>1</mn></msub>" in html
    assert "<h4>Head</h4>" in html
    assert "<td>1</td>" in html
    assert "&lt;b&gt;" in html


def test_what_only_streamlit_reads_is_plain_text():
    assert html_of(":material/home: to :gray[a [b] c]") == "<p>to a [b] c</p>\n"


def test_links_to_scripts_are_no_links():
    assert "<a" not in html_of("[x](javascript:alert(1))")


def test_aligned_equations_have_a_row_each():
    assert mathml(r"\begin{aligned} a &= 1 \\ b &= 2 \end{aligned}").count("<mtr>") == 2
    assert "arg" in mathml(r"\arg\max_t x")


@pytest.mark.parametrize(
    "text", ["![a plot](https://example.org/a.png)", "![](//example.org/<b>.png)"]
)
def test_a_picture_of_a_note_is_its_text(text):
    """It would be fetched by everybody who opens the report."""
    result = html_of(f"before {text} after")
    assert "<img" not in result
    assert "![" in result
    assert "example.org" in result
