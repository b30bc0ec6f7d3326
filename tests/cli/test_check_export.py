"""Answers of search engines beside the scores that an export must give."""

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcore import RankingDataset, export
from rankcore.algorithms import get_algorithm
from rankcore.base.errors import DataError
from rankcore.studies.exports import check_answers, expected_scores, get_format
from tests.odd_texts import outcome, texts

CHECK = """query,document,bm25,age,score
1,P1,2.0,,1.5
1,P2,0.5,3.0,-40.0
2,P3,1.0,1.0,0.25
"""
SOLR = {
    "response": {
        "docs": [
            {"id": "P2", "score": -40.0001, "[features]": "bm25=0.5,age=3.0"},
            {"id": "P1", "score": 1.5, "[features]": "bm25=2.0,age=0.0"},
            {"id": "P9", "score": 7.0, "[features]": "bm25=1.0,age=1.0"},
        ]
    }
}


def explained(document, score, value, **features):
    """A hit as the plugin explains it; its own score is part of a sum."""
    details = [
        {"value": v, "description": f"Feature {number}({name}):", "details": []}
        for number, (name, v) in enumerate(features.items())
    ]
    model = {
        "value": value,
        "description": " LtrModel: shop using features:",
        "details": details,
    }
    whole = {"value": score, "description": "sum of:", "details": [model]}
    return {"_id": document, "_score": score, "_explanation": whole}


def answers_of(*hits, **more):
    return json.dumps({"hits": {"hits": hits}, **more})


def test_scores_agree_up_to_the_tolerance():
    first, second, third = check_answers(json.dumps(SOLR), CHECK)

    # 1e-4 is less than 1e-5 of 40; a missing value may count as 0.
    assert (first.agrees, second.agrees) == (True, True)
    assert not first.others
    assert (third.document, third.score, third.agrees) == ("P3", None, False)
    assert not check_answers(json.dumps(SOLR), CHECK, 1e-6)[1].agrees


def test_the_model_is_taken_out_of_an_explanation():
    hits = explained("P1", 9.5, 1.5, bm25=2.0), explained("P3", 9.0, 0.5, bm25=1.5)
    first, _, third = check_answers(answers_of(*hits), CHECK)

    assert (first.score, first.agrees) == (1.5, True)
    assert (third.score, third.agrees) == (0.5, False)
    assert third.others == {"bm25": (1.0, 1.5)}


def test_a_document_of_several_queries_needs_the_query():
    check = CHECK + "2,P1,2.0,1.0,3.5\n"
    hit = {"_id": "P1", "_score": 3.5}
    with pytest.raises(DataError, match=r"line 1, column 20: 'P1' is expected for 2"):
        check_answers(answers_of(hit), check)
    named = check_answers(answers_of(hit, qid="2"), check)
    assert [one.agrees for one in named] == [False, False, False, True]


