"""Importance: permutation within the query, and training again without a feature."""

import numpy as np
import pytest

from rankcore import RankingDataset, measures, save_model
from rankcore.algorithms import get_algorithm
from rankcore.studies.importance import partners, permuted, refitted
from rankcore.studies.models import document_scores, read_model


@pytest.fixture(scope="module")
def data():
    """The first feature is the label, the second nearly the first, the third noise, and
    the fourth is constant within each query."""
    rng = np.random.default_rng(4)
    labels, queries = rng.integers(0, 3, 60), np.repeat(np.arange(10), 6)
    X = np.column_stack([labels, labels, rng.normal(size=60), queries]).astype(float)
    X[:, 1] += 0.1 * rng.normal(size=60)
    names = ["signal", "near", "noise", "season"]
    return RankingDataset.from_arrays(X, labels, queries, feature_names=names)


@pytest.fixture(scope="module")
def model(data):
    fitted = get_algorithm("LeastSquares")(l2=0.0).fit_dataset(data)
    fitted.parameters_ = np.array([1.0, 0.0, 0.0, 5.0])
    return fitted


def test_only_a_feature_that_orders_documents_counts(model, data):
    """A feature that is constant within queries does not, whatever its coefficient."""
    ((first, *others),) = permuted([model], data)

    assert first.feature == "signal"
    assert 0.0 < first.low < first.loss < first.high
    assert [one.loss for one in others] == [0.0] * 3
    assert {one.feature: one.weight for one in others}["season"] == 5.0


@pytest.mark.parametrize("weights", [None, [40.0] + [1.0] * 9])
def test_the_loss_is_the_mean_over_permutations_within_queries(model, data, weights):
    """Of very many, the mean over all orders of a query: that of scores that tie."""
    if weights is not None:
        data = data.with_query_weights(np.array(weights))
    ((first, *_),) = permuted([model], data, repeats=400)
    tied = measures.means(data, np.zeros(data.n_documents), "nDCG@10")["nDCG@10"]
    whole = measures.means(data, document_scores(model, data), "nDCG@10")["nDCG@10"]

    assert first.loss == pytest.approx(whole - tied, abs=0.02)


def test_all_models_have_the_same_permutations(model, data):
    """A linear model, and trees of another program that order alike."""
    text = "## RankBoost\n## 1 is signal\n1:0.5:1 1:1.5:1\n"
    trees = read_model(text.encode(), "trees")
    first, second = permuted([model, trees], data)

    assert second[0][2:] == first[0][2:]
    with pytest.raises(ValueError, match="at least 20 permutations, not 19"):
        permuted([model], data, repeats=19)


def test_the_order_of_rows_and_queries_does_not_matter(model, data):
    """Also of documents that differ by their labels only."""
    X, query = data.X.copy(), np.repeat(np.arange(10), 6)
    X[::2] = X[1::2]
    shuffled = np.random.default_rng(1).permutation(60)
    (rows,), (others,) = (
        permuted(
            [model],
            RankingDataset.from_arrays(
                X[order], data.y[order], query[order], feature_names=data.feature_names
            ),
        )
        for order in (np.arange(60), shuffled)
    )

    assert rows[0].loss > 0.0
    for one, other in zip(rows, others, strict=True):
        assert one.feature == other.feature
        assert one[2:] == pytest.approx(other[2:], rel=1e-9, abs=1e-12)


def test_a_refit_loses_nothing_where_another_feature_says_the_same(model, data):
    rows = {one.feature: one for one in refitted(model, data, data)}

    assert rows["signal"].loss < 0.02
    assert rows["noise"].loss == pytest.approx(0.0, abs=1e-12)
    alone = get_algorithm("LeastSquares")(l2=0.0).fit_dataset(
        data.with_features(["near", "noise", "season"])
    )
    lost = (
        1.0 - measures.means(data, document_scores(alone, data), "nDCG@10")["nDCG@10"]
    )
    assert rows["signal"].loss == pytest.approx(lost, abs=1e-12)
    with pytest.raises(ValueError, match="only linear models can"):
        refitted(read_model(b"## AdaRank\n1:1\n", "other"), data, data)


