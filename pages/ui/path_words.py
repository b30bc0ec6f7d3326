"""What the panels of the Sparsity page call things."""

from pages.ui.path_jobs import PathPlan
from rankcore.hyperparameters import Hyperparameter, hyperparameters
from rankcore.paths import PathPoint


def declared(plan: PathPlan) -> Hyperparameter:
    """The hyperparameter that a path goes over."""
    return hyperparameters(plan.algorithm)[plan.over]


def symbol(plan: PathPlan) -> str:
    """The hyperparameter's symbol in plain letters, else its name."""
    written = declared(plan).symbol
    return written if written and written.isalpha() else plan.over.replace("_", " ")


def data(plan: PathPlan) -> str:
    """The data, and how the measure is counted."""
    return f"{plan.settings['data']}, {plan.measure.convention}"


def judge(point: PathPoint) -> str:
    """The part that judges: test where there is one."""
    return next(part for part in ("test", "valid", "train") if part in point.measures)


def part_name(part: str) -> str:
    """What a part of the data is called."""
    return {"train": "Training", "valid": "Validation", "test": "Test"}[part]
