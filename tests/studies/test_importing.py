"""Models of other programs: scored as those programs do, or refused with the place."""

import json
import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcore import RankingDataset, export
from rankcore.base.errors import DataError, DataWarning
from rankcore.studies.exports import get_format, readable_formats
from rankcore.studies.importance import permuted
from rankcore.studies.models import document_scores, model_to_json, read_model
from tests.odd_texts import outcome, texts

# Lines of settings end with a blank in SVMrank's files.
SVM_RANK = """SVM-light Version V6.20
0 # kernel type
3 # kernel parameter -d
1 # kernel parameter -g
1 # kernel parameter -s
1 # kernel parameter -r
empty# kernel parameter -u
4 # highest feature index
12 # number of training documents
3 # number of support vectors plus 1
0 # threshold b, each following line is a SV (starting with alpha*y)
0.5 1:2 4:-1 #
-2 4:0.25 #
""".replace("\n", " \n")
MART = """## LambdaMART
## No. of trees = 2
## 3 is bm25 of title

<ensemble>
\t<tree id="1" weight="0.5">
\t\t<split>
\t\t\t<feature> 3 </feature>
\t\t\t<threshold> 0.1 </threshold>
\t\t\t<split pos="left"><output> -2.0 </output></split>
\t\t\t<split pos="right"><output> 4.0 </output></split>
\t\t</split>
\t</tree>
\t<tree id="2" weight="2"><split><output> 0.25 </output></split></tree>
</ensemble>
"""
LEAF = {"nodeid": 1, "leaf": 1.5}
SPLIT = {
    "nodeid": 0,
    "split": "price",
    "split_condition": 2.0,
    "yes": 1,
    "no": 2,
    "missing": 2,
    "children": [LEAF, {"nodeid": 2, "leaf": -0.5}],
}
SOLR_SPLIT = {
    "feature": "price",
    "threshold": "2.0",
    "left": {"value": "1.5"},
    "right": {"value": "-0.5"},
}
SOLR = {
    "class": "org.apache.solr.ltr.model.MultipleAdditiveTreesModel",
    "name": "mine",
    "features": [{"name": "price"}, {"name": "age"}],
    "params": {"trees": [{"weight": "0.5", "root": SOLR_SPLIT}]},
}
LINEAR = {
    "class": "org.apache.solr.ltr.model.LinearModel",
    "name": "mine",
    "features": [
        {
            "name": "price",
            "norm": {
                "class": "org.apache.solr.ltr.norm.MinMaxNormalizer",
                "params": {"min": "2.0", "max": "6.0"},
            },
        },
        {"name": "age"},
    ],
    "params": {"weights": {"price": 2.0, "age": -1.0}},
}
LIGHTGBM = """tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=lambdarank
feature_names=price age
feature_infos=[0:1] [0:1]

Tree=0
num_leaves=3
num_cat=0
split_feature=0 1
split_gain=5 3
threshold=2 0.5
decision_type=2 2
left_child=1 -1
right_child=-2 -3
leaf_value=0.25 -0.5 1
is_linear=0
shrinkage=0.1


end of trees
"""


def body(kind, definition, **more):
    model = {"type": kind, "definition": definition}
    return json.dumps({"model": {"name": "mine", "model": {**model, **more}}})


XGBOOST = {
    "learner": {
        "feature_names": ["price", "age"],
        "gradient_booster": {
            "name": "gbtree",
            "model": {
                "trees": [
                    {
                        "left_children": [1, -1, -1],
                        "right_children": [2, -1, -1],
                        "split_indices": [0, 0, 0],
                        "split_conditions": [2.0, 1.5, -0.5],
                        "default_left": [0, 0, 0],
                        "loss_changes": [3.0, 0.0, 0.0],
                        "split_type": [0, 0, 0],
                    }
                ]
            },
        },
        "learner_model_param": {"base_score": "[2.5E-1]", "num_feature": "2"},
        "objective": {"name": "rank:ndcg"},
    }
}
FILES = {
    "elasticsearch linear": body("model/linear", json.dumps({"price": 2, "age": -1})),
    "elasticsearch trees": body("model/xgboost+json", json.dumps([SPLIT])),
    "elasticsearch ranklib": body("model/ranklib", MART),
    "lightgbm": LIGHTGBM,
    "ranklib linear": "## Coordinate Ascent\n1:2.0 2:-1.0\n",
    "ranklib trees": MART,
    "ranklib stumps": "## RankBoost\n1:0.5:2.0 2:0.25:-1\n",
    "solr linear": json.dumps(LINEAR),
    "solr trees": json.dumps(SOLR),
    "svmrank": SVM_RANK,
    "xgboost": json.dumps(XGBOOST),
    "xgboost dump": json.dumps([SPLIT]),
}


