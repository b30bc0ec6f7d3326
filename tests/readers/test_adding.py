"""Adding a format of files, or a form of judgements, is a file."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from rankcore.data import formats

ROOT = Path(__file__).parents[2]
FORMAT = '''
"""Lines of grade, query, document and numbers, with bars between them."""

from rankcore.base.errors import DataError
from rankcore.data.dataset import RankingDataset
from rankcore.data.formats import Format, stem
from rankcore.data.formats.parts.faults import Fault, without
from rankcore.data.formats.parts.source import opened
from rankcore.data.formats.parts.text import numbered_lines

MARK = "%barred"


class Barred(Format):
    name = "Barred text"
    suffixes = (".barred",)

    def recognises(self, begin, options):
        return begin.startswith(MARK.encode())

    def read(self, source, *, name, gain, limits, skip_lines):
        with opened(source, name, limits, skip_lines) as given:
            rows = [self.row(name, *line) for line in self.lines(given)]
        grades, queries, documents, *values = zip(*rows)
        X, about = list(zip(*values)), {"doc_ids": documents, "name": stem(name)}
        data = RankingDataset.from_arrays(X, grades, queries, **about)
        return without(data, given.skip)

    def faults(self, file, source, gain, options):
        for line in self.lines(source):
            try:
                self.row(source.name, *line)
            except DataError as error:
                yield Fault(error, [error.line])

    def lines(self, source):
        for line, row in numbered_lines(source, "Give text"):
            if row and row != MARK:
                yield line, row

    def row(self, name, line, text):
        grade, query, document, *values = text.split("|")
        try:
            return int(grade), query, document, *map(float, values)
        except ValueError as error:
            raise DataError(str(error), "Write numbers", name, line, 1) from error
'''
FORM = '''
"""Judgements as arrows."""

from rankcore.data.judgements import Form, rows_of


class Arrows(Form):
    name = "arrows such as query > document > 2"

    def recognises(self, line):
        return line.count(" > ") == 2

    def rows(self, source, columns, query_texts):
        for line, row in rows_of(source):
            if row:
                yield line, row.split(" > "), (1, 2, 3)
'''
# Reads, shows, converts and examines files of the format, by Python and as commands.
PROGRAM = """
import contextlib, io, json
import rankcore
from rankcore import load_partitions
from rankcore.base.errors import DataError
from rankcore.cli import main
from rankcore.data.formats import suffixes
from rankcore.data.readers import find_problems, first_rows, read, read_judgements
from rankcore.data.readers.converting import convert
from rankcore.data.readers.recipes import Files

def command(*words):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        with contextlib.redirect_stderr(io.StringIO()) as err:
            with contextlib.suppress(SystemExit):
                main([*words, "--json"])
    return json.loads(out.getvalue() or "{}") or " ".join(err.getvalue().split())

data = read("shop.barred")
piped = read(open("shop.barred", "rb").read(), name="standard input")
convert("shop.barred", "parts")
parts = load_partitions("parts")
wrong = find_problems("wrong.barred")
try:
    read("shop.barred", label="f1")
except DataError as error:
    refused = error.problem
print(json.dumps({
    "package": rankcore.__file__,
    "read": [data.X.tolist(), data.y.tolist(), data.query_ids, data.name],
    "same": [x.fingerprint == data.fingerprint for x in (piped, parts)],
    "ignored": read("shop.barred", ignore=["f1"]).feature_names,
    "refused": refused,
    "rows": first_rows("shop.barred").rows[0],
    "problems": [[error.place for error in wrong.errors], wrong.lines],
    "skipped": read("wrong.barred", skip_lines=wrong.lines).n_documents,
    "python": Files({"train": "shop.barred"}).python("train"),
    "suffixes": suffixes(),
    "judged": read_judgements(b"mug > A-1 > 2"),
    "trained": command("train", "shop.barred", "LeastSquares", "--no-store"),
    "converted": command("convert", "shop.barred", "up"),
    "wrong": command("train", "wrong.barred", "LeastSquares", "--no-store"),
}))
"""
ROWS = [f"{n % 2}|{n // 4}|d{n}|{n / 2}|{n % 3}\n" for n in range(24)]


def test_a_format_and_a_form_of_judgements_are_a_file_each(tmp_path):
    """In a copy of the package, to which nothing but the two files is added."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "rankcore", tmp_path / "rankcore", ignore=ignored)
    (tmp_path / "rankcore/data/formats/barred.py").write_text(FORMAT)
    (tmp_path / "rankcore/data/judgements/arrows.py").write_text(FORM)
    (tmp_path / "shop.barred").write_text("".join(["%barred\n", *ROWS]))
    wrong = ["%barred\n", *ROWS[:3], "2|0|d9|many|1\n", *ROWS[3:]]
    (tmp_path / "wrong.barred").write_text("".join(wrong))

    run = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(
        run, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr[-2000:]
    loads = json.loads(done.stdout)

    X = [[n / 2, n % 3] for n in range(24)]
    place = "wrong.barred, line 5, column 1"
    assert Path(loads["package"]).is_relative_to(tmp_path)
    assert loads["read"] == [X, [0, 1] * 12, [*"012345"], "shop"]
    assert loads["same"] == [True, True]
    assert loads["ignored"] == ["f2"]
    assert loads["refused"].startswith("Barred text has no named columns")
    first = {"query": "0", "document": "d0", "label": 0, "f1": 0.0, "f2": 0.0}
    assert loads["rows"] == first
    assert loads["problems"] == [[place], [5]]
    assert loads["skipped"] == len(ROWS)
    assert loads["python"] == "read('shop.barred')"
    assert ".barred" in loads["suffixes"]
    assert loads["judged"] == {"mug": {"A-1": 2}}
    assert loads["trained"]["algorithm"] == "LeastSquares"
    assert loads["converted"]["documents"] == len(ROWS)
    assert place in loads["wrong"]


def test_the_longest_ending_of_a_name_tells_the_format(monkeypatch):
    class Nested(formats.Format):
        name, suffixes = "Nested text", (".nested.json", ".nested.txt")

    nested = Nested()
    every = (*formats.all_formats(), nested)
    monkeypatch.setattr(formats, "all_formats", lambda: every)
    monkeypatch.setattr(formats, "suffixes", formats.suffixes.__wrapped__)
    assert formats.of_name("a.NESTED.json.gz") is nested
    assert formats.of_name("a.nested.txt") is nested
    assert formats.of_name("a.json") is not nested
