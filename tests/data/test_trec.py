"""TREC runs and qrels, read by trec_eval itself."""

import io
import zipfile

import numpy as np
import pytest
import pytrec_eval

from rankcore import RankingDataset, measures
from rankcore.data.trec import archive, qrels, trec_run

pytestmark = pytest.mark.unit


def read(dataset, scores):
    """What trec_eval reads: scores and labels by document, by query."""
    run = pytrec_eval.parse_run(trec_run(dataset, scores, "m").splitlines())
    return run, pytrec_eval.parse_qrel(qrels(dataset).splitlines())


def written_ranks(dataset, scores):
    """Query, then document → rank in the file."""
    settings = {}
    for line in trec_run(dataset, scores, "m").splitlines():
        query, q0, document, rank, _, tag = line.split(" ")
        assert (q0, tag) == ("Q0", "m")
        settings.setdefault(query, {})[document] = int(rank)
    return settings


def data(labels, qids=None, doc_ids=None):
    X = np.arange(len(labels), dtype=float)[:, None]
    return RankingDataset.from_arrays(X, labels, qids, doc_ids=doc_ids)


def test_trec_eval_measures_what_we_do(small):
    scores = np.random.default_rng(1).normal(size=small.n_documents)
    run, labels = read(small, scores)
    theirs = pytrec_eval.RelevanceEvaluator(labels, {"map", "P_5"}).evaluate(run)
    ours = measures.evaluate(small, scores, ["AP", "P@5"])

    assert [theirs[q]["map"] for q in small.query_ids] == pytest.approx(ours["AP"])
    assert [theirs[q]["P_5"] for q in small.query_ids] == pytest.approx(ours["P@5"])


@pytest.mark.parametrize(
    "scores",
    [
        [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        [0.5, 2.0, 2.0, -1.0, 0.5, 2.0],
        # Equal in single precision only.
        [0.1, 0.1 + 1e-12, 0.1 - 1e-12, 0.1 + 1e-3, 1e300, 1e301],
        [0.0, -0.0, 1e-60, -1e-60, 5.0, 5.0],
    ],
)
def test_ranks_are_those_that_trec_eval_comes_to(scores):
    names = ("d1", "d10", "d2", "ä", "Z", "z")
    dataset = data([1] * 6, doc_ids=names)
    run, _ = read(dataset, scores)
    ranks = {}
    for name in names:
        alone = {"1": {other: int(other == name) for other in names}}
        evaluator = pytrec_eval.RelevanceEvaluator(alone, {"recip_rank"})
        ranks[name] = round(1 / evaluator.evaluate(run)["1"]["recip_rank"])

    assert written_ranks(dataset, scores) == {"1": ranks}


def test_names_with_blanks_stay_one_word_and_apart():
    dataset = data(
        [2, 0, 1, 0, 1],
        ["q 1", "q 1", "q 1", "q_1", "q_1"],
        ["a b", "a_b", " a\tb", "x", " "],
    )
    run, labels = read(dataset, [3.0, 2.0, 1.0, 2.0, 1.0])

    assert run == {
        "q_1_1": {"a_b_1": 3.0, "a_b": 2.0, "a_b_3": 1.0},
        "q_1": {"x": 2.0, "_": 1.0},
    }
    assert labels == {
        "q_1_1": {"a_b_1": 2, "a_b": 0, "a_b_3": 1},
        "q_1": {"x": 0, "_": 1},
    }


def test_a_run_s_name_is_one_word():
    assert trec_run(data([1]), [2.0], "my model") == "1 Q0 d1 1 2.0 my_model\n"


@pytest.mark.parametrize("scores", [[1.0], [1.0, np.nan], [1.0, np.inf], [[1.0, 2.0]]])
def test_scores_that_no_run_can_hold_are_refused(scores):
    with pytest.raises(ValueError, match="needs one finite score for each of the 2"):
        trec_run(data([1, 0]), scores, "m")


def test_an_archive_has_its_files_and_no_time():
    files = {"a.trec": "1 Q0 é 1 0.5 m\n", "labels.qrels": ""}
    content = archive(files)
    with zipfile.ZipFile(io.BytesIO(content)) as written:
        names = written.namelist()
        assert {name: written.read(name).decode() for name in names} == files
        assert {one.date_time[0] for one in written.infolist()} == {1980}