MIXED_WAYS = {
    "learner": {
        **XGBOOST["learner"],
        "attributes": {"best_iteration": "0"},
        "gradient_booster": {
            "name": "gbtree",
            "model": {
                "gbtree_model_param": {"num_parallel_tree": "1"},
                "trees": [
                    tree | {"default_left": [way, 0, 0]}
                    for tree in XGBOOST["learner"]["gradient_booster"]["model"]["trees"]
                    for way in (1, 0)
                ],
            },
        },
    }
}


def read(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return read_model(text.encode(), "mine")


def scored(text, names, *rows):
    """Scores of rows of the named features."""
    assert read(text).provenance_.feature_names == names
    return read(text).predict(np.array(rows)).tolist()


def test_there_is_a_file_of_each_format_here():
    formats = {kind.name for kind in readable_formats()}
    assert {name.split()[0] for name in FILES} == formats


BOTH = ("price", "age")
JUST_BELOW = float(np.nextafter(2.0, 0.0))
SINGLE_BELOW = float(np.nextafter(np.float32(2.0), np.float32(0.0)))


def test_linear_models_are_sums_of_weights():
    # 0.5 · (2, -1) - 2 · (0, 0.25): the sum of the support vectors.
    assert scored(SVM_RANK, ("f1", "f4"), [1.0, 0.0], [0.0, 1.0]) == [1.0, -1.0]
    text = FILES["elasticsearch linear"]
    assert scored(text, BOTH, [1.0, 0.0], [0.0, 1.0]) == [2.0, -1.0]
    assert scored("## AdaRank\n2:1 1:0.5 2:3\n", ("f1", "f2"), [1.0, 1.0]) == [4.5]


def test_constants_are_left_out_with_a_warning():
    with pytest.warns(DataWarning, match="constant 3 is omitted"):
        read_model(b"## Linear Regression\n## Lambda = 1\n0:3 1:2\n", "mine")


def test_normalised_features_have_coefficients_of_their_own_units():
    """2 · (price - 2) / (6 - 2) is price / 2 less 1."""
    assert scored(json.dumps(LINEAR), BOTH, [1.0, 0.0], [0.0, 1.0]) == [-0.5, -2.0]
    assert read(json.dumps(LINEAR)).coef_.tolist() == [0.5, -1.0]
    normalizer = {"standard": {"mean": 3, "standard_deviation": 4}}
    text = body(
        "model/linear", '{"price": 2}', feature_normalizers={"price": normalizer}
    )
    assert scored(text, ("price",), [1.0]) == [-1.0]
    assert read(text).coef_.tolist() == [0.5]


NORMALIZERS = {
    "solr": lambda low, high: {
        "norm": {
            "class": "org.apache.solr.ltr.norm.MinMaxNormalizer",
            "params": {"min": str(low), "max": str(high)},
        }
    },
    "elasticsearch": lambda low, high: {"min_max": {"minimum": low, "maximum": high}},
}


def engine_file(engine, names, weights, limits):
    """A linear model of features in an order of their own, some of them normalised."""
    scaled = {name: NORMALIZERS[engine](*limits[name]) for name in limits}
    if engine == "solr":
        features = [{"name": name, **scaled.get(name, {})} for name in names]
        content = LINEAR | {"features": features, "params": {"weights": weights}}
        return json.dumps(content)
    listed = {"features": [{"name": name} for name in names]}
    model = {"type": "model/linear", "definition": json.dumps(weights)}
    model["feature_normalizers"] = scaled
    return json.dumps({"_source": {"model": {"model": model, "feature_set": listed}}})


@pytest.mark.parametrize("engine", NORMALIZERS)
def test_search_engines_add_linear_models_in_single_precision(engine):
    """As LinearModel.score, LinearRanker.score and the normalizers do: one feature
    after another, in the order of the model's features."""
    rng = np.random.default_rng(8)
    single = np.float32
    for _ in range(20):
        d = int(rng.integers(2, 9))
        names = [f"feature{j}" for j in rng.permutation(d)]
        weights = {name: float(rng.normal()) for name in sorted(names)}
        limits = {name: sorted(rng.normal(size=2)) for name in names[::2]}
        X = rng.normal(scale=100.0, size=(50, d))
        # Weighted sums that nearly cancel.
        X[:, 1] = -X[:, 0] * weights[names[0]] / weights[names[1]]
        expected = []
        for row in X:
            total = single(0.0)
            for name, x in zip(names, row.astype(single), strict=True):
                low, high = map(single, limits.get(name, (0.0, 1.0)))
                total += (x - low) / (high - low) * single(weights[name])
            expected.append(float(total))
        model = read(engine_file(engine, names, weights, limits))
        assert model.provenance_.feature_names == tuple(names)
        assert model.predict(X).tolist() == expected
        columns = ("other", *sorted(names))
        moved = model.on_features(columns)
        wide = np.zeros((50, d + 1))
        wide[:, [columns.index(name) for name in names]] = X
        assert model.scores(wide, moved).tolist() == expected
        again = read(model_to_json(model))
        assert again.predict(X).tolist() == expected
        parts = model.contributions(moved, wide[0])
        assert parts.sum() == pytest.approx(expected[0], abs=1e-3)
        weights = model.feature_weights(moved, d + 1)
        assert (parts - weights * wide[0]).sum() == pytest.approx(
            model.contributions(moved, 0.0 * wide[0]).sum()
        )


def test_importance_is_that_of_the_same_weights():
    """Also of a model with other terms than features, one of them without weight."""
    weights = {"f3": 2.0, "f1": 0.0, "f2": -1.0}
    model = read(body("model/linear", json.dumps(weights)))
    rng = np.random.default_rng(5)
    X, labels = rng.normal(size=(60, 5)), rng.integers(0, 3, 60)
    data = RankingDataset.from_arrays(X, labels, np.repeat(np.arange(10), 6))
    (rows,) = permuted([model], data)
    losses = {row.feature: row.loss for row in rows}
    same = read("## Coordinate Ascent\n1:0 2:-1 3:2\n")
    (expected,) = permuted([same], data)

    assert losses == {row.feature: row.loss for row in expected}
    assert losses["f1"] == 0.0
    assert losses["f3"] > 0.0 or losses["f2"] > 0.0
    assert len(set(losses.values())) == 3


def test_a_weight_of_a_feature_outside_the_set_is_refused():
    text = engine_file("elasticsearch", ["age"], {"age": 1.0, "price": 2.0}, {})
    with pytest.raises(DataError, match=r"price: the feature set lacks this feature"):
        read(text)


def test_a_negative_deviation_is_refused_as_solr_does():
    norm = {"class": "org.apache.solr.ltr.norm.StandardNormalizer"}
    norm["params"] = {"avg": "0.5", "std": "-0.25"}
    features = [{"name": "price", "norm": norm}, {"name": "age"}]
    with pytest.raises(DataError, match="the deviation is negative"):
        read(json.dumps(LINEAR | {"features": features}))


def test_single_precision_refuses_missing_values_and_large_numbers():
    model = read(json.dumps(LINEAR))
    with pytest.raises(DataError, match="takes none"):
        model.scores(np.array([[np.nan, 0.0]]), model.parameters_)
    for old, new, complaint in (
        ('"age": -1.0', '"age": 1e39', "too large for single precision"),
        ('"2.0"', '"5.9999999999"', "divides by 0"),
    ):
        with pytest.raises(DataError, match=complaint):
            read(json.dumps(LINEAR).replace(old, new))
    text = model_to_json(read(json.dumps(LINEAR)))
    for old, new, complaint in (
        ('"feature": 1', '"feature": 2', "one of the 2 features"),
        ('"feature": 1', '"feature": 0', "one of the 2 features"),
        ('"divisor": 4.0', '"divisor": 1e-60', "a divisor is 0"),
        ('"weight": -1.0', '"weight": 1e39', "too large for single precision"),
    ):
        assert old in text
        with pytest.raises(DataError, match=complaint):
            read(text.replace(old, new))


def test_features_are_compared_as_the_programs_do():
    """XGBoost and Elasticsearch round to a single number and ask for less, RankLib
    rounds and asks for at most, LightGBM compares doubles."""
    for name in ("elasticsearch trees", "xgboost dump"):
        assert scored(FILES[name], ("price",), [2.0], [JUST_BELOW], [SINGLE_BELOW]) == [
            *(-0.5, -0.5, 1.5)
        ]
    just_above = float(np.nextafter(np.float32(0.1), np.float32(1.0)))
    rows = [[0.1], [0.1 + 1e-12], [just_above]]
    # Half of -2 or 4, and 2 · 0.25.
    assert scored(MART, ("bm25 of title",), *rows) == [-0.5, -0.5, 2.5]
    above = float(np.nextafter(2.0, 3.0))
    rows = [[2.0, 0.5], [2.0, 0.6], [above, 0.5]]
    assert scored(LIGHTGBM, BOTH, *rows) == [0.25, 1.0, -0.5]
    # Solr adds 1e-6 to the threshold.
    rows = [[2.0 + 0.9e-6, 0.0], [2.0 + 2e-6, 0.0]]
    assert scored(FILES["solr trees"], BOTH, *rows) == [0.75, -0.25]
    rows = [[0.5, 0.3], [0.6, 0.3], [0.6, 0.25]]
    assert scored(FILES["ranklib stumps"], ("f1", "f2"), *rows) == [-1.0, 1.0, 2.0]


def test_xgboost_begins_with_the_base_score():
    assert scored(json.dumps(XGBOOST), BOTH, [0.0, 0.0], [2.0, 0.0]) == [1.75, -0.25]
    text = json.dumps(XGBOOST).replace("rank:ndcg", "binary:logistic")
    odds = np.log(0.25 / 0.75)
    assert scored(text, BOTH, [0.0, 0.0]) == pytest.approx([1.5 + odds])
    text = json.dumps(XGBOOST).replace("rank:ndcg", "survival:aft")
    assert scored(text, BOTH, [0.0, 0.0]) == pytest.approx([1.5 + np.log(0.25)])
    text = json.dumps(XGBOOST).replace("rank:ndcg", "binary:logitraw")
    assert scored(text, BOTH, [0.0, 0.0]) == [1.75]


@pytest.mark.parametrize(
    ("content", "sentences"),
    [
        ([SPLIT], ["neither the initial constant of scores nor the tree"]),
        (
            MIXED_WAYS,
            [
                "Features omitted in LETOR text are missing for XGBoost",
                r"all 2 rounds are used.* stops at the best one, number 1\. `boost",
            ],
        ),
    ],
    ids=["a dump", "rounds and ways"],
)
def test_what_xgboost_would_score_otherwise_is_noted(content, sentences):
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        read_model(json.dumps(content).encode(), "mine")
    texts = [str(one.message) for one in noted]
    assert len(texts) == len(sentences)
    for text, sentence in zip(texts, sentences, strict=True):
        assert re.search(sentence, text)


def test_a_text_has_to_be_utf_8():
    assert read("\ufeff" + LIGHTGBM).provenance_.feature_names == BOTH
    accented = LIGHTGBM.replace("price", "größe")
    assert read(accented).provenance_.feature_names == ("größe", "age")
    for content, complaint in {
        accented.encode(
            "latin-1"
        ): "line 8: The file contains bytes that are not UTF-8",
        LIGHTGBM.encode("utf-16"): "The file is UTF-16, not UTF-8. Save it as UTF-8",
        b"{L\0\0": "The file is binary, but models are read as text or JSON",
        b" \n": "The file is empty",
    }.items():
        with pytest.raises(DataError, match=complaint):
            read_model(content, "mine")


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ('{"name": "tree", "version": "v4", "tree_info": []}', "booster.save_model`"),
        ("booster[0]:\n0:[f1<2] yes=1,no=2", r"booster\.save_model\('model.json'\)"),
    ],
)
def test_dumps_that_are_not_read_say_what_is(text, remedy):
    with pytest.raises(DataError, match=f"dump.* with `{remedy}"):
        read(text)


