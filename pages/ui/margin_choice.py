"""What the Margins page looks at: data, learner, loss, model and query."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from pages.ui import choice, controls, datasets, jobs, margin_jobs, query_choice, state
from rankcore.algorithms import LinearRanker, StructuredRanker
from rankcore.catalogue import Splits
from rankcore.dataset import RankingDataset
from rankcore.hyperparameters import hyperparameters
from rankcore.insight import margin_models
from rankcore.insight.margin_models import QuickFit
from rankcore.insight.margin_rounds import structured_algorithms
from rankcore.training import Run

# How long and how exactly to train is not asked where one waits for the model.
PATIENCE = ("max_iter", "epsilon")
NOT_THERE = (
    "No structured learner is installed, so there is no loss whose most violating "
    "order could be shown. As soon as one is found among the algorithms, it appears "
    "here."
)
MODELS = {
    "fit": "Fitted at these settings",
    "round": "The round chosen in Rounds",
    "train": "The last run of Train live",
    "least_squares": "Least squares",
    "zero": "No model, w = 0",
}


class Model(NamedTuple):
    """Coefficients to look at, and where they come from in a sentence."""

    coef: np.ndarray
    note: str


@dataclass(frozen=True)
class Chosen:
    """What the controls say.

    Attributes
    ----------
    data : str
    splits : Splits
    learner : type
    values : dict
        Its hyperparameters.
    loss : str
        One of its losses, by name.
    """

    data: str
    splits: Splits
    learner: type[StructuredRanker]
    values: Mapping[str, Any]
    loss: str

    @property
    def algorithm(self) -> StructuredRanker:
        """The learner with its hyperparameters."""
        return self.learner(**self.values)

    @property
    def refusal(self) -> str | None:
        """Why the learner cannot train on this data, as a sentence."""
        return self.algorithm.unsupported_reason(self.splits.train)

    def with_value(self, name: str, value: Any) -> "Chosen":
        """The same with another value of a hyperparameter."""
        return replace(self, values={**self.values, name: value})

    @property
    def settings(self) -> dict[str, Any]:
        """Data, learner and hyperparameters as settings of the page."""
        return {
            "data": self.data,
            "normalise": state.get("normalise"),
            "margin_learner": self.learner.__name__,
        } | {
            state.hyperparameter_key(self.learner, name): value
            for name, value in self.values.items()
        }


def learner_picker(*without: str, having: str = "") -> type[StructuredRanker]:
    """Choose a structured learner, found among all algorithms; stops if there is none.

    Parameters
    ----------
    *without : str
        Hyperparameters that are not asked for here.
    having : str
        A hyperparameter that it must declare.
    """
    found = {
        name: cls
        for name, cls in structured_algorithms().items()
        if not having or having in hyperparameters(cls)
    }
    if not found:
        st.info(NOT_THERE, icon=":material/hourglass_empty:")
        st.stop()
    labels = {name: cls.title for name, cls in found.items()}
    name = choice.select("Learner", "margin_learner", labels)
    return found[name]


def loss_picker(algorithm: StructuredRanker, dataset: RankingDataset) -> str:
    """Choose one of a learner's losses; returns its name."""
    names = [item.loss.name for item in algorithm.losses(dataset)]
    if len(names) == 1:
        return names[0]
    return choice.select("Loss", "margin_loss", {name: f"1 − {name}" for name in names})


def settings(*without: str, having: str = "") -> Chosen:
    """The controls of data, learner, loss and hyperparameters."""
    data = controls.dataset_picker()
    splits = datasets.load_or_stop(data)
    learner = learner_picker(having=having)
    place = st.container()
    values = controls.hyperparameters(learner, *without)
    with place:
        probe = splits.train.subset([0])
        loss = loss_picker(learner(**values), probe)
    return Chosen(data, splits, learner, values, loss)


def part_and_query(chosen: Chosen, model: Model) -> tuple[RankingDataset, int]:
    """Choose a part of the data and a query; returns the part and the position."""
    dataset = query_choice.part(chosen.splits)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        number = controls.query_picker(dataset.n_queries)
        st.button(
            "Largest slack",
            key="largest_slack",
            help="Go to the query that is furthest from its margins.",
            on_click=_largest,
            args=(chosen, dataset, model),
        )
    return dataset, number - 1


