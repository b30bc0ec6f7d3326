"""Tables for papers: every text stands there as it is, numbers as they are declared."""

import csv
import doctest
import io
import re
import shutil
import string
import subprocess

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from rankcore.reports import Column, MarkedValue, ReportTable, tables
from rankcore.reports.tables import escape_latex, escape_markdown

pytestmark = pytest.mark.unit

ODD = [
    string.punctuation,
    "\\begin{document} $x_1$ 50 % & more # ~ ^",
    "--seed -- '' `` ,, <<a>> !` ?`",
    "[a] * (b)",
    "Δ λ ε σ ς ο Η ρ ≤ ≥ ± × − – — … ℓ ∞ 10⁻⁴ w₁ é ü ß ’ “”",
    "a\nb\tc\x00d",
]
SCORES = ReportTable(
    [
        "Algorithm",
        Column("nDCG@10", ".3f", best="highest"),
        Column("Error", ".2g", best="lowest"),
        "Features",
        "Linear",
    ],
    [
        ["RSRank", MarkedValue(0.5125, "†"), -0.012, 12, True],
        ["List_Net & co", 0.51249, None, np.int64(46), np.bool_(True)],
        ["LambdaMART", np.float64(0.4), np.nan, 46, False],
    ],
    caption="Mean nDCG@10 on test, 50 % of queries",
    note="† p < 0.05 against ListNet. Chosen on test data.",
)

LATEX = r"""% Needs \usepackage{booktabs}
\begin{table}
  \centering
  \caption{Mean nDCG@10 on test, 50 \% of queries}
  \begin{tabular}{lrrrl}
    \toprule
    Algorithm & nDCG@10 & Error & Features & Linear \\
    \midrule
    RSRank & \textbf{0.512}\textsuperscript{\dag{}} & \textbf{$-$0.012} & 12 & yes \\
    List\_Net \& co & \textbf{0.512} & -- & 46 & yes \\
    LambdaMART & 0.400 & -- & 46 & no \\
    \bottomrule
  \end{tabular}
  \par\smallskip \dag{} p \textless{} 0.05 against ListNet. Chosen on test data.
\end{table}
"""


def test_the_examples_of_the_docstrings_hold():
    assert doctest.testmod(tables).failed == 0


def test_latex_has_rules_marks_and_bold_for_what_is_written_like_the_best():
    assert SCORES.latex() == LATEX


def test_markdown_reads_back_as_a_table():
    parsed = MarkdownIt("js-default").enable("table").parse(SCORES.markdown())
    cells = [token.content for token in parsed if token.type == "inline"]

    assert cells[1:6] == ["Algorithm", "nDCG@10", "Error", "Features", "Linear"]
    assert cells[6:11] == [
        "RSRank", "**0.512**<sup>†</sup>", "**−0.012**", "12", "yes",
    ]  # fmt: skip
    assert cells[11:16] == ["List\\_Net &amp; co", "**0.512**", "–", "46", "yes"]
    assert cells[0].startswith("Mean nDCG@10")
    assert cells[-1].startswith("† p &lt; 0.05")


def test_csv_has_every_digit_and_marks_beside_their_numbers():
    rows = list(csv.reader(io.StringIO(SCORES.csv())))

    assert rows[0] == [
        "Algorithm", "nDCG@10", "nDCG@10 mark", "Error", "Features", "Linear",
    ]  # fmt: skip
    assert rows[1] == ["RSRank", "0.5125", "†", "-0.012", "12", "True"]
    assert rows[3] == ["LambdaMART", "0.4", "", "", "46", "False"]


@pytest.mark.parametrize("text", ODD)
def test_markdown_shows_texts_as_they_are(text):
    table = ReportTable([text, "b"], [[text, 1.0], ["x", 2.0]]).markdown()
    parsed = MarkdownIt("commonmark").enable("table").parse(table)
    inlines = [token for token in parsed if token.type == "inline"]
    shown = ["".join(child.content for child in inline.children) for inline in inlines]
    # A control character cannot stand in Markdown.
    expected = " ".join(text.split()).replace("\x00", "�")

    assert shown[0] == shown[2] == expected
    assert len(shown) == 6


@given(st.text(max_size=30))
def test_no_text_reaches_latex_as_a_command(text):
    written = escape_latex(text)
    mathematics = r"\$\\[A-Za-z]+\$|\$[-_^]?(\{[^\\{}$]*\})?\$"
    words = rf"\\[A-Za-z]+\{{\}}|{mathematics}|\\[{{}}$&#%_]|\{{[\[\]*]?\}}"

    assert not set(re.sub(words, "", written)) & set('\\{}$&#%_^~<>|"[]*\n\x00')


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("\\", r"\textbackslash{}"),
        ("{a}", r"\{a\}"),
        ("$&#%_", r"\$\&\#\%\_"),
        ("^~", r"\textasciicircum{}\textasciitilde{}"),
        ("a<b>c|d", r"a\textless{}b\textgreater{}c\textbar{}d"),
        ("--l1", "-{}-l1"),
        ("---", "-{}-{}-"),
        ("[1]*", "{[}1{]}{*}"),
        ("λ₁ ≥ 10⁻⁴", r"$\lambda$$_{1}$ $\geq$ 10$^{-}$$^{4}$"),
        ("ΔΑΗ", r"$\Delta$AH"),
        (" a\n b ", "a b"),
    ],
)
def test_latex_escapes(text, written):
    assert escape_latex(text) == written


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX is installed")
def test_latex_compiles(tmp_path):
    odd = ReportTable(
        ["Text", *ODD], [[text, *ODD] for text in ODD], caption=ODD[0], note=ODD[4]
    )
    body = odd.latex() + SCORES.latex()
    (tmp_path / "t.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs}\n\\begin{document}\n"
        f"{body}\\end{{document}}\n",
        "utf-8",
    )
    ended = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )

    assert ended.returncode == 0, ended.stdout[-2000:]


def test_tables_of_frames_rows_and_columns_are_the_same():
    frame = pd.DataFrame({"name": ["a", "b"], "value": [0.123456, 2.0]})
    same = {
        ReportTable.of(item, formats={"value": ".2f"}).markdown()
        for item in (frame, dict(frame.items()), frame.to_dict("records"))
    }

    assert len(same) == 1
    assert "0.12" in same.pop()


def test_rows_as_wide_as_the_columns_only():
    with pytest.raises(ValueError, match="Row 2 of the table has 1 values for 2"):
        ReportTable(["a", "b"], [[1, 2], [3]])


def test_escaped_markdown_stays_on_one_line():
    assert escape_markdown("a |\n b") == r"a \| b"


def test_a_wide_table_reads_each_row_as_often_as_a_narrow_one():
    class Row(list):
        times = 0

        def __iter__(self):
            self.times += 1
            return super().__iter__()

    narrow, wide = Row([0.5]), Row([0.5] * 40)
    for row in (narrow, wide):
        ReportTable([f"feature {n}" for n in range(len(row))], [row]).html()
    assert wide.times == narrow.times
