"""The number of threads that a process may use."""

import os

VARIABLE = "RANKSCOPE_THREADS"


def allowed_threads() -> int:
    """Default number of threads for large data: the cores available to this process, or
    fewer if RANKSCOPE_THREADS is set.

    Raises
    ------
    ValueError
        If the variable is not a positive integer.
    """
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return _cores()
    if not (text.isascii() and text.isdigit() and int(text) >= 1):
        raise ValueError(
            f"The environment variable {VARIABLE} is {text!r}; set it to the number of "
            "threads that training may use, a whole number from 1 upwards, or unset it."
        )
    return min(int(text), _cores())


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