def linear_model(data: str, n_features: int) -> Model:
    """Choose among the models that need no structured learner."""
    known = {
        "train": train_model(n_features),
        "least_squares": _least_squares(data, str(state.get("normalise"))),
    }
    offered = {name: model for name, model in known.items() if model is not None}
    labels = {name: MODELS[name] for name in offered}
    model = offered[choice.select("Model", "margin_model", labels)]
    st.caption(model.note)
    return model


def model_picker(chosen: Chosen) -> Model:
    """Choose the model whose margins are looked at."""
    known = {
        "fit": lambda: fit_model(chosen),
        "round": lambda: round_model(chosen),
        "train": lambda: train_model(chosen.splits.train.n_features),
        "least_squares": lambda: _least_squares(chosen.data, state.get("normalise")),
        "zero": lambda: Model(
            np.zeros(chosen.splits.train.n_features), "All scores are equal."
        ),
    }
    offered = {
        name: MODELS[name]
        for name in MODELS
        if name not in ("round", "train") or known[name]() is not None
    }
    model = known[choice.select("Model", "margin_model", offered)]()
    st.caption(model.note)
    return model


def round_model(chosen: Chosen) -> Model | None:
    """The model of the round chosen in Rounds, where there is one for this data."""
    job = margin_jobs.current("rounds_job")
    if job is None or not job.run.records:
        return None
    position = chosen_round(len(job.run.records))
    coef = job.run.records[position].coef
    if len(coef) != chosen.splits.train.n_features:
        return None
    return Model(coef, f"{job.title}, round {position}.")


def chosen_round(count: int) -> int:
    """The round that is looked at, the last one by default."""
    wanted = int(state.get("margin_round"))
    return wanted if 0 <= wanted < count else count - 1


def fit(chosen: Chosen) -> QuickFit:
    """A model trained while one waits; it is found again if asked again."""
    values = tuple(sorted(chosen.values.items()))
    return _fitted(
        chosen.data, str(state.get("normalise")), chosen.learner.__name__, values
    )


def fit_model(chosen: Chosen) -> Model:
    """The model of `fit`, or none where the learner refuses the data."""
    refusal = chosen.refusal
    if refusal is not None:
        zero = np.zeros(chosen.splits.train.n_features)
        return Model(zero, f"{refusal} All scores are equal.")
    found = fit(chosen)
    some = found.queries < chosen.splits.train.n_queries
    which = f" of the first {found.queries} queries" if some else ""
    note = f"{chosen.learner.title}, {found.passes} passes{which}. {found.reason}"
    return Model(found.coef, note)


def train_model(n_features: int) -> Model | None:
    """The best model of the last run of Train live, where it is linear and fits."""
    asked = st.query_params.get("job") or st.session_state.get("job")
    job = jobs.find(asked)
    if job is None or not isinstance(job.run, Run) or job.best is None:
        return None
    fits = len(job.best.coef) == n_features
    if not isinstance(job.algorithm, LinearRanker) or not fits:
        return None
    return Model(job.best.coef, f"{job.title}, pass {job.best.iteration}.")


@st.cache_resource(max_entries=8, show_spinner=False)
def _least_squares(data: str, normalise: str) -> Model:
    train = datasets.load(data, normalise).train
    return Model(
        margin_models.least_squares(train),
        "Predicts the label; knows nothing of orders.",
    )


@st.cache_resource(max_entries=64, show_spinner="Fitting …")
def _fitted(
    data: str, normalise: str, learner: str, values: tuple[tuple[str, Any], ...]
) -> QuickFit:
    algorithm = structured_algorithms()[learner](**dict(values))
    return margin_models.quick_fit(algorithm, datasets.load(data, normalise).train)


def _largest(chosen: Chosen, dataset: RankingDataset, model: Model) -> None:
    found = margin_models.largest_slack(
        chosen.algorithm, dataset, model.coef, chosen.loss
    )
    state.put("query", found + 1)
