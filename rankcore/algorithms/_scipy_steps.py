"""SciPy's minimisers as generators, so that they can be paused and stopped.

`scipy.optimize.minimize` keeps control until it has finished. Here it runs in a thread
of its own that moves only between two requests of the generator: exactly one of the two
is ever awake.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import Any

import numpy as np

Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]


@dataclass(frozen=True)
class _Failure:
    error: BaseException


def minimise(
    objective: Objective, start: np.ndarray, **options: Any
) -> Generator[np.ndarray]:
    """Yield the iterates of `scipy.optimize.minimize`, the start left out.

    Parameters
    ----------
    objective : callable
        (d,) coefficients → value and (d,) gradient; never called while the generator
        is suspended.
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
    iterates: SimpleQueue[Any] = SimpleQueue()
    requests: SimpleQueue[bool] = SimpleQueue()

    def after_iteration(x: np.ndarray) -> None:
        iterates.put(x.copy())
        if not requests.get():
            raise StopIteration

    def run() -> None:
        from scipy.optimize import minimize

        try:
            if requests.get():
                minimize(
                    objective, start, jac=True, callback=after_iteration, **options
                )
            iterates.put(None)
        except BaseException as error:
            iterates.put(_Failure(error))

    thread = Thread(target=run, name="scipy-minimise", daemon=True)
    thread.start()
    try:
        while True:
            requests.put(True)
            iterate = iterates.get()
            if iterate is None:
                return
            if isinstance(iterate, _Failure):
                raise iterate.error
            yield iterate
    finally:
        requests.put(False)
        thread.join()
