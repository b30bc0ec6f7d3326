"""CSV in which no text is a formula: of every export, and as it is read back."""

import ast
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcore import RankingDataset
from rankcore.algorithms.rsrank import RSRank
from rankcore.base.spreadsheets import csv_text, frame_csv, original, safe
from rankcore.data.judgements import read_judgements
from rankcore.data.readers import read
from rankcore.reports.formats import as_csv
from rankcore.reports.tables import ReportTable
from rankcore.studies.exports import export

ROOT = Path(__file__).parents[2]
FORMULAS = ("=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-x", "\t=1", "'=1", "＝1")


@pytest.mark.parametrize("text", FORMULAS)
def test_a_text_that_would_be_a_formula_stands_behind_an_apostrophe(text):
    assert safe(text) == f"'{text}"
    assert original(safe(text)) == text


@pytest.mark.parametrize(
    "value", ["-0.5", "+1e-05", "-3", ".5", "", "a=b", "'tis", "it's", -0.5, -3, None]
)
def test_numbers_and_other_texts_stay(value):
    assert safe(value) == value


@given(st.text(alphabet="'=+-@1.e\tx"))
def test_every_text_reads_back(text):
    assert original(safe(text)) == text


def firsts(text):
    """The first characters of all cells that are no numbers."""
    cells = pd.read_csv(io.StringIO(text), header=None, dtype=str).to_numpy().ravel()
    return {cell[0] for cell in cells if isinstance(cell, str) and safe(cell) != cell}


def test_no_export_has_a_formula():
    table = {"=name": ["=1", "-x"], "value": [-1.5, 2.0], "mixed": ["@a", -3]}
    X = np.random.default_rng(0).random((8, 2))
    data = RankingDataset.from_arrays(
        X, np.arange(8) % 3, np.repeat([0, 1], 4), feature_names=["=f", "g"]
    )
    model = RSRank(max_iter=2).fit_dataset(data)
    texts = [
        as_csv(table).decode(),
        frame_csv(pd.DataFrame(table).set_index("=name"), index=True),
        ReportTable.of(pd.DataFrame(table)).csv(),
        export(model, "csv"),
    ]
    for text in texts:
        assert firsts(text) <= {"'"}, text
        assert "'=" in text
    assert ",-1.5," in texts[0]
    assert ",-1.5," in texts[2]


def test_only_one_module_writes_csv():
    for path in [*(ROOT / "rankcore").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]:
        text = path.read_text("utf-8")
        if path.name == "spreadsheets.py" or "csv" not in text:
            continue
        calls = [
            ast.unparse(node.func)
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Call)
        ]
        assert not any(c == "csv.writer" or c.endswith(".to_csv") for c in calls), path


def test_tables_and_judgements_read_back_as_they_were():
    rows = [
        ("query", "document", "label", "=f", "text"),
        *(
            ("=q", f"-{text}", at % 3, -at / 2, text)
            for at, text in enumerate(FORMULAS)
        ),
    ]
    content = csv_text(rows).encode()
    data = read(content, name="x.csv", text="text")
    assert data.feature_names == ("=f",)
    assert data.query_ids == ("=q",)
    assert data.doc_ids == tuple(row[1] for row in rows[1:])
    assert data.doc_texts == FORMULAS
    np.testing.assert_array_equal(data.X[:, 0], [row[3] for row in rows[1:]])
    judged = read_judgements(csv_text(row[:3] for row in rows).encode(), name="j.csv")
    assert judged == {"=q": {row[1]: row[2] for row in rows[1:]}}