def test_stumps_compare_single_numbers():
    """RankLib's 0.7 is 0.69999999, at the threshold and not above it."""
    text = f"## RankBoost\n1:{float(np.float32(0.7))!r}:2.0\n"
    above = float(np.nextafter(np.float32(0.7), np.float32(1)))
    assert scored(text, ("f1",), [0.7], [above]) == [0.0, 2.0]
    # The threshold is a double: the single number nearest to 0.1 lies above it.
    assert scored("## RankBoost\n1:0.1:2.0\n", ("f1",), [0.1]) == [2.0]


def chain(levels):
    """A tree of RankLib, each split of which has one leaf."""
    text = '<split pos="left"><output>1</output></split>'
    for level in range(levels):
        text = (
            f'<split pos="left"><feature>1</feature><threshold>{level}</threshold>'
            f'{text}<split pos="right"><output>{level}</output></split></split>'
        )
    return f'## MART\n<ensemble><tree id="1" weight="1">{text}</tree></ensemble>\n'


def test_deep_trees_are_exported_and_read_again():
    model = read(chain(250))
    X = np.arange(-1.0, 252.0, 10.0)[:, None]
    for name in ("solr", "elasticsearch", "ranklib"):
        again = read(export(model, name))
        assert again.predict(X).tolist() == model.predict(X).tolist()
    deeper = read(chain(1200))
    assert read(export(deeper, "ranklib")).n_iter_ == 1
    for name in ("solr", "elasticsearch"):
        with pytest.raises(ValueError, match=r"1200 levels deep, and .* at most 300"):
            export(deeper, name)