@pytest.mark.parametrize(
    ("answers", "check", "complaint"),
    [
        ("{", CHECK, "answers, line 1, column 2: This is not JSON"),
        ('{"error": {"reason": "no index"}}', CHECK, r"with an error \(no index\)"),
        (answers_of({"_score": 1}), CHECK, "The document has no id"),
        ("{}", "", "scores, line 1: The columns are not query, document"),
        ("{}", CHECK.replace("1.5", "x"), "line 2, column score: 'x' is not a number"),
        ("{}", CHECK.replace(",1.5", ""), "line 2: The row has 4 cells, not 5"),
        ("{}", CHECK.partition("\n")[0], "line 1: There are no documents"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(answers, check, complaint):
    with pytest.raises(DataError, match=complaint):
        check_answers(answers, check)


@given(place=st.floats(0.0, 1.0), text=texts, of_check=st.booleans())
def test_damaged_answers_are_read_or_refused(place, text, of_check):
    both = [answers_of(explained("P1", 9.5, 1.5, bm25=2.0)), CHECK]
    begin = int(place * len(both[of_check]))
    both[of_check] = both[of_check][:begin] + text + both[of_check][begin + 3 :]
    checked, sentence = outcome(
        check_answers, *(one.encode("utf-8", "replace") for one in both)
    )
    assert sentence is None or len(sentence) < 600
    assert checked is None or all(one.document is not None for one in checked)


def test_the_command_says_what_differs(rankscope, tmp_path):
    """From an export with its check to the answer of an engine that loaded it."""
    X = np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.0]])
    data = RankingDataset.from_arrays(X, [0, 1, 2], [7, 7, 7])
    model = get_algorithm("LeastSquares")().fit_dataset(data)
    chosen = get_format("elasticsearch")
    weights = json.loads(
        json.loads(export(model, chosen.name))["model"]["model"]["definition"]
    )
    names = chosen.feature_names(data.feature_names)
    scores = X @ [weights[name] for name in names]
    check, answer = tmp_path / "a.check.csv", tmp_path / "answer.json"
    check.write_text(expected_scores(model, chosen, data))
    ids = data.query(0).doc_ids
    hits = [
        explained(name, 1.0, float(np.float32(score)), f1=float(x[0]), f2=float(x[1]))
        for name, score, x in zip(ids, scores, X, strict=True)
    ]
    answer.write_text(answers_of(*hits))

    ended = rankscope("check-export", answer, check)
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "All 3 scores agree.")
    hits[0] = explained(ids[0], 1.0, 99.0, f1=1.5, f2=2.0)
    hits[1] = explained(ids[1], 1.0, 99.0, f1=0.5, f2=-1.0)
    answer.write_text(answers_of(*hits[:2]))
    ended = rankscope("check-export", answer, check)
    assert ended.code == 1
    assert f"7      {ids[0]}" in ended.out.partition("Features that differ")[2]
    for words in (
        "1 of 3 documents without a score in the answer",
        "1 document with other features",
        "1 score that differs with the same features",
    ):
        assert words in ended.err
    hits[0] = explained(ids[0], 1.0, float(scores[0]), f1=1.5, f2=2.0)
    answer.write_text(answers_of(hits[0], *hits[2:]))
    ended = rankscope("check-export", answer, check)
    assert (ended.code, "1 document with other features" in ended.err) == (1, True)
    hits[0] = explained(ids[0], 1.0, 99.0, f1=1.5, f2=2.0)
    answer.write_text(answers_of(*hits[:2]))
    result = rankscope("check-export", answer, check, "--json")
    assert [one["agrees"] for one in result.json["documents"]] == [False] * 3


@contextmanager
def engine(answer):
    """The address of a search engine that answers so."""

    class Engine(BaseHTTPRequestHandler):
        def do_GET(self):
            answer(self)

        def log_message(self, *words):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Engine) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/select"
        server.shutdown()


def test_an_address_is_asked(rankscope, tmp_path):
    def answer(request):
        result = request.path == "/select?q=id"
        request.send_response(200 if result else 404)
        request.end_headers()
        request.wfile.write(json.dumps(SOLR).encode() if result else b"{}")

    (tmp_path / "a.check.csv").write_text(CHECK.replace("2,P3,1.0,1.0,0.25\n", ""))
    with engine(answer) as address:
        ended = rankscope("check-export", f"{address}?q=id", tmp_path / "a.check.csv")
        refused = rankscope("check-export", address, tmp_path / "a.check.csv")
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "All 2 scores agree.")
    assert (refused.code, "returned status 404" in refused.err) == (1, True)


def test_an_answer_that_breaks_off_is_refused(rankscope, tmp_path):
    (tmp_path / "a.check.csv").write_text(CHECK)
    with engine(lambda one: one.wfile.write(b"no answer of HTTP\r\n\r\n")) as address:
        ended = rankscope("check-export", address, tmp_path / "a.check.csv")
    assert ended.code == 1
    assert f"{address} cannot be read (no answer of HTTP" in ended.err


def test_a_score_beyond_all_numbers_is_none():
    answers = answers_of({"_id": "P1", "_score": 10**400})
    assert check_answers(answers, CHECK)[0].score is None


@pytest.mark.parametrize(
    "address",
    ["ftp://127.0.0.1/a", "http://127.0.0.1:9/a", "http://a b/", "http://a:x/"],
)
def test_an_address_that_gives_nothing_is_refused(rankscope, tmp_path, address):
    (tmp_path / "a.check.csv").write_text(CHECK)
    ended = rankscope("check-export", address, tmp_path / "a.check.csv")
    assert ended.code == 1
    assert ended.err.startswith(f"rankscope: {address} ")
    assert "internal error" not in ended.err
