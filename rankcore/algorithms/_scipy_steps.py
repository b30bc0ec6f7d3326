"""SciPy's minimisers as generators, so that training can pause and stop.

SciPy keeps control until it has finished. Here it runs in a thread of its own that
runs only between two requests of the generator: exactly one of the two runs at a time.
"""

from collections.abc import Callable, Generator
from contextvars import copy_context
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple

import numpy as np

from rankcore._cancellation import cancel_point

Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]

# SciPy's annealing compares differences in the objective with a temperature that begins
# near 5000; this factor makes objectives between 0 and 1 distinguishable.
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
    """Raised within SciPy to make it return when the generator is closed."""


def minimise(
    objective: Objective, start: np.ndarray, **options: Any
) -> Generator[np.ndarray]:
    """Yield the iterates of `scipy.optimize.minimize`, the start left out.

    Parameters
    ----------
    objective : callable
        (d,) coefficients → value and (d,) gradient; never called while the generator
        is suspended. Each call begins with a cancel point.
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
        The exception that ``objective`` raised.
    """

    def work(hand_over: Callable[[Any], None]) -> None:
        from scipy.optimize import minimize

        def cancellable(x: np.ndarray) -> tuple[float, np.ndarray]:
            cancel_point()
            return objective(x)

        minimize(
            cancellable,
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
    """Yield the points that `scipy.optimize.dual_annealing` tries, the start first.

    Annealing jumps within a box around zero, farther at high temperature, and runs
    L-BFGS from the best point whenever a jump has found a better one. It never ends:
    it restarts whenever it has cooled down.

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
        One per evaluation of the objective. Closing works as in `minimise`.
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
    """Yield the results that ``work`` hands over; each waits for the next request."""
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