def test_a_file_may_have_many_names():
    """A thousand trees of 127 nodes have some 700,000."""
    notes = {f"note {number}": 0 for number in range(600)}
    forest = json.dumps([{"nodeid": 0, "leaf": 0.5, **notes}] * 1_000)
    assert forest.count(":") > 600_000
    assert read(forest).n_iter_ == 1_000


def test_random_forests_are_the_mean_of_ensembles():
    first = MART.index("<ensemble>")
    text = (MART + MART[first:].replace("4.0", "8.0")).replace(
        "LambdaMART", "Random Forests"
    )
    # The mean of 2.5 and 4.5.
    assert scored(text, ("bm25 of title",), [1.0]) == [3.5]
    for old, new in (("<ensemble>", "<ensemble></ensemble><ensemble>"), (text, "")):
        with pytest.raises(DataError, match="ensemble"):
            read("## Random Forests\n" + text.replace(old, new, 1))
    with pytest.raises(DataError, match="There are 2 ensembles, not one"):
        read(MART + MART[first:])


def ensemble(rng, trees):
    """Stumps with weights and outputs whose products no single number holds."""
    rows = rng.normal(size=(trees, 3)).astype(np.float32)
    weights = rng.choice([0.1, 0.37, 2.0], trees).astype(np.float32)
    text = "".join(
        f'<tree id="{n}" weight="{weight}"><split><feature> {1 + n % 2} </feature>'
        f'<threshold> {limit} </threshold><split pos="left"><output> {low} </output>'
        f'</split><split pos="right"><output> {high} </output></split></split></tree>\n'
        for n, (weight, (limit, low, high)) in enumerate(
            zip(weights, rows, strict=True), start=1
        )
    )
    return f"<ensemble>\n{text}</ensemble>\n", weights, rows


