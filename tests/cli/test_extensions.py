"""What other packages and programs add: listed, named, trained, written and read."""

import importlib
import json
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import rankcore
from pages.ui.lessons import store as lessons
from rankcore import LinearRanker, RankingDataset, Step, export, load_model, measures
from rankcore.algorithms import get_algorithm, list_algorithms
from rankcore.base import discovery
from rankcore.base.hyperparameters import real
from rankcore.data import catalogue, formats
from rankcore.data.formats import Format
from rankcore.measures._measure import MEASURES
from rankcore.plot.palette import LIGHT, algorithm_style
from rankcore.studies.exports import list_formats
from rankcore.studies.store import open_store

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "examples" / "plugin"
BEFORE = list_algorithms()


@pytest.fixture
def clean(monkeypatch):
    """Nothing that a test adds is there afterwards."""
    monkeypatch.setattr(discovery, "_registered", {})
    declared = dict(MEASURES)
    discovery.forget()
    yield
    monkeypatch.undo()
    discovery.forget()
    MEASURES.clear()
    MEASURES.update(declared)


def entry_points() -> str:
    """The entry points of the example, as an installation writes them."""
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]
    return "\n".join(
        f"[{group}]\n"
        + "\n".join(f"{name} = {place}" for name, place in result.items())
        for group, result in project["entry-points"].items()
    )


def install(folder: Path, points: str) -> None:
    """Write what makes a folder one with an installed package."""
    about = folder / "rankscope_example-0.1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Name: rankscope-example\nVersion: 0.1.0\n")
    (about / "entry_points.txt").write_text(points)


@pytest.fixture
def example(tmp_path, monkeypatch, request):
    """The example is installed."""
    install(tmp_path / "site", entry_points())
    (tmp_path / "site" / "rankscope_example").symlink_to(PLUGIN / "rankscope_example")
    monkeypatch.syspath_prepend(tmp_path / "site")
    request.getfixturevalue("clean")
    yield
    for name in [one for one in sys.modules if one.startswith("rankscope_example")]:
        del sys.modules[name]


@pytest.mark.usefixtures("example")
def test_an_installed_package_adds_to_every_list(tmp_path):
    assert list_algorithms() == [*BEFORE, "RidgeDescent"]
    assert "RidgeDescent" in dir(rankcore)
    assert "DepthGain" in [one.name for one in measures.list_measures()]
    assert "markdown" in list_formats()
    assert "stairs" in [one.name for one in catalogue.list_datasets()]
    assert lessons.find("example-no-slope").title == "A lesson of another package"

    train, valid, test = rankcore.load_dataset("stairs")
    model = rankcore.RidgeDescent(max_iter=5).fit_dataset(train, valid)
    values = measures.means(test, model.predict(test.X), ["DepthGain"])
    # Labels 3, 2, 1 in the first three of four places.
    assert values["DepthGain"] == pytest.approx((3 * 1 + 2 * 0.75 + 1 * 0.5) / 6)
    assert "| f1 |" in export(model, "markdown")
    rankcore.save_model(model, tmp_path / "model.json")
    read = load_model(tmp_path / "model.json")
    assert read.predict(test.X).tolist() == model.predict(test.X).tolist()


@pytest.mark.usefixtures("example")
def test_ties_of_the_example_count_as_the_mean_over_orders():
    data = RankingDataset.from_arrays([[0.0]] * 3, [2, 0, 1], qid=["q"] * 3)
    assert measures.means(data, [0.0] * 3, ["DepthGain"])["DepthGain"] == pytest.approx(
        (1 + 2 / 3 + 1 / 3) / 3
    )


@pytest.mark.usefixtures("example")
def test_colours_of_other_algorithms_stay():
    with_it = [algorithm_style(name, LIGHT) for name in BEFORE]
    discovery._registered.clear()
    sys.path.pop(0)
    discovery.forget()
    assert [algorithm_style(name, LIGHT) for name in BEFORE] == with_it


def test_the_example_of_the_guide_is_that_of_the_package():
    guide = (ROOT / "docs" / "how-to" / "algorithm.md").read_text("utf-8")
    code = guide.partition("```python\n")[2].partition("```")[0]
    words = (PLUGIN / "rankscope_example" / "ridge_descent.py").read_text("utf-8")
    assert words.endswith(code)


