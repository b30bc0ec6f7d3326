"""How many threads a process may use."""

import os

VARIABLE = "RANKSCOPE_THREADS"


def allowed_threads() -> int:
    """Threads that large data are shared among by default: the cores this process may
    use, or fewer where RANKSCOPE_THREADS says so.

    Raises
    ------
    ValueError
        If the variable is not a whole number from 1 upwards.
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
