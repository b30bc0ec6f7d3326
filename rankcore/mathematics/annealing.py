r"""Generalised simulated annealing with local descents, the same on every processor.

Each of the steps :math:`t = 1, 2, \dots` has a temperature

.. math:: T = T_1 \frac{2^{q_v - 1} - 1}{(1 + t)^{q_v - 1} - 1}

and tries, from the current point, d jumps of all components and then one of each
component. A jump is :math:`C\, T^{1 / (3 - q_v)}\, a / |b|^{(q_v - 1) / (3 - q_v)}`
with normal a and b; a jump that leaves the box re-enters it on the other side. A point
that is worse by :math:`\Delta` is accepted with probability

.. math:: \left[1 - (1 - q_a) \frac{t \Delta}{T}\right]_+^{1 / (1 - q_a)}.

After the first step, and after each step with a new best point, L-BFGS descends from
the best point; after many steps without improvement, from the current one. Once the
temperature is low, the search restarts at a random point.

C. Tsallis, D. A. Stariolo, *Generalized simulated annealing*, Physica A 233:395-406,
1996; Y. Xiang, D. Y. Sun, W. Fan, X. G. Gong, *Generalized simulated annealing
algorithm and its application to the Thomson model*, Physics Letters A 233:216-220,
1997; Y. Xiang, S. Gubian, B. Suomela, J. Hoeng, *Generalized simulated annealing for
efficient global optimization: the GenSA package for R*, The R Journal 5(1):13-28, 2013.
Constants are those of SciPy's `dual_annealing` (BSD 3-Clause), and so are the rules for
descents.
"""

from collections.abc import Generator, Iterator
from itertools import count

import numpy as np

from rankcore.base.draws import standard_normal
from rankcore.mathematics.elementary import exp, log
from rankcore.mathematics.lbfgs import LinePoint, Objective, evaluation, trials

_VISITING, _ACCEPTANCE = 2.62, -5.0
_HOTTEST = 5230.0
_COLDEST = 2e-5 * _HOTTEST
# C at a visiting parameter of 2.62, with the gamma function at 1 / 1.62 - 1 / 2.
_SPREAD = 5.1576093366552
_LONGEST_JUMP = 1e8
# Temperatures suit values that differ by hundreds; objectives between 0 and 1 are
# multiplied by this.
_ENERGY = 1000.0
# A descent ends when the gradient, or the decrease of the value, is below these.
_GRADIENT, _FALL = 1e-8, 1e-9
# Steps without improvement before a descent from the current point; d before each
# further one.
_PATIENCE = 1000


def anneal(
    objective: Objective,
    start: np.ndarray,
    half_widths: np.ndarray,
    rng: np.random.Generator,
    descent_iterations: int,
) -> Generator[LinePoint]:
    """Yield the trial points in a box around zero, starting at the start, without end.

    Parameters
    ----------
    objective : callable
        As in `lbfgs.minimise`; values between 0 and 1, or not much larger.
    start : (d,) float64
        Within the box.
    half_widths : (d,) float64
        Above 0.
    descent_iterations : int
        Maximum number of L-BFGS iterations per descent.

    Yields
    ------
    LinePoint
    """
    d, box = len(start), (-half_widths, half_widths)

    def descent(begin: LinePoint) -> Generator[LinePoint, None, LinePoint]:
        last = begin
        for trial in trials(
            objective,
            begin.x,
            _GRADIENT,
            max_iterations=descent_iterations,
            least_fall=_FALL,
            box=box,
        ):
            yield trial
            last = trial if trial.taken else last
        return last

    best = here = evaluation(objective, start)
    yield here
    idle, patience = 0, _PATIENCE
    while True:
        for step, temperature in enumerate(_temperatures(), 1):
            idle, better = idle + 1, step == 1
            for jump in range(2 * d):
                moving = slice(None) if jump < d else slice(jump - d, jump - d + 1)
                trial = evaluation(
                    objective, _jumped(here.x, moving, temperature, half_widths, rng)
                )
                yield trial
                if trial.value < best.value:
                    best, better, idle = trial, True, 0
                if _goes(trial.value - here.value, temperature / step, rng):
                    here = trial
            if better:
                last = yield from descent(best)
            elif idle >= patience:
                last = yield from descent(here)
                idle, patience = 0, d
            else:
                continue
            if last.value < best.value:
                best, here, idle = last, last, 0
        here = evaluation(objective, rng.uniform(-half_widths, half_widths))
        yield here


def _temperatures() -> Iterator[float]:
    power = _VISITING - 1.0
    first = float(exp(power * log(2.0))) - 1.0
    for t in count(1):
        temperature = _HOTTEST * first / (float(exp(power * log(1.0 + t))) - 1.0)
        if temperature < _COLDEST:
            return
        yield temperature


def _jumped(
    x: np.ndarray,
    moving: slice,
    temperature: float,
    half_widths: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return ``x`` (d,) after a jump of its components ``moving``."""
    x, widths = x.copy(), half_widths[moving]
    a, b = standard_normal(rng, (len(widths), 2)).T
    spread = _SPREAD * float(exp(log(temperature) / (3.0 - _VISITING)))
    power = (_VISITING - 1.0) / (3.0 - _VISITING)
    with np.errstate(divide="ignore", over="ignore"):
        jumps = spread * a / exp(power * log(np.abs(b)))
    longest = np.copysign(_LONGEST_JUMP * rng.random(), jumps)
    jumps = np.where(np.abs(jumps) > _LONGEST_JUMP, longest, jumps)
    x[moving] = np.mod(x[moving] + jumps + widths, 2.0 * widths) - widths
    return x


def _goes(rise: float, temperature: float, rng: np.random.Generator) -> bool:
    """Whether to accept a point that is worse by ``rise``."""
    if rise < 0.0:
        return True
    power = 1.0 - _ACCEPTANCE
    base = 1.0 - power * _ENERGY * rise / temperature
    chance = float(exp(log(base) / power)) if base > 0.0 else 0.0
    return bool(rng.random() <= chance)