def test_features_that_go_together_are_named(data):
    result = partners(data)

    assert {name: other for name, (other, _) in result.items()} == {
        "signal": "near",
        "near": "signal",
    }
    assert result["signal"][1] > 0.98


def test_a_feature_that_is_constant_within_queries_goes_with_none():
    """Also where its mean is not exact in binary."""
    rng = np.random.default_rng(0)
    constant = np.repeat(rng.random(10), 3)
    X = np.column_stack([constant, 2 * constant, rng.random(30)])
    queries = np.repeat(np.arange(10), 3)
    assert partners(RankingDataset.from_arrays(X, queries % 2, queries)) == {}


def test_the_command_shows_both(rankscope, model, data, tmp_path):
    file, table = tmp_path / "model.json", tmp_path / "data.csv"
    save_model(model, file)
    data.to_frame().to_csv(table, index=False)
    printed = rankscope("importance", table, file, "--split", "train")
    assert printed.code == 0, printed.err
    assert "near (r 0.9" in printed.out
    other = tmp_path / "other.json"
    save_model(get_algorithm("ListNet")(max_iter=3).fit_dataset(data), other)
    result = rankscope("importance", table, file, other, "--refits", "--json").json
    trained, less = result["models"]
    assert trained["features"] != less["features"]
    assert {one["feature"] for one in trained["features"]} == set(data.feature_names)
    assert rankscope("importance", table, file, "--repeats", 5).code == 2


def test_how_the_loss_came_about_is_said_and_queries_may_have_weights(
    rankscope, data, tmp_path
):
    file, table, weights = (tmp_path / name for name in ("m.json", "d.csv", "w.txt"))
    data.to_frame().to_csv(table, index=False)
    numbers = [40.0] + [1.0] * (data.n_queries - 1)
    pairs = zip(data.query_ids, numbers, strict=True)
    weights.write_text("".join(f"{query} {number}\n" for query, number in pairs))
    trained = rankscope("train", table, "RSRank", "--max-iter", 2, "--out", file)
    assert trained.code == 0, trained.err
    words = "importance", table, file
    plain = rankscope(*words)
    assert "loss of nDCG@10 where values are permuted within queries, 20" in plain.out
    assert "effective numbers" not in plain.out
    ended = rankscope(*words, "--refits")
    assert "loss of nDCG@10 when retrained without the feature, with" in ended.out
    result = rankscope(*words, "--weights", weights, "--json").json
    wanted = data.with_query_weights(np.array(numbers))
    assert result["effective queries"]["train"] == wanted.effective_queries
    (rows,) = permuted([read_model(file.read_bytes(), "m")], wanted)
    losses = {row["feature"]: row["loss"] for row in result["models"][0]["features"]}
    assert losses == pytest.approx({row.feature: row.loss for row in rows})
    printed = rankscope(*words, "--weights", weights).out
    assert "Means are weighted; effective numbers of queries: train" in printed


def test_training_again_that_does_not_converge_is_noted_once(rankscope, tmp_path):
    file, table = tmp_path / "m.json", tmp_path / "d.csv"
    X = np.random.default_rng(1).random((200, 3))
    values = X[:, 0] + 2 * X[:, 1]
    labels = (values > 1.5).astype(int) + (values > 2.2)
    data = RankingDataset.from_arrays(X, labels, np.repeat(np.arange(20), 10))
    data.to_frame().to_csv(table, index=False)
    words = table, "SoftRank", "--max-iter", 2, "--no-store", "--out", file
    assert rankscope("train", *words).code == 0
    ended = rankscope("importance", table, file, "--refits")
    assert ended.code == 0
    notes = [line for line in ended.err.splitlines() if "converged" in line]
    assert len(notes) == 1
    assert notes[0].startswith("Note: SoftRank has not converged in 2 iterations")
    assert "Warning:" not in ended.err
