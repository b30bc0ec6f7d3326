"""What follows a run or a search in other programs: MLflow, Weights & Biases, Optuna
Dashboard."""

import json
import subprocess
import sys

import pytest

from rankcore import RSRank
from rankcore.base.extras import MissingExtraError
from rankcore.data.planted import planted
from rankcore.studies import interop
from rankcore.studies.interop.trackers import figures

PACKAGES = ["mlflow-skinny", "wandb", "optuna-dashboard"]
INSTALL = [sys.executable, "-m", "pip", "install", "--quiet"]
SCRIPT = """
import io, json, sys
sys.path.append(sys.argv[1])
import mlflow, wandb
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna_dashboard import wsgi
from rankcore import RSRank, load_dataset
from rankcore.studies import interop
from rankcore.studies.searches import search
from rankcore.training import Stop

train, valid, _ = load_dataset("planted")
mlflow.set_tracking_uri("file:runs")
records = []
with mlflow.start_run() as run, wandb.init(mode="offline", dir=".") as other:
    calls = [records.append, interop.mlflow_callback(), interop.wandb_callback()]
    RSRank(max_iter=3).fit(train, eval_set=valid, callbacks=calls)
    last = dict(other.summary)
client = mlflow.tracking.MlflowClient()
logged = client.get_metric_history(run.info.run_id, "valid nDCG at 10")
search(
    "RSRank", train, valid, {"g": None}, models=2, study="study.log",
    stop=Stop(max_iterations=2),
).run()
application = wsgi(JournalStorage(JournalFileBackend("study.log")))
def page(path):
    asked = {"REQUEST_METHOD": "GET", "PATH_INFO": path, "wsgi.input": io.BytesIO()}
    parts = application(asked, lambda status, headers, error=None: None)
    return json.loads(b"".join(parts))
(study,) = page("/api/studies")["study_summaries"]
print(json.dumps({
    "wanted": [[one.iteration, one.valid["nDCG@10"]] for one in records],
    "mlflow": [[one.step, one.value] for one in logged],
    "wandb": last["valid nDCG@10"],
    "trials": len(page(f"/api/studies/{study['study_id']}")["trials"]),
}))
"""


def test_an_iteration_is_logged_by_its_measures_on_each_split():
    data, records = planted(n_queries=4, seed=0), []
    RSRank(max_iter=1).fit(data, eval_set=data, callbacks=[records.append])
    logged = figures(records[-1])
    assert list(logged) == [
        "objective", "features", "seconds", "train nDCG@10", "valid nDCG@10",
    ]  # fmt: skip
    assert logged["train nDCG@10"] == records[-1].train["nDCG@10"]
    assert logged["features"] == records[-1].nonzeros


@pytest.mark.parametrize("package", ["mlflow", "wandb"])
def test_a_package_that_is_missing_is_named(package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    callback = getattr(interop, f"{package}_callback")
    with pytest.raises(MissingExtraError, match=rf"install {package}: .*\[tracking\]"):
        callback()


@pytest.mark.soak
def test_other_programs_show_what_was_logged(tmp_path):
    beside = tmp_path / "packages"
    subprocess.run(
        [*INSTALL, "--target", beside, *PACKAGES],
        check=True,
    )
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, beside],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "MLFLOW_ALLOW_FILE_STORE": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    shown = json.loads(ended.stdout.splitlines()[-1])
    assert shown["mlflow"] == shown["wanted"]
    assert shown["wandb"] == shown["wanted"][-1][1]
    assert shown["trials"] == 2