@pytest.mark.parametrize("bags", [1, 3])
def test_ranklib_adds_in_double_and_rounds_after_each_tree(bags):
    """As Ensemble.eval and RFRanker.eval do; an export has one sum, which is close."""
    rng = np.random.default_rng(9)
    ensembles = [ensemble(rng, 40) for _ in range(bags)]
    kind = "LambdaMART" if bags == 1 else "Random Forests"
    model = read(f"## {kind}\n" + "".join(text for text, *_ in ensembles))
    X = rng.normal(size=(60, 2))
    names = model.provenance_.feature_names
    places = [names.index(f"f{number}") for number in (1, 2)]
    expected = []
    for x in X.astype(np.float32):
        mean = 0.0
        for _, weights, rows in ensembles:
            total = np.float32(0.0)
            for n, (weight, (limit, low, high)) in enumerate(
                zip(weights, rows, strict=True), start=1
            ):
                output = float(low if x[n % 2] <= limit else high)
                total = np.float32(float(total) + output * float(weight))
            mean += float(total)
        expected.append(mean / bags)
    columns = np.empty_like(X)
    columns[:, places] = X
    assert model.predict(columns).tolist() == expected
    for other in ("solr", "ranklib"):
        again = read(export(model, other))
        wanted = again.provenance_.feature_names
        moved = columns[:, [names.index(name) for name in wanted]]
        assert again.predict(moved) == pytest.approx(expected, abs=1e-5)


