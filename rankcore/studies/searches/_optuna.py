"""Optuna's tree-structured Parzen estimator, with ask and tell per generation.

J. Bergstra, R. Bardenet, Y. Bengio, B. Kégl, "Algorithms for hyper-parameter
optimization", NIPS 2011; T. Akiba et al., "Optuna", KDD 2019.

Optuna computes with exponentials and logarithms of NumPy and SciPy, whose last digits
depend on the processor: after forty models, numbers differ by a relative 1e-15. Models
are trained with values of ten significant digits, which are equal unless a difference
crosses a rounding boundary, or two candidates are equally promising except for
rounding. Both are unlikely. Equal whole numbers are likely, and NumPy's sort order of
ties depends on the processor, so Optuna is given a stable sort.
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
# Maximum number of characters shown of an error.
_LONGEST = 200
# Minimum number of complete models before one is pruned.
FEWEST_FOR_A_BAR = 5


def parzen(wanted: Wanted) -> Generations:
    """Yield models that the estimator finds promising, given all earlier generations.

    Proposals depend on the seed, the number of the generation and earlier results; a
    resumed study continues as if uninterrupted. If another process works on the same
    file, they depend on both.

    Raises
    ------
    ValueError
        If the file contains another study, or none.
    """
    if wanted.study is None:
        yield from _generations(wanted)
        return
    try:
        yield from _generations(wanted)
    except (_OtherSearchError, OSError):
        raise
    # A damaged journal raises many kinds of errors, when read and later.
    except Exception as error:
        why, *_ = str(error).splitlines() or [""]
        raise ValueError(
            f"{wanted.study} is not a study of Optuna, or is damaged "
            f"({type(error).__name__}: {why[:_LONGEST]}). Give another file."
        ) from error


class _OtherSearchError(ValueError):
    """The file contains another search."""


def _generations(wanted: Wanted) -> Generations:
    with needed_to("search by Optuna's estimator"):
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
    """NumPy with a stable `argsort`."""

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
    """Return the seed of a generation's sampler, or of its remainder if a search with
    fewer models began it; each process has its own."""
    entropy = (seed, generation, position)[: 3 if position else 2] if alone else None
    return int(np.random.SeedSequence(entropy).generate_state(1)[0])


@contextmanager
def _storage(file: Path | None) -> Iterator[tuple[Any, bool]]:
    """Return Optuna's storage of the study, and whether no other process uses it."""
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
        # Optuna warns that journals are experimental.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Optuna's lock is a link, which a killed process leaves behind: the next
            # one waits for half a minute or, if the path contains a folder, forever.
            writing: Any = FileLock(f"{file}.writing")
            storage = JournalStorage(JournalFileBackend(str(file), writing))
        yield storage, alone
    finally:
        lock.release()


def _end_last_line(file: Path) -> None:
    """Remove an incomplete last line of a killed process, because a line appended to it
    could never be read."""
    with suppress(FileNotFoundError), file.open("rb+") as stream:
        content = stream.read()
        # Other files are unchanged, and refused.
        if content.startswith(_BEGIN) and not content.endswith(b"\n"):
            stream.truncate(content.rfind(b"\n") + 1)


def _study(storage: Any, wanted: Wanted) -> "optuna.Study":
    """Return the new or resumed study."""
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
            f"{wanted.study} contains another search, with another {other}: give the "
            "same settings and data, or another file."
        )
    return study


def _rest(study: "optuna.Study", wanted: Wanted, done: int) -> list["optuna.Trial"]:
    """Return the remaining models of a generation interrupted while results were
    reported: all had been proposed. Other running models are proposed again."""
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
    """Return a running trial, which is waiting for its value."""
    import optuna

    return optuna.trial.Trial(study, trial._trial_id)


def _states() -> Any:
    from optuna.trial import TrialState

    return TrialState


def _trials(study: "optuna.Study") -> list[Any]:
    """Return the reported trials of a search, in order."""
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
    """Return the driver's measurements after each iteration, without the starting
    point."""
    steps = row.history["iteration"].astype(int).tolist()
    values = row.history[measure].tolist()
    return [pair for pair in zip(steps, values, strict=True) if pair[0] > 0]


def _bar(study: "optuna.Study", wanted: Wanted, done: int) -> Bar | None:
    """Return the median at each iteration over the first complete models, as in
    Optuna's ``MedianPruner``."""
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
