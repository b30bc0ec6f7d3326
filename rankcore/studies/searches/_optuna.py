"""The tree-structured Parzen estimator of Optuna, asked and told in generations.

J. Bergstra, R. Bardenet, Y. Bengio, B. Kégl, "Algorithms for hyper-parameter
optimization", NIPS 2011; T. Akiba et al., "Optuna", KDD 2019.

Optuna computes with exponentials and logarithms of NumPy and SciPy, whose last digits
depend on the processor: after forty models, numbers differ by 1e-15 of them. Models are
trained with ten significant digits, and these are the same; not so where the
difference moves a number over the middle between two of ten digits, or where Optuna
finds two candidates equally promising but for rounding. Neither is likely. Equal whole
numbers are likely, and NumPy sorts them in another order on each processor: Optuna is
made to leave them in their own.
"""

import json
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcore.base.extras import needed_to
from rankcore.mathematics.elementary import ten_digits
from rankcore.studies.cells import Bar
from rankcore.studies.results import ModelResults, Result
from rankcore.studies.searches._proposals import Generations, Proposal, Wanted
from rankcore.studies.searches.space import Dimension

if TYPE_CHECKING:
    import optuna

NAME = "rankscope"
# First bytes of Optuna's journals.
_BEGIN = b'{"op_code":'
# Characters of an error that are shown.
_LONGEST = 200
# Complete models that are needed before one is ended early.
FEWEST_FOR_A_BAR = 5


def parzen(wanted: Wanted) -> Generations:
    """Models that the estimator finds promising, given all generations before.

    What it proposes depends on the seed, the number of the generation and what earlier
    ones reached; a study that is kept goes on as if it had not been left. While another
    process works on the same file, it depends on both.

    Raises
    ------
    ValueError
        If the file keeps another study, or none.
    """
    if wanted.study is None:
        yield from _generations(wanted)
        return
    try:
        yield from _generations(wanted)
    except (_OtherSearchError, OSError):
        raise
    # A damaged journal raises errors of many kinds, when it is read and later.
    except Exception as error:
        why, *_ = str(error).splitlines() or [""]
        raise ValueError(
            f"{wanted.study} is not a study of Optuna, or is damaged "
            f"({type(error).__name__}: {why[:_LONGEST]}). Give another file."
        ) from error


class _OtherSearchError(ValueError):
    """The file keeps another search."""


def _generations(wanted: Wanted) -> Generations:
    with needed_to("search by the estimator of Optuna"):
        import optuna

    _leave_ties_in_order()
    distributions = {
        dimension.name: dimension.distribution() for dimension in wanted.space
    }
    with _storage(wanted.study) as (storage, alone):
        study = _study(storage, wanted)
        if results := _trials(study):
            reached = yield [_proposal(wanted, trial) for trial in results]
            for trial, one in zip(results, reached, strict=True):
                if alone and trial.state == _states().RUNNING:
                    _tell(study, _trial(study, trial), one, wanted)
        rest = _rest(study, wanted, len(results)) if alone else []
        while (done := len(_trials(study))) < wanted.models:
            count = min(wanted.generation, wanted.models - done)
            number, position = divmod(done, wanted.generation)
            study.sampler = optuna.samplers.TPESampler(
                seed=_seed(wanted.seed, number, position, alone)
            )
            bar = _bar(study, wanted, done - position) if wanted.prune else None
            trials = rest[:count] or [study.ask(distributions) for _ in range(count)]
            rest = rest[count:]
            reached = yield [
                Proposal(_settings(wanted.space, trial.params), bar=bar)
                for trial in trials
            ]
            for trial, one in zip(trials, reached, strict=True):
                _tell(study, trial, one, wanted)


