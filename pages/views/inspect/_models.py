"""The model that a setting names: a run, a file, or a quickly trained example."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pages.ui import examples
from pages.ui.data import datasets, models
from pages.ui.data.inspecting import (
    CELL,
    COMPARED,
    OF,
    PLACES,
    POINT,
    RACE,
    SEARCHED,
    SHIPPED,
    SHIPPED_RUN,
    compared,
    made_by,
)
from pages.ui.serving import visitor
from rankcore.algorithms import Ranker
from rankcore.algorithms.parts.trees.imported import Imported
from rankcore.data.catalogue import list_datasets
from rankcore.data.dataset import RankingDataset, feature_differences, set_name
from rankcore.studies import Study
from rankcore.studies.results import Result
from rankcore.topics.approximation.model_curves import end_model, linear_algorithms
from rankcore.topics.compare.comparison import contenders
from rankcore.topics.explore.maps import found_map
from rankcore.topics.explore.search import found_search
from rankcore.topics.inspect.inspected import InspectedModel, NoModelError
from rankcore.training.selection import BEST, LAST, select
from rankcore.views import Values, past

if TYPE_CHECKING:
    from rankcore.studies.store import StoredRun
    from rankcore.training import Run

KINDS = tuple(PLACES)
DATA = ("data", "normalise", "without")
# Name of the run that the visitor last viewed on the Train page.
ON_TRAIN = "train"
TRAIN = "train/Run"
EXAMPLE = "RSRank"
# Iterations offered for a run in memory; others can be typed.
MOST_OFFERED = 21


def names(values: Values) -> dict[str, str]:
    """Return the available models; the example comes first, with an empty name."""
    linear = {
        name: f"Example: {cls.title}" for name, cls in linear_algorithms().items()
    }
    on_train = values.work(TRAIN)
    titles = {"": f"{linear.pop(EXAMPLE)}, trained at once"}
    if SHIPPED_RUN in (values.get("run"), values.get("beside")):
        run = examples.study("train", "Run").run
        titles[SHIPPED_RUN] = f"{type(run.algorithm).title}, the example of Train"
    if on_train is not None:
        titles[ON_TRAIN] = f"{type(on_train.algorithm).title}, now on Train"
    racing = {
        f"{RACE}{number}": f"{name}, in the race"
        for number, name in enumerate(_race(values), start=1)
    }
    return (
        titles
        | racing
        | _compared_names(values)
        | _made_names(values)
        | dict(past.recent(visitor.owner()))
        | models.names()
        | linear
    )


def find(name: str, at: str, values: Values, train: RankingDataset) -> InspectedModel:
    """Return the model of that name.

    Parameters
    ----------
    name : str
        The id of a run, the name of a file or an algorithm, or `ON_TRAIN`; empty for
        the example.
    at : str
        Iteration, as in `rankcore.training.selection.select`; empty for the best.
    values : Values
        Data, normalisation and seed for examples.
    train : RankingDataset
        The training split for examples.

    Raises
    ------
    NoModelError
        If there is no such model, or it does not fit the data.
    """
    model = _model(name, at, values, train)
    if isinstance(model.algorithm, Imported):
        coef = model.algorithm.on_features(train.feature_names)
        if coef is not None:
            features = train.feature_names
            key = model.key, features
            model = replace(model, key=key, coef=coef, feature_names=features)
    if not model.fits(train, values):
        names, features = train.feature_names, model.feature_names
        lacking = [name for name in features if name not in names]
        others = [name for name in names if name not in features]
        difference = feature_differences(lacking, others) or "their order differs"
        raise NoModelError(
            f"The chosen data does not have the features of {model.title}: "
            f"{difference}. Choose its training data, or another model.",
            {k: v for k, v in model.data.items() if values.get(k) != v},
        )
    return model


def data_of(name: str, values: Values) -> Mapping[str, Any]:
    """Return the settings of the data that a run or a file was trained with."""
    try:
        model = _of_name(name, "", values)
    except NoModelError:
        return {}
    return {} if model is None else model.data


def iterations(name: str, values: Values) -> dict[str, str]:
    """Return the available iterations of a run, or the only one of another model; empty
    for examples."""
    if not name or name in linear_algorithms():
        return {}
    run = _in_process(name, values)
    if run is not None:
        if not len(run.history):
            return {"": "best", LAST: "last"}
        ends = {"best": run.best.iteration, "last": run.history[-1].iteration}
        able = [one.iteration for one in run.history.records if run.has(one)]
        every = np.unique(np.linspace(0, len(able) - 1, MOST_OFFERED).round())
        return _offered(ends | {str(able[int(n)]): able[int(n)] for n in every})
    if name.startswith((COMPARED, SHIPPED)):
        one = _compared(f"{name.partition('-')[0]}-", values).get(name)
        return {} if one is None else {"": one.chosen_text}
    if name.startswith(KINDS):
        model = _of_study(name, values)
        return {} if model is None else {"": model.model.provenance_.text}
    if name.startswith(models.PREFIX):
        file = models.MODELS.get(name)
        return {} if file is None else {"": file[-1].provenance_.text}
    stored = past.stored(name)
    return {} if stored is None else _offered(stored.models())


def _offered(counts: Mapping[str, int]) -> dict[str, str]:
    """Return the iterations on offer, from model names and their iterations."""
    ends = {
        "" if name == BEST else name: f"{name} ({counts[name]})"
        for name in (BEST, LAST)
        if name in counts
    }
    return ends | {name: name for name in counts if name not in (BEST, LAST)}


def _model(name: str, at: str, values: Values, train: RankingDataset) -> InspectedModel:
    run = _of_name(name, at, values)
    if run is not None:
        return run
    chosen = name or EXAMPLE
    if chosen not in linear_algorithms():
        raise NoModelError(
            f"There is no run or model {name!r:.60} here. Choose another model. Upload "
            "a model file of an earlier visit again; export a run of another computer "
            "there, and import it here.",
            {"run": ""},
        )
    refused = datasets.refusals(values).get(chosen)
    if refused:
        raise NoModelError(refused, {"run": ""} if name else {"run": "LeastSquares"})
    return _example(values.data, values.normalise, values.seed, chosen, train)


def _of_name(name: str, at: str, values: Values) -> InspectedModel | None:
    """Return the model of a run or a file; None for any other name."""
    if not name or name in linear_algorithms():
        return None
    run = _in_process(name, values)
    if run is not None:
        return _of_run(name, run, at)
    if name.startswith((COMPARED, SHIPPED)):
        return _of_compared(name, at, values)
    if name.startswith(KINDS):
        model = _of_study(name, values)
        if model is None:
            return None
        # Different studies have different models of the same name.
        key = name, model.model.parameters_.tobytes()
        return replace(_of_file(name, model.title, model.model, at), key=key)
    if name.startswith(models.PREFIX):
        file = models.MODELS.get(name)
        return None if file is None else _of_file(*file, at)
    if models.RANKINGS.get(name) is not None:
        raise NoModelError(
            "A file of rankings has no model. Choose it as the second order.",
            {"run": "", "beside": name},
        )
    stored = past.stored(name)
    return None if stored is None else _of_stored(stored, at)


def _in_process(name: str, values: Values) -> "Run | None":
    if name.startswith(RACE):
        return _in_race(name.removeprefix(RACE), values)
    if name == SHIPPED_RUN:
        return examples.study("train", "Run").run
    return values.work(TRAIN if name == ON_TRAIN else name)


def _race(values: Values) -> "Mapping[str, Run]":
    """Return the runs of the race that the visitor last viewed."""
    study = values.work("train/Race")
    runs: Mapping[str, Run] = {} if study is None else study.subject.begun
    return runs


def _in_race(number: str, values: Values) -> "Run | None":
    runs = list(_race(values).values())
    place = int(number) - 1 if number.isdecimal() and len(number) < 3 else -1
    return runs[place] if 0 <= place < len(runs) else None


def _compared(prefix: str, values: Values) -> dict[str, Result]:
    """Return the models of a study on Compare, by their names in links."""
    study = compared(prefix, values)
    results = [] if study is None else list(study.found)
    return {
        f"{prefix}{number}": one
        for number, one in enumerate(results, start=1)
        if not one.failed
    }


def _compared_names(values: Values) -> dict[str, str]:
    """Return the titles of Compare's runs, or of its example if a link names it."""
    chosen = [str(values.get(key, "")) for key in ("run", "beside")]
    linked = any(name.startswith(SHIPPED) for name in chosen)
    runs = _compared(SHIPPED if linked else COMPARED, values)
    names = {run: one.name for one in contenders(runs.values()) for run in one.runs}
    return {
        name: f"{names[run]}, seed {run.cell.seed}, on Compare"
        for name, run in runs.items()
    }


