"""Python code and commands that reproduce results, written from their values."""

from typing import Any

from pages.ui.data import datasets
from rankcore.algorithms import Ranker
from rankcore.base.hyperparameters import hyperparameters
from rankcore.measures import Rules
from rankcore.views import Values


def data(values: Values) -> str:
    """Return the expression that loads the data the settings choose."""
    scaling, without = datasets.scaling(values.normalise), values.get("without", ())
    left = f".without({[*without]!r})" if without else ""
    scaled = f".normalise({scaling!r})" if scaling else ""
    return f"load_dataset({values.data!r}){left}{scaled}"


def ranker(algorithm: Ranker) -> str:
    """Return an algorithm's expression, with non-default settings and the seed."""
    values = {
        name: getattr(algorithm, name)
        for name, declared in hyperparameters(algorithm).items()
        if name != "random_state" and getattr(algorithm, name) != declared.default
    }
    return call(type(algorithm).__name__, **values, random_state=algorithm.random_state)


def rules(chosen: Rules) -> str:
    """Return the expression of evaluation rules."""
    return call("Rules", *chosen)


def call(name: str, *values: Any, **pairs: Any) -> str:
    """Return the expression of a call with plain values."""
    words = [*map(repr, values), *(f"{key}={value!r}" for key, value in pairs.items())]
    return f"{name}({', '.join(words)})"
