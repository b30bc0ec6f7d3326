"""SciPy's minimisers as generators, so that they can be paused and stopped.

SciPy keeps control until it has finished. Here it runs in a thread of its own that
moves only between two requests of the generator: exactly one of the two is ever awake.
"""

from collections.abc import Callable, Generator
from contextvars import copy_context
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple

import numpy as np

from rankcore._pausing import may_pause

Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]

# SciPy's annealing takes a difference in the objective for large beside a temperature
# that begins near 5000; with this factor it tells objectives between 0 and 1 apart.
_ENERGY = 1000.0
_FOR_EVER = 10**9


class Trial(NamedTuple):
    """A point that annealing has tried, and the objective there."""

    x: np.ndarray
    value: float


@dataclass(frozen=True)
class _Failure:
    error: BaseException


class _Closed(BaseException):
    """Nobody wants more: SciPy is made to return."""


def minimise(
    objective: Objective, start: np.ndarray, **options: Any
) -> Generator[np.ndarray]:
    """Yield the iterates of `scipy.optimize.minimize`, the start left out.

    Parameters
    ----------
    objective : callable
        (d,) coefficients → value and (d,) gradient; never called while the generator
        is suspended. Before each call is a place to pause.
    start : (d,) float64
    **options
        Passed on: ``method``, ``options`` …

    Yields
    ------
    (d,) float64
        A copy of each iterate. When the generator is closed, at any of them, SciPy is
        made to return and its thread has ended.

    Raises
    ------
    Exception
        Whatever ``objective`` raises.
    """

    def work(hand_over: Callable[[Any], None]) -> None:
        from scipy.optimize import minimize

        def paused(x: np.ndarray) -> tuple[float, np.ndarray]:
            may_pause()
            return objective(x)

        minimize(
            paused,
            start,
            jac=True,
            callback=lambda x: hand_over(x.copy()),
            **options,
        )

    return _in_turn(work)


def anneal(
    objective: Objective,
    start: np.ndarray,
    half_widths: np.ndarray,
    rng: np.random.Generator,
    climb_passes: int,
) -> Generator[Trial]:
    """Yield all that `scipy.optimize.dual_annealing` tries, the start first.

    Annealing jumps about in a box around zero, farther while it is hot, and climbs by
    L-BFGS from the best point whenever a jump has found a better one. It goes on for
    ever, beginning anew whenever it has cooled down.

    Parameters
    ----------
    objective : callable
        As in `minimise`; values between 0 and 1, or not much larger.
    start : (d,) float64
        Within the box.
    half_widths : (d,) float64
        Above 0.
    rng : numpy.random.Generator
    climb_passes : int
        Iterations of L-BFGS at most.

    Yields
    ------
    Trial
        One an evaluation of the objective. Closing is as in `minimise`.
    """

    def work(hand_over: Callable[[Any], None]) -> None:
        from scipy.optimize import dual_annealing

        def energy(x: np.ndarray) -> float:
            value = objective(x)[0]
            hand_over(Trial(x.copy(), value))
            return _ENERGY * value

        box = list(zip(-half_widths, half_widths, strict=True))
        dual_annealing(
            energy,
            box,
            maxiter=_FOR_EVER,
            maxfun=np.inf,
            rng=rng,
            x0=start,
            minimizer_kwargs={
                "method": "L-BFGS-B",
                "jac": lambda x: _ENERGY * objective(x)[1],
                "bounds": box,
                "options": {"maxiter": climb_passes},
            },
        )

    return _in_turn(work)


def _in_turn(work: Callable[[Callable[[Any], None]], None]) -> Generator[Any]:
    """Yield what ``work`` hands over; it goes on when the next is asked for."""
    results: SimpleQueue[Any] = SimpleQueue()
    requests: SimpleQueue[bool] = SimpleQueue()

    def hand_over(result: Any) -> None:
        results.put(result)
        if not requests.get():
            raise _Closed

    def run() -> None:
        try:
            if requests.get():
                work(hand_over)
            results.put(None)
        except _Closed:
            pass
        except BaseException as error:
            results.put(_Failure(error))

    context = copy_context()
    thread = Thread(target=context.run, args=(run,), name="scipy-minimise", daemon=True)
    thread.start()
    try:
        while True:
            requests.put(True)
            result = results.get()
            if result is None:
                return
            if isinstance(result, _Failure):
                raise result.error
            yield result
    finally:
        requests.put(False)
        thread.join()