class _StudyModel(NamedTuple):
    """A fitted model of a study, and its origin."""

    title: str
    model: Ranker


def _of_study(name: str, values: Values) -> _StudyModel | None:
    """Return the model of a study."""
    study, of = made_by(name, values), " of the example" if OF in name else ""
    if study is None or not study.done:
        return None
    model = _made_by(study, study.done, name.partition(OF)[0])
    return model and model._replace(title=f"{model.title}{of}")


@lru_cache(maxsize=16)
def _made_by(study: Study, done: int, name: str) -> _StudyModel | None:
    if name.startswith(SEARCHED):
        search = found_search(study.subject, study.found[:done])
        numbered = {f"{SEARCHED}{one.number}": one for one in search.usable}
        model = search.model(numbered[name]) if name in numbered else None
        return None if model is None else _StudyModel("a search", model)
    if name.startswith(POINT):
        paths = study.subject.ready(study.found[:done])
        points = (point for path in paths.values() for point in path.points)
        models = {f"{POINT}{point.cell.value:.6g}": point.model for point in points}
        return _StudyModel("a path", models[name]) if name in models else None
    heat_map = found_map(study.subject, study.found[:done])
    cells = {f"{CELL}{','.join(map(str, cell.at))}": cell for cell in heat_map.cells}
    model = heat_map.model(cells[name]) if name in cells else None
    return None if model is None else _StudyModel("a map", model)