def test_an_export_of_normalised_features_lacks_their_constant():
    model = read(json.dumps(LINEAR))
    assert get_format("solr").scores(model, np.array([[1.0, 0.0]])).tolist() == [0.5]


def test_names_counted_from_0_are_those_of_letor_from_1():
    names = LIGHTGBM.replace("price age", "Column_0 Column_1")
    assert read(names).provenance_.feature_names == ("f1", "f2")
    dump = FILES["xgboost dump"].replace("price", "f0")
    assert read(dump).provenance_.feature_names == ("f1",)
    ranklib = body("model/ranklib", MART, feature_set={"features": []})
    assert read(ranklib).provenance_.feature_names == ("bm25 of title",)


def test_solr_says_where_missing_values_go():
    content = json.loads(FILES["solr trees"])
    content["params"]["isNullSameAsZero"] = False
    text = json.dumps(content)
    column = text.index('{"feature"') + 1
    place = rf"line 1, column {column}: params\.trees\.0\.root: there is no 'missing'"
    with pytest.raises(DataError, match=place):
        read(text)
    content["params"]["trees"][0]["root"]["missing"] = "right"
    assert read(json.dumps(content)).predict([[np.nan, 0.0]]).tolist() == [-0.25]
    with pytest.raises(DataError, match="trained without any"):
        read(FILES["solr trees"]).predict([[np.nan, 0.0]])


@pytest.mark.parametrize("name", FILES)
def test_a_model_is_kept_and_exported(name):
    """As RankScope's own file, and for other programs; it does not train."""
    model = read(FILES[name])
    again = read(model_to_json(model))
    X = np.random.default_rng(1).normal(size=(9, model.n_features_in_))
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert again.provenance_ == model.provenance_
    assert again.provenance_.text == "trained by another program"
    for other in ("solr", "elasticsearch", "ranklib"):
        assert export(model, other)
    with pytest.raises(ValueError, match="another program trained this model"):
        model.fit(X, np.arange(9) % 2, qid=None)


def test_data_may_have_features_beyond_those_of_the_model():
    data = RankingDataset.from_arrays(np.eye(6), [0, 1] * 3, [0] * 6)
    assert document_scores(read(SVM_RANK), data).tolist() == [1, 0, 0, -1, 0, 0]


@pytest.mark.parametrize("name", ["svmrank", "lightgbm"])
def test_a_model_takes_its_features_from_more(name):
    model = read(FILES[name])
    names = model.provenance_.feature_names
    X = np.random.default_rng(2).normal(size=(9, 4))
    wider = ("other", names[1], names[0], "else")
    parameters = model.on_features(wider)

    assert model.scores(X, parameters).tolist() == model.predict(X[:, [2, 1]]).tolist()
    assert model.on_features(wider[:2]) is None


