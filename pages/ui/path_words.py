"""What the panels of the Sparsity page call things."""

from pages.ui.path_jobs import PathPlan
from rankcore.hyperparameters import Hyperparameter, hyperparameters
from rankcore.insight.sparsity import Smallest
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
    """The part on which a model is looked at: test where there is one."""
    return next(part for part in ("test", "valid", "train") if part in point.measures)


def part_name(part: str) -> str:
    """What a part of the data is called."""
    return {"train": "Training", "valid": "Validation", "test": "Test"}[part]


def best_one(found: Smallest) -> str:
    """What a model is compared with to choose it, as in "within 1 % of …"."""
    where = "training, no validation data" if found.part == "train" else "validation"
    return f"the best {found.measure} ({where})"


def signed(share: float) -> str:
    """A share in per cent with its sign, without the unit."""
    text = f"{100 * share:+.1f}"
    return text.replace("-", "−") if float(text) else "0.0"
