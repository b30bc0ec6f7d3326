"""Distributions of SciPy and Optuna as ranges or values of a hyperparameter."""

from dataclasses import replace
from typing import Any

from rankcore.base.hyperparameters import Hyperparameter, Value
from rankcore.base.numbers import counted

# Maximum number of values listed in a sweep or study.
_MOST_VALUES = 1000
# Parameter names of SciPy's frozen distributions.
_ARGUMENTS = {
    "uniform": ("loc", "scale"),
    "loguniform": ("a", "b", "loc", "scale"),
    "reciprocal": ("a", "b", "loc", "scale"),
    "randint": ("low", "high", "loc"),
}


def is_distribution(distribution: Any) -> bool:
    """Return whether a value is a distribution of SciPy or Optuna."""
    of_optuna = type(distribution).__module__ == "optuna.distributions"
    return of_optuna or hasattr(distribution, "support")


def of_distribution(
    hyperparameter: Hyperparameter, distribution: Any
) -> Hyperparameter | tuple[Value, ...]:
    """Return the values of a distribution, or for a continuous one, the hyperparameter
    with its range and scale.

    Parameters
    ----------
    distribution : frozen distribution of SciPy, or BaseDistribution of Optuna
        ``uniform``, ``loguniform`` or ``randint`` of SciPy, frozen, or Optuna's
        ``FloatDistribution``, ``IntDistribution`` or ``CategoricalDistribution``.

    Raises
    ------
    ValueError
        For another distribution, or values outside the hyperparameter's range.
    """
    name = hyperparameter.name
    if hasattr(distribution, "freeze"):
        raise ValueError(
            f"{name}: the distribution {distribution.name} is not frozen; give its "
            "arguments, such as scipy.stats.uniform(0, 1)."
        )
    if hasattr(distribution, "choices"):
        return _checked(hyperparameter, distribution.choices)
    if hyperparameter.kind == "choice":
        raise ValueError(f"{name} is {hyperparameter.range_text}: give some of them.")
    low, high, step, log = (
        _scipy(name, distribution)
        if hasattr(distribution, "dist")
        else _optuna(distribution)
    )
    whole = isinstance(low, int)
    if whole != (hyperparameter.kind == "integer") and step is None:
        if not whole:
            raise ValueError(
                f"{name} takes whole numbers: give scipy.stats.randint or Optuna's "
                "IntDistribution."
            )
        step = 1
    if step is not None:
        return _checked(hyperparameter, _steps(name, low, high, step))
    low, high = map(hyperparameter.check, (low, high))
    if not low < high:
        return (low,)
    range_ = replace(hyperparameter, low=low, high=high, scale="linear")
    return replace(range_, scale="log") if log else range_


def _scipy(name: str, distribution: Any) -> tuple[Any, Any, None, bool]:
    family = distribution.dist.name
    if family not in _ARGUMENTS:
        raise ValueError(
            f"{name}: the distribution {family} cannot be searched; give "
            "scipy.stats.uniform, loguniform or randint, a Range, or values."
        )
    arguments = (
        dict(zip(_ARGUMENTS[family], distribution.args, strict=False))
        | distribution.kwds
    )
    if family == "randint":
        lowest, highest = (int(end) for end in distribution.support())
        return lowest, highest, None, False
    log = family != "uniform"
    if log and arguments.get("loc", 0) != 0:
        raise ValueError(
            f"{name}: a loguniform distribution with loc is not uniform on a log "
            "scale; leave loc out."
        )
    low, high = (float(end) for end in distribution.support())
    return low, high, None, log


def _optuna(distribution: Any) -> tuple[Any, Any, Any, bool]:
    step = distribution.step
    if isinstance(distribution.low, int) and step == 1:
        step = None
    return distribution.low, distribution.high, step, distribution.log


def _steps(name: str, low: float, high: float, step: float) -> list[float]:
    count = int((high - low) / step + 1e-9) + 1
    if count > _MOST_VALUES:
        raise ValueError(
            f"{name}: the distribution has {counted(count, 'values')}; at most "
            f"{_MOST_VALUES} can be listed, so give one without steps."
        )
    return [low + number * step for number in range(count)]


def _checked(hyperparameter: Hyperparameter, values: Any) -> tuple[Value, ...]:
    return tuple(dict.fromkeys(hyperparameter.check(value) for value in values))
