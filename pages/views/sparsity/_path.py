"""Settings and functions shared by both views of paths."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pages.ui import shared, texts
from pages.ui.away import code
from pages.ui.data import datasets
from pages.ui.data.derived import with_derived
from pages.ui.serving import visitor
from rankcore import views
from rankcore.algorithms import Ranker, get_algorithm
from rankcore.base.hyperparameters import Hyperparameter, hyperparameters
from rankcore.studies import Study
from rankcore.studies.paths import CUTOFFS, Path, grid, path
from rankcore.topics.sparsity import paths as insight
from rankcore.topics.sparsity.changes import RelativeChange
from rankcore.topics.sparsity.trade_off_figure import Look

SPARSE = views.Listed(
    "sparse",
    "RSRank",
    "Algorithm",
    meaning="The algorithms that trade features against fit.",
    names=shared.sparse_algorithms(),
    note=lambda values: get_algorithm(values.sparse).summary,
    about=lambda values: shared.definition(values.sparse),
)
COUNT = views.Number(
    "values",
    12,
    "Values on the path",
    meaning="Spread over the hyperparameter's whole range; each model starts from the "
    "previous one.",
    low=4,
    high=40,
    whole=True,
    group=views.MORE,
)
AXIS = views.Choice(
    "axis", "log", "Axis", names=("log", "linear"), studied=False, group=views.MORE
)
TOLERANCE = views.Number(
    "tolerance",
    3.0,
    "Tolerated loss, %",
    meaning="The smallest model has the fewest features among models within this share "
    "of the path's best measure on validation data, or else on training data; never on "
    "test data.",
    low=0.0,
    high=10.0,
    step=0.5,
    studied=False,
)
# The choices depend on the path.
OPEN: dict[str, Any] = {"names": lambda values: {}, "inline": True, "studied": False}
POINT = views.Stops("path_at", "", "Selected model", **OPEN)
QUERY = views.Listed("path_query", "", "Query", bare=True, **OPEN)
FIRST = (shared.DATA, SPARSE, TOLERANCE, COUNT, AXIS)
# The features of the planted data are already scaled to 0 to 1.
RSRANK = {"data": "planted", "normalise": "as given", "values": 12, "sparse": "RSRank"}
LAST = (shared.NORMALISE, shared.WITHOUT, *shared.EVALUATION, shared.SEED, POINT, QUERY)


def chosen(raw: Mapping[str, Any]) -> type[Ranker]:
    """Return the algorithm that trades features against fit."""
    return get_algorithm(SPARSE.fitted(raw.get(SPARSE.key), views.Values({})))


def settings(raw: Mapping[str, Any], *without: str) -> list[views.Setting]:
    """Return the settings of a path, except some hyperparameters of its algorithm."""
    algorithm = chosen(raw)
    left_out = {algorithm.sparsity, "random_state", *without}
    names = [name for name in hyperparameters(algorithm) if name not in left_out]
    rows = views.declared(algorithm, *names, group="Hyperparameters")
    ranker = lambda values: algorithm(**values.of(algorithm))  # noqa: E731
    return [*FIRST, *with_derived(rows, ranker), *LAST, shared.WEIGHED]


def over(values: views.Values) -> Hyperparameter:
    """Return the hyperparameter that varies along a path."""
    return hyperparameters(chosen(values))[str(chosen(values).sparsity)]


def symbol(values: views.Values) -> str:
    """Return that hyperparameter's symbol in plain letters, or else its name."""
    row = over(values)
    return row.symbol if row.symbol.isalpha() else row.name.replace("_", " ")


def look(values: views.Values, chosen: int | None = None) -> Look:
    """Return the style of the paths and the selected point."""
    colour, log = values.style(values.sparse)[0], values.axis == "log"
    return Look(symbol(values), colour, log, chosen, values.palette)


def refusal(values: views.Values) -> str | None:
    """Return the reason why the algorithm cannot train on the data, as a sentence."""
    return learner(values).unsupported_reason(datasets.of(values).train)


def learner(values: views.Values, **changed: Any) -> Ranker:
    """Return the algorithm with the selected hyperparameters, except some."""
    params: dict[str, Any] = values.of(chosen(values)) | changed
    return chosen(values)(**params, random_state=values.seed)


def untrained(values: views.Values, **changed: Any) -> Path:
    """Return the untrained path of the settings, with some hyperparameters replaced; it
    is stored for the visitor."""
    return path(
        learner(values, **changed),
        datasets.of(values),
        over(values).name,
        grid(over(values), values["values"]),
        measures=list(dict.fromkeys([values.measure, *CUTOFFS])),
        rules=shared.rules(values),
        store=views.past.sweeps(visitor.current()),
    )


def python(values: views.Values) -> str:
    """Return Python that trains the same path and chooses the smallest model."""
    model, row = learner(values), over(values)
    names = list(dict.fromkeys([values.measure, *CUTOFFS]))
    choice = code.call("smallest", values.measure, values.tolerance / 100.0)
    return f"""from rankcore import {type(model).__name__}, load_dataset
from rankcore.topics.sparsity.paths import smallest
from rankcore.measures import Rules
from rankcore.studies.paths import path

found = path(
    {code.ranker(model)},
    {code.data(values)},
    {row.name!r},
    {grid(row, values["values"])!r},
    measures={names!r},
    rules={code.rules(shared.rules(values))},
)
for point in found:
    print(point.settings, point.nonzeros, point.valid or point.train)
print({choice.replace("smallest(", "smallest(found, ", 1)})
"""


def promise(models: str, values: views.Values) -> str:
    """Return a description of the training of paths, as sentences."""
    how = values.normalise
    scaled = "taken as given" if how == datasets.AS_GIVEN else f"scaled with {how}"
    return f"{models}; results appear as they finish. Features are {scaled}."


def paths(study: Study | None) -> dict[str, Path]:
    """Return name → path for the paths of a study that have a point."""
    ready = {} if study is None else study.subject.ready(study.found)
    return {name: each for name, each in ready.items() if each.points}


def tested(
    values: views.Values, study: Study, name: str, at: int
) -> RelativeChange | None:
    """Return a model's test result against the full model once the study has ended."""
    test = datasets.of(values).test
    if not study.ended or test is None:
        return None
    return _tested(study, name, at, test, values.measure, shared.rules(values))


@lru_cache(maxsize=16)
def _tested(study: Study, name: str, at: int, *counted: Any) -> RelativeChange:
    return insight.against_full(paths(study)[name], at, *counted)


def explain(values: views.Values) -> dict[str, str]:
    """Return the tabs of the *Explain* panel."""
    algorithm = chosen(values)
    return {
        "What it optimises": texts.algorithm(algorithm, values.of(algorithm)),
        "The measure": texts.measure(values.measure, values.convention, values.empty),
        **texts.tabs(__file__),
        "Background": texts.background(algorithm),
    }