@pytest.mark.parametrize("kind", ["plain", "missing"])
@pytest.mark.parametrize("boosting", ["gbdt", "rf"])
def test_lightgbm_gives_the_same_scores(kind, boosting):
    lightgbm = pytest.importorskip("lightgbm")
    X, y = drawn(kind)
    forest = {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.5}
    settings = {"objective": "regression", "min_data_in_leaf": 3, "num_threads": 1}
    settings |= {"verbose": -1, **(forest if boosting == "rf" else {})}
    booster = lightgbm.train(settings, lightgbm.Dataset(X, y), 5)
    model = read(booster.model_to_string())
    assert model.predict(X) == pytest.approx(booster.predict(X), rel=1e-12)
    assert model.feature_weights(model.parameters_, 4) == pytest.approx(
        booster.feature_importance("gain"), rel=1e-4
    )


OBJECTIVES = (
    *("rank:ndcg", "rank:map", "reg:squarederror", "reg:tweedie", "survival:aft"),
    *("binary:logistic", "binary:logitraw", "reg:logistic", "count:poisson"),
)


@pytest.mark.parametrize("kind", ["plain", "missing"])
@pytest.mark.parametrize("booster", ["gbtree", "dart"])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_xgboost_gives_the_same_scores(kind, booster, objective):
    xgboost = pytest.importorskip("xgboost")
    X, y = drawn(kind)
    is_binary = objective.partition(":")[2] in ("map", "logistic", "logitraw")
    y = y % 2 if is_binary else y + (objective == "survival:aft")
    data = xgboost.DMatrix(X, y)
    if objective == "survival:aft":
        data.set_info(label_lower_bound=y, label_upper_bound=y + 1)
    settings = {"objective": objective, "booster": booster, "nthread": 1}
    settings |= {
        "max_depth": 3,
        **({"rate_drop": 0.5} if booster == "dart" else {}),
    }
    for base in ({}, {"base_score": 0.3}):
        trained = xgboost.train(settings | base, data, 20)
        model = read(trained.save_raw("json").decode())
        # XGBoost adds in 32 bits, tree by tree: to the last bit, ties included.
        scores = trained.predict(data, output_margin=True)
        assert model.predict(X).tolist() == scores.tolist()
        result = read(model_to_json(model))
        assert result.predict(X).tolist() == scores.tolist()
        if kind == "plain":
            assert export(result, "elasticsearch")
        lacking = drawn("missing")[0]
        scores = trained.predict(xgboost.DMatrix(lacking), output_margin=True)
        assert result.predict(lacking).tolist() == scores.tolist()


