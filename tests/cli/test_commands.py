"""The other commands."""

import csv
import json
import re
import socket
import subprocess
import sys

import pytest
import pytrec_eval
import typer.main

import rankcore
from rankcore import get_algorithm, list_algorithms, list_datasets, load_model, measures
from rankcore.base.hyperparameters import hyperparameters
from rankcore.cli._app import application
from rankcore.data.readers import load_fold


def test_version(rankscope):
    assert rankscope("--version").out == f"rankscope {rankcore.__version__}\n"


def test_help_documents_the_exit_codes(rankscope):
    shown = rankscope("--help").out
    assert all(f"{code} " in shown for code in (0, 1, 2, 3, 130))


def untimed(text):
    """What a command printed, without how long it took."""
    return re.sub(r'"seconds": [^,\n]+', "", text)


@pytest.mark.parametrize(
    "words",
    [
        ("train", "toy-2d", "ApproxNDCG", "--normalise=minmax"),
        ("train", "toy-2d", "ApproxNDCG", "--optimiser", "stochastic"),
        ("sweep", "toy-2d", "ApproxNDCG", "--over", "optimiser=stochastic"),
    ],
    ids=["option", "hyperparameter", "name in an option"],
)
def test_an_option_is_known_in_american_spelling(rankscope, words):
    spelt = [
        str(w).replace("malise", "malize").replace("miser", "mizer") for w in words
    ]
    assert spelt != list(map(str, words))
    british, american = (
        rankscope(*item, "--max-iter", 1, "--no-store", "--json").out
        for item in (words, spelt)
    )
    assert '"seconds"' in british
    assert untimed(american) == untimed(british)


def test_an_option_of_neither_spelling_gets_a_near_one(rankscope):
    ended = rankscope("train", "toy-2d", "ApproxNDCG", "--optimizzer", "stochastic")
    assert ended.code == 2
    assert "--optimiser" in ended.err


def test_a_misspelt_command_gets_a_near_one(rankscope):
    ended = rankscope("trian")
    assert ended.code == 2
    assert "'train'" in ended.err
    assert ended.err.count("\n") == 1


def test_every_data_set_is_listed(rankscope):
    shown = rankscope("datasets").out
    assert all(info.name in shown for info in list_datasets())
    assert list(rankscope("datasets", "--json").json) == [
        info.name for info in list_datasets()
    ]


def test_every_algorithm_is_listed(rankscope):
    shown = rankscope("algorithms").out
    assert all(name in shown for name in list_algorithms())
    assert list(rankscope("algorithms", "--json").json) == list_algorithms()


@pytest.mark.parametrize("name", list_algorithms())
def test_describe_shows_equation_paper_hyperparameters_and_presets(rankscope, name):
    cls = get_algorithm(name)
    shown = rankscope("describe", name.lower()).out
    assert cls.equation in shown
    assert cls.paper in shown
    for declared in hyperparameters(cls).values():
        assert declared.meaning in shown
        assert declared.range_text in shown
    assert all(f'--preset "{preset}"' in shown for preset in cls.presets)
    assert rankscope("describe", name, "--json").json["equation"] == cls.equation


def test_an_unknown_algorithm_gets_near_ones(rankscope):
    ended = rankscope("describe", "RSRankk")
    assert ended.code == 2
    assert "Did you mean: RSRank" in ended.err


def test_evaluate_measures_the_test_part(rankscope, letor, model):
    data = load_fold(letor).test
    scores = data.X @ load_model(model).coef_
    words = ("--measure", "RR@10", "--convention", "letor4", "--json", "--per-query")
    report = rankscope("evaluate", letor, model, *words).json
    assert report["split"] == "test"
    assert report["measures"] == measures.means(data, scores, ["RR@10"], "letor4")
    table = measures.evaluate(data, scores, ["RR@10"], "letor4")
    assert report["queries"] == table.to_dict("index")


def test_evaluate_measures_another_part_or_a_file(rankscope, letor, model):
    part = rankscope("evaluate", letor, model, "--split", "valid", "--json").json
    file = rankscope("evaluate", letor / "vali.txt", model, "--json").json
    assert part["measures"] == file["measures"]


def test_the_trec_run_ranks_each_query_by_score(rankscope, letor, model, tmp_path):
    path = tmp_path / "run.txt"
    rankscope("evaluate", letor, model, "--run-out", path)
    data = load_fold(letor).test
    lines = [line.split() for line in path.read_text().splitlines()]
    assert len(lines) == data.n_documents
    for index in range(data.n_queries):
        query = data.query(index)
        values = [line for line in lines if line[0] == query.id]
        assert [int(line[3]) for line in values] == list(range(1, len(query) + 1))
        scores = [float(line[4]) for line in values]
        assert scores == sorted(scores, reverse=True)
        by_name = dict(
            zip(query.doc_ids, query.X @ load_model(model).coef_, strict=True)
        )
        assert {line[2]: float(line[4]) for line in values} == pytest.approx(by_name)


def test_the_trec_run_and_qrels_measure_the_same_elsewhere(
    rankscope, letor, model, tmp_path
):
    run, labels = tmp_path / "run.txt", tmp_path / "qrels.txt"
    words = ("--measure", "AP", "--per-query", "--json")
    report = rankscope(
        "evaluate", letor, model, "--run-out", run, "--qrels-out", labels, *words
    ).json
    with run.open() as scores, labels.open() as judged:
        evaluator = pytrec_eval.RelevanceEvaluator(
            pytrec_eval.parse_qrel(judged), {"map"}
        )
        theirs = evaluator.evaluate(pytrec_eval.parse_run(scores))
    ours = {query: values["AP"] for query, values in report["queries"].items()}

    assert {query: values["map"] for query, values in theirs.items()} == (
        pytest.approx(ours)
    )


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (("--split", "holdout"), 2, "train, valid, test"),
        (("--measure", "P"), 2, "cutoff"),
    ],
)
def test_evaluate_complains_in_one_sentence(
    rankscope, letor, model, words, code, expected
):
    ended = rankscope("evaluate", letor, model, *words)
    assert ended.code == code
    assert expected in ended.err
    assert ended.err.count("\n") == 1


