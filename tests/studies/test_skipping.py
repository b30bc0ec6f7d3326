"""Lines that are skipped: the same ones, and the same scores, wherever parts begin."""

import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from rankcore import DataError, RankingDataset, RSRank, read_letor
from rankcore.data.formats.parts import part_sizes, source
from rankcore.studies import scores
from rankcore.studies.models import document_scores
from rankcore.studies.scores import Scored, score_file

FEATURES = ("f1", "f2")
MOST = 1000


@pytest.fixture(params=[None, "minmax"])
def model(request):
    """A model of two features, which may be scaled within queries."""
    rng = np.random.default_rng(0)
    data = RankingDataset.from_arrays(
        rng.random((40, 2)), rng.integers(0, 3, 40), np.repeat(np.arange(8), 5)
    )
    return RSRank(max_iter=3).fit_dataset(data.normalise(request.param))


class Row:
    """A row that a file is to have: ``None`` as a value makes it bad."""

    def __init__(self, query, document, values):
        self.query, self.document, self.values = query, document, values

    def letor(self):
        pairs = " ".join(
            f"{at}:{'x' if value is None else value}"
            for at, value in enumerate(self.values, start=1)
        )
        about = f" # {self.document}" if self.document else ""
        return f"0 qid:{self.query} {pairs}{about}"

    def csv(self):
        values = ["x" if value is None else value for value in self.values]
        return ",".join(map(str, [self.query, self.document, *values]))

    def log(self):
        pairs = zip(FEATURES, self.values, strict=True)
        logged = ",".join(f"{k}={'x' if v is None else v}" for k, v in pairs)
        about = {"qid": self.query, "id": self.document, "[features]": logged}
        return json.dumps(about)


def drawn(seed, named=True):
    """Rows, some of which are bad: a value that is none, a score that is not finite,
    another query's row within a query, and a document that comes twice."""
    rng = np.random.default_rng(seed)
    rows = []
    for query in range(rng.integers(3, 12)):
        for document in range(rng.integers(1, 8)):
            values = np.round(rng.random(2), 3).tolist()
            name = f"d{document}" if named else ""
            rows.append(Row(f"q{query}", name, values))
    queries = sorted({row.query for row in rows})
    for _ in range(rng.integers(0, 9)):
        at, kind = int(rng.integers(len(rows))), rng.integers(6)
        row = rows[at]
        other = queries[rng.integers(len(queries))]
        new = Row(row.query, f"e{len(rows)}" if named else "", [0.5, 0.5])
        if kind == 0:
            new.values[rng.integers(2)] = None
        elif kind == 1:
            new.values = [1e308, 1e308]
        elif kind == 2:
            new.query, new.values = other, [None, 0.5]
        elif kind == 3:
            new.query = other
        elif kind == 4:
            new.document = row.document
        else:
            new.query, new.values = f"n{at}", [0.5, None]
        rows.insert(at + int(rng.integers(2)), new)
    return rows


def expected(rows, model):
    """Scores by the rule, row by row, and the lines that are bad, counted from 0."""
    seen, last, good, bad = set(), None, [], []
    names = set()
    for line, row in enumerate(rows):
        if None in row.values or (row.query != last and row.query in seen):
            bad.append(line)
            continue
        if row.query != last:
            last, names = row.query, set()
            seen.add(last)
        name = row.document or f"d{len(names) + 1}"
        if name in names:
            bad.append(line)
            continue
        names.add(name)
        good.append((line, row))
    items = []
    for query in dict.fromkeys(row.query for _, row in good):
        results = [one for one in good if one[1].query == query]
        while results:
            text = "\n".join(row.letor() for _, row in results)
            data = read_letor(text.encode())
            values = document_scores(model, data)
            wrong = np.flatnonzero(~np.isfinite(values))
            if not len(wrong):
                names = data.doc_ids
                items += [(query, *one) for one in zip(names, values, strict=True)]
                break
            bad.append(results.pop(int(wrong[0]))[0])
    return items, sorted(bad)


def written(file, rows, ending, numbers=None):
    if ending == ".parquet":
        table = pd.DataFrame([(row.query, row.document, *row.values) for row in rows])
        table.columns = ["query", "docid", *FEATURES]
        table.to_parquet(file, row_group_size=7)
        return 1
    heading = f"query,docid,{','.join(FEATURES)}\n" if ending == ".csv" else ""
    how = {".txt": Row.letor, ".csv": Row.csv, ".ndjson": Row.log}[ending]
    file.write_text(heading + "".join(f"{how(row)}\n" for row in rows))
    return 1 + bool(heading)


@pytest.fixture
def in_parts(monkeypatch):
    """Have files read in parts of some bytes, or feature values."""
    monkeypatch.setattr(scores, "_SHARE", 1)

    def of(size):
        monkeypatch.setattr(part_sizes, "BYTES", size)
        monkeypatch.setattr(part_sizes, "CELLS", max(size // 16, 1))
        monkeypatch.setattr(source, "BLOCK", max(size, 16))

    return of


SIZES = (1, 24, 47, 93, 200, 600, 10**6)


@pytest.mark.parametrize("ending", [".txt", ".csv", ".ndjson", ".parquet"])
@pytest.mark.parametrize("seed", range(6))
def test_the_scores_do_not_depend_on_where_parts_begin(
    model, tmp_path, in_parts, ending, seed
):
    rows = drawn(seed, named=ending != ".txt" or seed % 2 == 0)
    file, out = tmp_path / f"new{ending}", tmp_path / "o.csv"
    first = written(file, rows, ending)
    wanted, bad = expected(rows, model)
    counts = Counter(query for query, *_ in wanted)
    for size in SIZES:
        in_parts(size)
        count = score_file(model, file, out, skip_bad=MOST)
        assert count == Scored(len(counts), len(wanted), len(bad)), size
        table = pd.read_csv(out, dtype={"query": str, "document": str})
        values = list(table.itertuples(index=False, name=None))
        assert [one[:2] for one in values] == [one[:2] for one in wanted], size
        assert [one[2] for one in values] == pytest.approx([one[2] for one in wanted])
    for number, line in enumerate(bad[:4]):
        for size in (1, 70, 10**6):
            in_parts(size)
            if not number:  # The order of problems is another where nothing is skipped.
                continue
            with pytest.raises(DataError) as caught:
                score_file(model, file, out, skip_bad=number)
            assert caught.value.line == line + first, size