def drawn(kind):
    """Documents with ties, some of them with missing values."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 4)).round(1)
    if kind == "missing":
        X[rng.random(X.shape) < 0.2] = np.nan
    return X, rng.integers(0, 3, 80)


def edited(name, old, new):
    assert old in FILES[name]
    return FILES[name].replace(old, new, 1)


BROKEN = [
    ("lightgbm", "leaf_value=", "leafs=", "line 11: There is no line leaf"),
    ("lightgbm", "=2 0.5", "=2 half", "line 16: threshold has a value"),
    ("lightgbm", "feature=0 1", "feature=0", "line 14: split_feature has 1 v"),
    ("lightgbm", "type=2 2", "type=1 2", "line 17: This tree splits by cat"),
    ("lightgbm", "type=2 2", "type=4 2", "line 17: This tree was trained w"),
    ("lightgbm", "feature=0 1", "feature=0 7", "compares feature 7.0"),
    ("lightgbm", "child=1 -1", "child=1 -9", "which is not one of the nodes"),
    ("lightgbm", "_class=1", "_class=3", "line 3: This model has several sc"),
    ("lightgbm", "end of trees", "", "a line 'end of trees' is missing"),
    ("lightgbm", "price age", "age age", "two features 'age'"),
    ("ranklib linear", "2:-1.0", "2:x", "line 2: '2:x' is not a pair feature:weight"),
    ("ranklib linear", "Coordinate Ascent", "ListNet", "line 1: ListNet is a neural"),
    ("ranklib linear", "1:2.0 2:-1.0", "", "There are no weights"),
    ("ranklib stumps", "2:0.25:-1", "2:0.25:x", "line 2: 'x' is not a weight"),
    ("ranklib trees", "</split>\n\t</tree>", "</tree>", "line 12: Mismatched tag"),
    ("ranklib trees", "> 0.1", "> x", r"Tree 1 \(from 1\): a <threshold> is no"),
    ("ranklib trees", "> 3 <", "> -3 <", r"Tree 1 \(from 1\): a <feature> is no"),
    ("ranklib trees", '"left"', '"right"', "a <split> does not have two sides"),
    ("svmrank", "0 # kernel", "2 # kernel", "line 2: The kernel is not linear"),
    ("svmrank", "3 # number", "9 # number", "line 10: There are 2 support vec"),
    ("svmrank", "4:-1", "4:", "line 12: '4:' is not a pair feature"),
    ("solr linear", '"age": -1.0', '"x": 1', r"params.weights: there is no 'age'"),
    ("solr linear", '"6.0"', '"2.0"', "norm: the normalizer divides by 0"),
    ("solr linear", "LinearModel", "Neural", "class: the model is neither"),
    ("solr trees", '"feature": "price"', '"feature": "a"', "root.feature: the model"),
    ("solr trees", '"2.0"', '"x"', "trees.0.root.threshold: 'x' is not a finite"),
    ("elasticsearch linear", "2,", "x,", "definition: this is not JSON"),
    ("elasticsearch linear", "linear", "other", "type: the type of the model"),
    ("xgboost dump", '"yes": 1', '"yes": 5', "0.yes: no child has this number"),
    ("xgboost dump", '"split"', '"slit"', "0: there is no 'split'"),
    ("xgboost", 'indices": [0', 'indices": [5', "0.split_indices.0: 5 is not a whole"),
    (
        "xgboost",
        'right_children": [2',
        'right_children": [1',
        "two parents lead to node 1",
    ),
    ("xgboost", "gbtree", "gblinear", "name: the booster is neither"),
    ("xgboost", 'left": [0', 'left": ["0"', "default_left.0: '0' is neither 0 nor 1"),
    ("xgboost", 'type": [0', 'type": [1', "split_type: the tree splits by cat"),
    ("xgboost", '"num_feature": "2"', '"num_feature": "1e99"', "1e.99 is not a whole"),
]


@pytest.mark.parametrize(("name", "old", "new", "complaint"), BROKEN)
def test_a_malformed_model_is_refused_with_its_place(name, old, new, complaint):
    with pytest.raises(DataError, match=complaint) as caught:
        read(edited(name, old, new))
    assert caught.value.file.startswith("mine")
    assert caught.value.remedy


def test_deep_and_endless_files_are_refused():
    deep = "<split>" * 100_000
    for text in (
        edited("ranklib trees", "<ensemble>", f"<ensemble><tree>{deep}"),
        edited("ranklib trees", "<ensemble>", "<!DOCTYPE a><ensemble>"),
        "## RankBoost\n" + "1:0:1 " * 100_001,
        edited("lightgbm", "\nend of trees", "\nTree=0" * 100_001 + "\nend of trees"),
        "[" + '{"nodeid": 0, "children": [' * 5000,
    ):
        with pytest.raises(DataError):
            read(text)


@given(
    name=st.sampled_from(sorted(FILES)),
    place=st.floats(0.0, 1.0),
    length=st.integers(0, 12),
    text=texts,
)
def test_a_damaged_model_is_read_or_refused(name, place, length, text):
    whole = FILES[name]
    begin = int(place * len(whole))
    damaged = whole[:begin] + text + whole[begin + length :]
    model, sentence = outcome(read, damaged.encode("utf-8", "replace").decode())
    if sentence is None:
        X = np.zeros((2, model.n_features_in_))
        assert np.isfinite(model.predict(X)).all()
    else:
        assert sentence.startswith("mine")
        assert len(sentence) < 600
