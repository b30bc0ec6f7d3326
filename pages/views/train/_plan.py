"""The run that the settings define, and the command that repeats it."""

import shlex
from collections.abc import Mapping
from typing import Any

from pages.ui import shared
from pages.ui.away import code
from pages.ui.data import datasets
from pages.ui.data.derived import derived
from rankcore.algorithms import Ranker, get_algorithm
from rankcore.base.hyperparameters import hyperparameters
from rankcore.base.numbers import rounded, three_digits
from rankcore.data.catalogue import Splits
from rankcore.training import Run, Stop, changes, drive, warm_start
from rankcore.training.selection import BEST, LAST
from rankcore.views import MORE, Choice, Values, planned

BESIDE = ("nDCG@10", "AP", "RR")
OPTIONS = (shared.NORMALISE, *shared.EVALUATION)


AXIS = Choice(
    "train_axis",
    "iteration",
    "Axis",
    names={"iteration": "Iterations", "seconds": "Seconds"},
    inline=True,
    bare=True,
    studied=False,
)


BAND = Choice(
    "train_band",
    "off",
    "Band",
    meaning="95% bootstrap interval over queries of the mean at each drawn iteration.",
    names={"off": "Off", "on": "95%"},
    group=MORE,
    studied=False,
)


def algorithm(values: Values) -> Ranker:
    """Return the algorithm with its hyperparameters and seed, not fitted."""
    cls = get_algorithm(values.algorithm)
    return cls(**values.of(cls), random_state=values.seed)


def measures(values: Values) -> tuple[str, ...]:
    """Return the chosen measure, which selects the model, and further measures."""
    return tuple(dict.fromkeys([values.measure, *BESIDE]))


def run(values: Values, start: Any = None) -> Run:
    """Return a new run; ``start`` are initial coefficients (d,), if any."""
    splits, chosen = datasets.of(values), algorithm(values)
    return drive(
        chosen,
        splits.train,
        splits.valid,
        stop=Stop(max_iterations=chosen.max_iter),
        measures=measures(values),
        rules=shared.rules(values),
        start=start,
        changes=planned(values),
    )


def start(values: Values, run: Run) -> Any:
    """Return the coefficients of the shown run's model, if a run of the settings can
    start there."""
    train, at = datasets.of(values).train, values[shared.AT.key] or LAST
    return warm_start(run, algorithm(values), train, at)


def refusal(values: Values) -> str | None:
    """Return the reason why the algorithm cannot train on the data, as a sentence."""
    return algorithm(values).unsupported_reason(datasets.of(values).train)


def caution(values: Values) -> str | None:
    """Return warnings on settings that make the model worse, as sentences."""
    return algorithm(values).caution(datasets.of(values).train)


def too_large(algorithm: Ranker, splits: Splits) -> str:
    """Return warnings on hyperparameters that make training unstable, as sentences."""
    return " ".join(
        f"{row.title} {rounded(value)} exceeds the stability limit on these data, "
        f"{three_digits(limit)}: expect the measure to oscillate."
        for name, values in derived(algorithm, splits).items()
        for row in [hyperparameters(algorithm)[name]]
        for value, limit in [(getattr(algorithm, name), values.stable)]
        if limit is not None and not isinstance(value, str) and value > limit
    )


def command(values: Values, run: Run | None = None) -> str:
    """Return the command for the same training in a terminal; if the run started from
    another's coefficients, it reads them from a file."""
    chosen = algorithm(values)
    words = ["rankscope", "train", *datasets.words(values.data), values.algorithm]
    for name in values.without:
        words += ["--ignore", name]
    for name, declared in hyperparameters(chosen).items():
        value = getattr(chosen, name)
        if value != declared.default and name != "random_state":
            words += [f"--{name.replace('_', '-')}", declared.format(value)]
    for row in OPTIONS:
        if values[row.key] != row.default:
            words += [f"--{row.key}", str(values[row.key])]
    if (at := values[shared.AT.key]) and at != BEST:
        words += ["--at", at]
    for change in changes.texts(chosen, planned(values)):
        name, _, value = change.partition("=")
        words += ["--change", f"{name.replace('_', '-')}={value}"]
    if run is not None and run.start is not None:
        words += ["--start", "model.json"]
    return shlex.join([*words, "--seed", str(values.seed)])


def python(values: Values) -> str:
    """Return Python for the same training and choice of the model."""
    chosen, new = algorithm(values), planned(values)
    at = values[shared.AT.key] or BEST
    changed = f"    changes={new!r},\n" if new else ""
    return f"""from rankcore import {type(chosen).__name__}, load_dataset
from rankcore.measures import Rules
from rankcore.training.selection import select
from rankcore.training import Stop, drive

train, valid, test = {code.data(values)}
run = drive(
    {code.ranker(chosen)},
    train,
    valid,
    stop=Stop(max_iterations={chosen.max_iter}),
    measures={measures(values)!r},
    rules={code.rules(shared.rules(values))},
{changed})
for record in run:
    pass
model = select(run, {at!r})
print(run.reason, model.text, model.record.nonzeros, model.record.valid)
"""


def stem(settings: Mapping[str, Any]) -> str:
    """Return the file name of a run's model."""
    return f"{settings['algorithm']}-{settings['data']}".replace("/", "-")