def _made_names(values: Values) -> dict[str, str]:
    """Return the titles of study models that a link names."""
    chosen = (str(values.get(key, "")) for key in ("run", "beside"))
    pairs = {name: _of_study(name, values) for name in chosen if name.startswith(KINDS)}
    return {
        name: f"{type(one.model).title}, {one.model.provenance_.text}, of {one.title}"
        for name, one in pairs.items()
        if one is not None
    }


def _of_compared(name: str, at: str, values: Values) -> InspectedModel | None:
    prefix, _, _ = name.partition("-")
    run = _compared(f"{prefix}-", values).get(name)
    if run is None:
        return None
    plan, title = compared(name, values).subject, run.ranker.title
    _only(at, run.iteration, run.chosen_text)
    names = next(iter(plan.folds.values())).train.feature_names
    return InspectedModel(
        (name, id(run)),
        title,
        f"{title}, {run.chosen_text}, trained on Compare",
        run.ranker,
        run.coef,
        names,
        run.terms.normalisation,
        _data_settings(plan.data, run.terms.normalisation, names),
    )


def _of_run(name: str, run: "Run", at: str) -> InspectedModel:
    history = run.history
    if not len(history):
        raise NoModelError(
            "This run has no iterations yet. Start it on the Train page.", {"run": ""}
        )
    try:
        chosen = select(run, at or BEST)
    except ValueError as error:
        raise NoModelError(str(error), {"at": ""}) from None
    title, record, train = type(run.algorithm).title, chosen.record, run.train
    return InspectedModel(
        (name, id(run), record.iteration),
        title,
        f"{title}, {chosen.text}",
        run.algorithm,
        record.coef,
        train.feature_names,
        train.normalisation,
        _data_settings(train.name, train.normalisation, train.feature_names),
    )


def _of_stored(stored: "StoredRun", at: str) -> InspectedModel:
    if BEST not in stored.models():
        raise NoModelError(
            f"Run {stored.id} ended before its first iteration.", {"run": ""}
        )
    try:
        model = _fitted(stored.id, stored.updated, at or BEST)
    except KeyError as error:
        raise NoModelError(error.args[0], {"at": ""}) from None
    origin = model.provenance_
    settings = past.settings(stored) if "data" in stored.settings else {}
    settings = {"without": ()} | {k: v for k, v in settings.items() if k in DATA}
    name = str(settings.get("data", ""))
    is_here = datasets.here(name) or datasets.missing(name)
    return InspectedModel(
        (stored.id, origin.iteration, stored.updated),
        stored.title,
        f"{stored.title}, {origin.text}, of run {stored.id}",
        stored.ranker(),
        model.parameters_,
        stored.feature_names,
        stored.normalisation,
        settings
        if is_here
        else _data_settings(stored.data, stored.normalisation, stored.feature_names),
    )


@lru_cache(maxsize=16)
def _fitted(key: str, updated: Any, at: str) -> Ranker:
    """Return a model of a stored run; raises KeyError if it is not stored."""
    stored = past.stored(key)
    if stored is None:
        raise KeyError(f"Run {key} is not in this run store.")
    return stored.model(at)


def _only(at: str, iteration: int, text: str) -> None:
    """Refuse any iteration except the only available one, which ``text`` names."""
    if at not in ("", BEST, str(iteration)):
        raise NoModelError(
            f"The only choice for this model is {text}, not at = {at}.", {"at": ""}
        )


def _of_file(name: str, file: str, model: Ranker, at: str) -> InspectedModel:
    origin, kind, other = model.provenance_, type(model), isinstance(model, Imported)
    _only(at, origin.iteration, "one version" if other else origin.text)
    return InspectedModel(
        name,
        file if other else kind.title,
        kind.title + ("" if other else f", {origin.text},") + f" from {file}",
        model,
        model.parameters_,
        origin.feature_names,
        origin.normalisation,
        _data_settings(origin.data_name, origin.normalisation, origin.feature_names),
    )


@lru_cache(maxsize=16)
def _example(
    data: str, normalise: str, seed: int, name: str, train: RankingDataset
) -> InspectedModel:
    cls = linear_algorithms()[name]
    return InspectedModel(
        (data, normalise, train.feature_names, seed, name),
        cls.title,
        f"{cls.title}, an example trained at once",
        cls(random_state=seed),
        end_model(name, train, seed),
        train.feature_names,
        train.normalisation,
    )


def _data_settings(
    name: str, normalisation: str | None, features: tuple[str, ...]
) -> dict[str, Any]:
    """Return the settings of a data set from the name of its training split."""
    for info in list_datasets():
        if info.name == set_name(name):
            train = datasets.load(info.name).train
            same = normalisation in (None, train.normalisation)
            scaling = datasets.AS_GIVEN if same else normalisation
            left = set(features) < set(train.feature_names)
            without = datasets.feature_names(info.name, features) if left else ()
            return {"data": info.name, "normalise": scaling, "without": without}
    return {}