@pytest.mark.parametrize(
    ("point", "sentence"),
    [
        ("X = rankscope_absent:X", "The package rankscope-example adds 'X'"),
        (
            "X = json:dumps",
            "'X' of the entry points rankscope.algorithms is not a subclass",
        ),
    ],
)
def test_what_cannot_be_used_is_left_out_with_a_sentence(
    point, sentence, tmp_path, monkeypatch, request
):
    install(tmp_path / "site", f"[rankscope.algorithms]\n{point}\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    request.getfixturevalue("clean")
    with pytest.warns(UserWarning, match=sentence):
        assert list_algorithms() == BEFORE


@dataclass(eq=False, repr=False, kw_only=True)
class Climb(LinearRanker):
    """Adds a step to each coefficient."""

    title = "Climb"
    family = "regression"
    summary = "Adds a step to each coefficient."
    equation = "w"
    paper = "None"
    step: float = real(1.0, low=0.0, high=2.0, meaning="How far it goes.")

    def steps(self, dataset, rng, start=None):
        for iteration in range(self.max_iter + 1):
            coef = np.full(dataset.n_features, iteration * self.step)
            yield Step(iteration, coef, float(-iteration))


@pytest.mark.usefixtures("clean")
def test_a_class_of_one_s_own_is_written_read_and_kept(tmp_path):
    """It need not be registered."""
    data = RankingDataset.from_arrays([[0.0], [1.0]], [0, 1], qid=["q", "q"])
    model = Climb(max_iter=3, step=0.5).fit_dataset(data)
    rankcore.save_model(model, tmp_path / "model.json")
    read = load_model(tmp_path / "model.json")
    assert isinstance(read, Climb)
    assert (read.step, read.coef_.tolist()) == (0.5, model.coef_.tolist())
    assert "Climb" not in list_algorithms()
    with open_store(f"sqlite:///{tmp_path / 'runs.sqlite'}") as store:
        run = rankcore.drive(Climb(max_iter=3), data)
        with store.recording(run):
            list(run)
        (result,) = store.runs().index
        assert isinstance(store.load(result).ranker(), Climb)


@pytest.mark.usefixtures("clean")
def test_a_registered_algorithm_is_listed_and_trained_by_name(rankscope, tmp_path):
    assert rankcore.register(Climb) is Climb
    assert list_algorithms() == [*BEFORE, "Climb"]
    assert rankcore.Climb is Climb
    out = tmp_path / "model.json"
    ended = rankscope(
        "train", "toy-2d", "climb", "--step", "0.5", "--max-iter", "2", "--out", out
    )
    assert ended.code == 0
    content = json.loads(out.read_text())
    assert content["algorithm"] == "Climb"
    assert content["hyperparameters"]["step"] == 0.5


@pytest.mark.usefixtures("clean")
def test_data_and_formats_are_registered():
    @rankcore.register
    def two_queries():
        """Two queries."""
        labels = [0, 1, 1, 0]
        data = RankingDataset.from_arrays([[0.0]] * 4, labels, qid=[1, 1, 2, 2])
        return catalogue.Splits(data)

    assert rankcore.load_dataset("two-queries").train.n_queries == 2
    assert catalogue.list_datasets()[-1].title == "Two queries"

    @rankcore.register
    class Dotted(Format):
        name = "Dotted text"
        suffixes = (".dotted",)

        def recognises(self, begin, options):
            return False

        def read(self, source, **details):
            return two_queries().train

    assert formats.of_name("a.dotted").name == "Dotted text"


@pytest.mark.usefixtures("clean")
def test_a_package_of_lessons_is_registered(monkeypatch):
    monkeypatch.syspath_prepend(PLUGIN)
    package = importlib.import_module("rankscope_example.lessons")
    assert lessons.find("example-no-slope") is None
    assert rankcore.register(package) is package
    assert lessons.find("example-no-slope").title == "A lesson of another package"


def test_what_cannot_be_registered_gets_a_sentence():
    with pytest.raises(TypeError, match="Register a subclass of Ranker, Measure"):
        rankcore.register(3)

    class Unfinished(LinearRanker):
        pass

    with pytest.raises(TypeError, match="Unfinished has no method 'steps'"):
        rankcore.register(Unfinished)


def test_an_algorithm_that_nobody_knows_is_refused():
    with pytest.raises(ValueError, match="no algorithm 'Nobody'"):
        get_algorithm("Nobody")


@pytest.mark.soak
def test_the_example_is_installed_by_pip(tmp_path):
    """Into a folder of its own, with the build that its `pyproject.toml` names."""
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    command = [uv, "pip", "install", "--quiet", "--no-deps", "--target", tmp_path]
    subprocess.run([*command, "--python", sys.executable, PLUGIN], check=True)
    shown = subprocess.run(
        [sys.executable, "-m", "rankcore.cli", "describe", "RidgeDescent"],
        env={"PYTHONPATH": f"{tmp_path}:{ROOT}", "HOME": str(tmp_path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "Ridge descent" in shown.stdout