def test_a_model_of_other_features_is_refused(rankscope, model):
    ended = rankscope("evaluate", "planted", model)
    assert ended.code == 2
    assert "features" in ended.err


def test_a_file_that_is_no_model_is_bad_data(rankscope, letor):
    assert rankscope("evaluate", letor, letor / "train.txt").code == 3


@pytest.mark.parametrize("command", ["serve", "cluster"])
def test_servers_name_another_port_where_one_is_taken(rankscope, command):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = rankscope(command, "--port", port)
    assert ended.code == 1
    assert f"Port {port} is already in use" in ended.err
    assert f"`rankscope {command} --port " in ended.err
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize("name", ["http://a.org", "a.org:80", "a b", "*", "", "-é"])
def test_serve_refuses_what_is_no_host_name(rankscope, name):
    ended = rankscope("serve", "--host", name)
    assert ended.code == 2
    assert "is not a host name" in ended.err


def test_serve_says_what_is_not_installed(rankscope, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    ended = rankscope("serve")
    assert ended.code == 1
    assert "pip install '.[app]'" in ended.err


def test_an_internal_error_is_a_sentence_too(rankscope, monkeypatch):
    def fail():
        raise ZeroDivisionError("by the moon")

    monkeypatch.setattr("rankcore.data.catalogue.list_datasets", fail)
    ended = rankscope("datasets")
    assert ended.code == 1
    assert "ZeroDivisionError: by the moon" in ended.err
    monkeypatch.setenv("RANKSCOPE_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        rankcore.cli.main(["datasets"])


def test_help_loads_nothing_heavy():
    script = (
        "import sys, rankcore.cli\n"
        "try:\n"
        "    rankcore.cli.main(['--help'])\n"
        "except SystemExit:\n"
        "    heavy = ('numba', 'numpy', 'pandas', 'scipy', 'sklearn', 'streamlit')\n"
        "    sys.exit(', '.join(name for name in heavy if name in sys.modules) or 0)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert run.stderr == ""


def test_export_prints_or_writes_a_format(rankscope, model, tmp_path):
    out = tmp_path / "solr.json"
    printed = rankscope("export", model, "solr", "--name", "mine")
    rankscope("export", model, "solr", "--name", "mine", "--out", out)
    assert printed.json == json.loads(out.read_text())
    assert printed.json["name"] == "mine"
    assert "model-store" in printed.err


def test_export_writes_documents_with_the_scores_to_expect(
    rankscope, model, letor, tmp_path
):
    out = tmp_path / "solr.json"
    words = ("export", model, "solr")
    ended = rankscope(*words, "--out", out, "--check", letor)
    rows = list(csv.DictReader((tmp_path / "solr.check.csv").read_text().splitlines()))
    weights = json.loads(out.read_text())["params"]["weights"]
    assert "solr.check.csv has documents" in ended.err
    assert len(rows) == 10
    for row in rows:
        terms = [weight * float(row[name]) for name, weight in weights.items()]
        assert sum(terms) == pytest.approx(float(row["score"]), rel=1e-12)
    for refused, reason in (
        ((*words, "--check", letor), "give --out a file"),
        ((*words, "--out", out, "--label", "y"), "no effect without --check"),
    ):
        ended = rankscope(*refused)
        assert ended.code == 2
        assert reason in ended.err


def test_export_refuses_scaled_features_unless_told(rankscope, letor, tmp_path):
    out = tmp_path / "scaled.json"
    words = ("--normalise", "minmax", "--max-iter", 2, "--out", out)
    rankscope("train", letor, "RSRank", *words)
    refused = rankscope("export", out, "ranklib")
    assert refused.code == 2
    assert "cannot be folded" in refused.err
    assert refused.err.count("\n") == 1
    assert rankscope("export", out, "ranklib", "--scaled-input").code == 0


def test_a_model_of_standardised_features_scores_them_as_they_are(
    rankscope, letor, tmp_path
):
    out = tmp_path / "standard.json"
    words = ("--normalise", "standard", "--max-iter", 3, "--out", out, "--json")
    trained = rankscope("train", letor, "RSRank", *words).json
    for name in ("ranklib", "solr", "elasticsearch"):
        assert rankscope("export", out, name).code == 0
    measured = rankscope("evaluate", letor, out, "--split", "valid", "--json").json
    result = trained["measures"]["valid"]["nDCG@10"]
    assert measured["measures"]["nDCG@10"] == result
    converted = rankscope(
        "convert", letor / "train.txt", tmp_path / "parts", "--normalise", "standard"
    )
    assert "standardised when a model is trained" in converted.err
    assert converted.code != 0


def test_export_complains_of_an_unknown_format(rankscope, model):
    ended = rankscope("export", model, "xml")
    assert ended.code == 2
    assert "elasticsearch" in ended.err


def test_each_option_says_what_it_means():
    root = typer.main.get_command(application([]))
    commands = [root, *root.commands.values()]
    commands += [
        one for group in commands for one in vars(group).get("commands", {}).values()
    ]
    silent = {
        f"{command.name} {option.name}"
        for command in commands
        for option in command.params
        if not option.help
    }
    assert silent == {"reproduce seed"}
