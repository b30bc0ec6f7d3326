"""Rankings in files as contenders beside trained models."""

import numpy as np
import pytest

from rankcore import ListNet, RankingDataset, load_dataset
from rankcore.data.rankings import read_rankings
from rankcore.measures import evaluate
from rankcore.studies.models import model_to_json, read_model
from rankcore.studies.results import SharedTerms
from rankcore.topics.compare.comparison import (
    compare,
    contenders,
    settings_that_differ,
    short_names,
)
from rankcore.topics.compare.models_figure import cost_figure
from rankcore.topics.compare.ranked_files import ranked_file
from tests.topics.compare.test_comparison import trained

DATA = RankingDataset.from_arrays(
    np.zeros((6, 1)), [0, 1, 2, 1, 0, 1], ["a", "a", "a", "b", "b", "c"],
    doc_ids=list("xyzxyx"), name="shop",
)  # fmt: skip
# z of a is not there, nor is query c; w and the query d are not in the data.
RUN = (
    b"a Q0 y 1 3 r\na Q0 w 2 2 r\na Q0 x 3 -5 r\nb Q0 x 1 1 r\nb Q0 y 2 9 r\n"
    b"d Q0 x 1 1 r\n"
)
TERMS = SharedTerms(data="shop", split="valid", ids=DATA.query_ids)


def ranked(text=RUN, data=DATA, name="bm25.run", key="ranking-1"):
    return ranked_file(key, name, read_rankings(text), data, ["RR", "nDCG@10"], TERMS)


def test_documents_that_are_not_in_the_file_rank_last():
    run = ranked()
    scores = run.scores(DATA)
    assert scores[[0, 1, 3, 4]].tolist() == [-5, 3, 1, 9]
    assert scores[2] < -5
    for number, query in enumerate("abc"):
        example = DATA.query(number)
        assert run.scores(example).tolist() == scores[example.slice].tolist(), query
    huge = ranked(b"a Q0 x 1 -1e308 r\na Q0 y 1 1e308 r\n")
    assert np.isfinite(huge.scores(DATA)).all()
    assert huge.scores(DATA)[2] < -1e308


def test_queries_that_are_not_in_the_file_have_no_value():
    run = ranked()
    assert run.queries["RR"][:2].tolist() == [1.0, 1 / 2]
    assert np.isnan(run.queries["RR"][2])
    assert run.reason == (
        "bm25.run ranks 2 of 3 validation queries of shop and 4 of their 5 documents; "
        "the other one ranks last; 1 document of its own is not in the data."
    )


def test_a_file_of_other_queries_says_so():
    run = ranked(b"q1 Q0 x 1 1 r\n")
    assert np.isnan(run.queries["RR"]).all()
    assert run.reason == (
        "bm25.run ranks none of the validation queries of shop: its first query is "
        "'q1', that of the data 'a'."
    )


def test_a_file_is_compared_with_models_but_has_none():
    model = trained([0.2, 0.4, 0.6], ids=("a", "b", "c"), l2=0.1)
    models = contenders([model, ranked(), ranked(key="ranking-2", name="new.run")])
    result = compare(models, "nDCG@10")
    assert sorted(result.names) == ["ListNet", "bm25.run", "new.run"]
    assert result.ids == ("a", "b")
    file = result.contenders[result.names.index("bm25.run")]
    assert not file.has_model
    assert file.chosen_text == "rankings without a model"
    assert file.scores(DATA).tolist() == file.first.scores(DATA).tolist()
    assert file.band("nDCG@10") is None
    with pytest.raises(ValueError, match=r"bm25\.run holds rankings without a model"):
        _ = file.first.ranker
    assert short_names(models)["bm25.run"] == "bm25.run"
    differing, _ = settings_that_differ(models)
    assert set(differing["bm25.run"].values()) == {"–"}
    assert set(differing["ListNet"].values()) == {"0.1"}


def test_a_file_has_no_cost():
    model = trained([0.2, 0.4, 0.6], ids=("a", "b", "c"), l2=0.1)
    result = compare(contenders([model, ranked()]), "nDCG@10")
    for over in ("features", "seconds"):
        picture = cost_figure(result, over)
        assert "bm25.run" not in picture.alt
        names = [trace["name"] for trace in picture.data if "name" in trace]
        assert names == ["ListNet"]


def test_a_file_of_equal_scores_ranks_nothing():
    assert ranked().ranks
    assert not ranked(b"c Q0 x 1 1 r\n").ranks


def test_a_model_of_a_file_is_measured_by_its_scores():
    data = RankingDataset.from_arrays(
        np.arange(12.0).reshape(6, 2) % 5, DATA.y, ["a", "a", "a", "b", "b", "c"],
        doc_ids=list("xyzxyx"), name="shop", feature_names=["price", "stars"],
    )  # fmt: skip
    text = b"## Coordinate Ascent\n## 2 is stars\n2:1.5\n"
    model = read_model(text, "mine.txt")
    run = ranked_file("model-1", "mine.txt", model, data, ["RR", "nDCG@10"], TERMS)
    assert not run.failed
    assert run.reason == "mine.txt scores 3 validation queries of shop."
    assert run.scores(data) == pytest.approx(1.5 * data.X[:, 1])
    assert run.scores(data.query(1)) == pytest.approx(1.5 * data.query(1).X[:, 1])
    assert run.queries["RR"] == pytest.approx(evaluate(data, data.X[:, 1], "RR")["RR"])
    scaled = run.measured(data.normalise("minmax"), "valid")
    assert scaled.reason.startswith(f"{run.reason} The data is scaled (minmax), and")
    others = contenders([trained([0.2, 0.4, 0.6], ids=("a", "b", "c"), l2=0.1), run])
    result = compare(others, "nDCG@10")
    assert sorted(result.names) == ["ListNet", "mine.txt"]
    with pytest.raises(ValueError, match="the Inspector explains"):
        _ = run.ranker


def test_a_model_of_other_features_fails_with_the_reason():
    ranker = ListNet(max_iter=1).fit_dataset(load_dataset("toy-2d").train)
    model = read_model(model_to_json(ranker).encode(), "mine.json")
    run = ranked_file("model-1", "mine.json", model, DATA, ["RR"], TERMS)
    assert run.failed
    assert "feature" in run.reason