class _StableNumPy:
    """NumPy, with an `argsort` that leaves equal numbers in their order."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    @staticmethod
    def argsort(numbers: Any) -> Any:
        return np.argsort(numbers, kind="stable")


def _leave_ties_in_order() -> None:
    estimator: Any = sys.modules.get("optuna.samplers._tpe.parzen_estimator")
    if estimator is not None:
        estimator.np = _StableNumPy()


def _seed(seed: int, generation: int, position: int, alone: bool) -> int:
    """Of the sampler of a generation, or of what follows where a search with fewer
    models has begun it; of two processes, each has its own."""
    entropy = (seed, generation, position)[: 3 if position else 2] if alone else None
    return int(np.random.SeedSequence(entropy).generate_state(1)[0])


@contextmanager
def _storage(file: Path | None) -> Iterator[tuple[Any, bool]]:
    """Where Optuna keeps the study, and whether no other process works on it."""
    if file is None:
        yield None, True
        return
    from filelock import FileLock, Timeout
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    lock = FileLock(f"{file}.in-use", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        alone = False
    else:
        alone = True
    try:
        if alone:
            _end_last_line(file)
        # Optuna says that journals are an experiment.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Optuna's lock is a link, which a killed process leaves: the next one waits
            # for half a minute or, where the path leads through a folder, for ever.
            writing: Any = FileLock(f"{file}.writing")
            storage = JournalStorage(JournalFileBackend(str(file), writing))
        yield storage, alone
    finally:
        lock.release()


def _end_last_line(file: Path) -> None:
    """Cut off what a killed process began to write: a line that is joined to it could
    never be read."""
    with suppress(FileNotFoundError), file.open("rb+") as stream:
        content = stream.read()
        # Another file stays as it is, and is refused.
        if content.startswith(_BEGIN) and not content.endswith(b"\n"):
            stream.truncate(content.rfind(b"\n") + 1)


def _study(storage: Any, wanted: Wanted) -> "optuna.Study":
    """Return the study, begun or gone on with."""
    import optuna

    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        study = optuna.create_study(
            storage=storage,
            study_name=NAME,
            direction="maximize",
            pruner=optuna.pruners.NopPruner(),
            load_if_exists=True,
        )
    finally:
        optuna.logging.set_verbosity(level)
    before = study.user_attrs.get("identity")
    if before is None:
        study.set_user_attr("identity", dict(wanted.identity))
    elif before != json.loads(json.dumps(wanted.identity)):
        identity = json.loads(json.dumps(wanted.identity))
        other = ", ".join(
            name for name in identity if identity[name] != before.get(name)
        )
        raise _OtherSearchError(
            f"{wanted.study} keeps another search, with another {other}: give the same "
            "settings and data, or another file."
        )
    return study


def _rest(study: "optuna.Study", wanted: Wanted, done: int) -> list["optuna.Trial"]:
    """Return the models of a generation that was left while it was told: all of it had
    been proposed. Others that were under way are proposed anew."""
    position = done % wanted.generation
    names = {dimension.name for dimension in wanted.space}
    rest = []
    for trial in study.get_trials(deepcopy=False, states=[_states().RUNNING]):
        if position and names <= trial.params.keys():
            rest.append(_trial(study, trial))
        else:
            study.tell(trial.number, state=_states().FAIL)
    return rest


def _trial(study: "optuna.Study", trial: Any) -> "optuna.Trial":
    """Return a running trial, which will receive its value."""
    import optuna

    return optuna.trial.Trial(study, trial._trial_id)


def _states() -> Any:
    from optuna.trial import TrialState

    return TrialState


def _trials(study: "optuna.Study") -> list[Any]:
    """Return the trials that a search has reported, in order."""
    return [
        trial
        for trial in study.get_trials(deepcopy=False)
        if "rows" in trial.user_attrs
    ]


def _settings(space: Sequence[Dimension], params: dict[str, Any]) -> dict[str, Any]:
    return {
        dimension.name: dimension.value(_ten_digits(dimension, params[dimension.name]))
        for dimension in space
    }


def _ten_digits(dimension: Dimension, proposed: Any) -> Any:
    if dimension.values or not isinstance(proposed, float):
        return proposed
    low, high = dimension.ends
    return min(max(float(ten_digits(proposed)), low), high)


def _proposal(wanted: Wanted, trial: Any) -> Proposal:
    from rankcore.studies.searches._rows import row

    settings = _settings(wanted.space, trial.params)
    stored = trial.user_attrs["rows"]
    rows = tuple(row(content, settings, wanted.measure) for content in stored)
    if not rows:
        raise ValueError("a trial has no row")
    model = ModelResults((trial.number,), rows, wanted.measure)
    if trial.state == _states().COMPLETE and model.value != trial.value:
        raise ValueError(f"a model has another {wanted.measure} than its trial")
    return Proposal(settings, rows=rows)


def _tell(study: "optuna.Study", trial: Any, one: ModelResults, wanted: Wanted) -> None:
    states = _states()
    trial.set_user_attr("rows", [row.to_json() for row in one.rows])
    if np.isnan(one.value):
        study.tell(trial, state=states.FAIL)
        return
    if wanted.prune:
        (row,) = one.rows
        for step, value in _reports(row, wanted.measure):
            trial.report(value, step)
    if one.state == "pruned":
        study.tell(trial, state=states.PRUNED)
    else:
        study.tell(trial, one.value)


def _reports(row: Result, measure: str) -> list[tuple[int, float]]:
    """Return what the driver measured after each iteration, the starting point left
    out."""
    steps = row.history["iteration"].astype(int).tolist()
    values = row.history[measure].tolist()
    return [pair for pair in zip(steps, values, strict=True) if pair[0] > 0]


def _bar(study: "optuna.Study", wanted: Wanted, done: int) -> Bar | None:
    """Return the median at each iteration of those of the first models that are
    complete, as of Optuna's ``MedianPruner``."""
    complete = [one for one in _trials(study)[:done] if one.state == _states().COMPLETE]
    if len(complete) < FEWEST_FOR_A_BAR:
        return None
    at: dict[int, list[float]] = {}
    for trial in complete:
        for step, value in trial.intermediate_values.items():
            at.setdefault(step, []).append(value)
    steps = sorted(at)
    medians = tuple(float(np.nanpercentile(at[step], 50)) for step in steps)
    return Bar(wanted.measure, tuple(steps), medians)
