"""Results are the same to the last bit on every processor, as far as one can pose as
another.

Environment variables tell OpenBLAS, NumPy, the C library and Numba to compute as on an
older processor. A process with them must give the same figures as one without.
"""

import json
import os
import pickle
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests import figures

ROOT = Path(__file__).parents[1]
HASWELL = "+avx2,+fma,+bmi,+bmi2,+lzcnt,+popcnt,+f16c,+movbe"
SKYLAKE = f"{HASWELL},+avx512f,+avx512cd,+avx512bw,+avx512dq,+avx512vl"
# Environment variables of each cause. Child processes must not inherit others.
VARIABLES = (
    "OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES", "GLIBC_TUNABLES",
    "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES",
)  # fmt: skip
# How OpenBLAS names the loops that it then takes.
BLAS = {
    "Haswell": {"haswell"},
    "Zen": {"zen", "haswell"},
    "SkylakeX": {"skylakex"},
    "Nehalem": {"nehalem"},
}
LATER = {"X86_V4": 4, "X86_V3": 3, "AVX2": 3, "FMA3": 3}


class Processor(NamedTuple):
    """A processor that others pose as.

    Attributes
    ----------
    name : str
    blas : str
        Core type that OpenBLAS is told; empty: its own choice.
    numpy : int
        Level of x86-64 that NumPy's loops stay at, 2 without AVX2 and 3 without
        AVX-512; 0: its own choice.
    c_library : bool
        Whether glibc is without AVX2 and FMA.
    kernels : tuple of str
        Name and features that Numba compiles for; empty: its own choice.
    needs : str
        A feature that the machine must have.
    """

    name: str
    blas: str = ""
    numpy: int = 0
    c_library: bool = False
    kernels: tuple[str, str] | tuple[()] = ()
    needs: str = "sse2"

    @property
    def causes(self) -> set[str]:
        """Return the probes that this may change."""
        # Where there is no AVX-512, NumPy's loops call the C library.
        values = self.blas, self.numpy or self.c_library, self.c_library, self.kernels
        names = "BLAS", "NumPy", "C library", "kernels"
        return {name for name, result in zip(names, values, strict=True) if result}


OWN = Processor("this processor")
# All causes but the kernels, which would have to be compiled for it.
OLD = Processor("libraries of an old processor", "Nehalem", 2, True)
PLAIN = Processor("kernels for any x86-64", kernels=("x86-64", "+sse2"))
HASWELL_BLAS = Processor("BLAS of Haswell", "Haswell", needs="avx2")
PROCESSORS = [
    HASWELL_BLAS,
    Processor("BLAS of Zen", "Zen", needs="avx2"),
    Processor("BLAS of SkylakeX", "SkylakeX", needs="avx512f"),
    Processor("BLAS of Nehalem", "Nehalem"),
    Processor("NumPy without AVX-512", numpy=3, needs="avx512f"),
    Processor("NumPy without AVX2", numpy=2, needs="avx2"),
    Processor("C library without FMA", c_library=True, needs="fma"),
    PLAIN,
    Processor("kernels for Haswell", kernels=("haswell", HASWELL), needs="avx2"),
    Processor(
        "kernels for AVX-512", kernels=("skylake-avx512", SKYLAKE), needs="avx512f"
    ),
]
# What the sample compares: quick jobs, and of kernels a few that compile soon.
SAMPLE = {
    OLD: [
        "arithmetic", "data planted", "measures", "statistics", "ApproxNDCG on toy-3d",
        "RSRank on toy-3d", "SVMMAP on toy-3d", "ConeRank on toy-3d",
        "ListNet on standardised features", "clicks", "raters", "importance",
        "FenchelRank with signs", "SVMMAP with signs", "RSRank with weights of queries",
        "LambdaRank with weights of documents", "ApproxNDCG with fractional labels",
    ],
    PLAIN: ["arithmetic", "RSRank on toy-3d"],
}  # fmt: skip


class Answer(NamedTuple):
    """What a process gives; see `tests.figures`."""

    processor: Mapping[str, Any]
    probes: Mapping[str, bytes]
    figures: Mapping[str, Sequence[tuple[str, Any]]]


def missing(processor: Processor) -> str:
    """Return why this machine cannot pose as a processor; empty if it can."""
    if platform.machine() not in ("x86_64", "AMD64") or sys.platform != "linux":
        return "Only Linux on x86-64 can pose as another processor."
    from llvmlite.binding import get_host_cpu_features

    if not get_host_cpu_features().get(processor.needs):
        return f"This processor has no {processor.needs}."
    return ""


def environment(processor: Processor) -> dict[str, str]:
    """Return the environment of a process that poses as a processor."""
    settings = {
        key: result for key, result in os.environ.items() if key not in VARIABLES
    }
    if processor.blas:
        settings["OPENBLAS_CORETYPE"] = processor.blas
    if processor.numpy:
        settings["NPY_DISABLE_CPU_FEATURES"] = " ".join(later_features(processor.numpy))
    if processor.c_library:
        off = "-AVX2,-FMA,-FMA4,-AVX512F,-AVX2_Usable,-FMA_Usable"
        settings["GLIBC_TUNABLES"] = f"glibc.cpu.hwcaps={off}"
    if processor.kernels:
        name, features = processor.kernels
        settings["NUMBA_CPU_NAME"], settings["NUMBA_CPU_FEATURES"] = name, features
    return settings


def later_features(level: int) -> list[str]:
    """Return the features of processors above a level that NumPy has loops for."""
    from numpy._core._multiarray_umath import __cpu_dispatch__

    return [
        name
        for name in __cpu_dispatch__
        if (4 if name.startswith("AVX512") else LATER.get(name, 0)) > level
    ]


def answer(processor: Processor, names: Iterable[str]) -> Answer:
    """Compute jobs in a process that poses as a processor."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "answer")
        child = subprocess.run(
            [sys.executable, "-m", "tests.figures", str(file)],
            check=False,
            input=json.dumps([*names]),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=ROOT,
            env=environment(processor),
        )
        assert child.returncode == 0, child.stdout
        return Answer(**pickle.loads(file.read_bytes()))


@lru_cache(maxsize=1)
def own_answer(names: tuple[str, ...]) -> Answer:
    """Return the jobs' figures on this processor, the same for all comparisons."""
    return answer(OWN, names)


def unlike(own: Answer, other: Answer) -> dict[str, str]:
    """Return the jobs whose figures differ: where first, and how far at the end."""
    settings = {}
    for job, there in other.figures.items():
        here = own.figures[job]
        pairs = list(zip(here, there, strict=False))
        apart = [(a, b) for a, b in pairs if not equal(a, b)]
        if apart:
            (first, a), (_, b) = apart[0]
            (last, c), (_, d) = apart[-1]
            settings[job] = f"{first} {distance(a, b)}; {last} {distance(c, d)}"
        elif len(here) != len(there):
            settings[job] = f"{len(here)} figures and {len(there)}"
    return settings


def equal(one: tuple[str, Any], other: tuple[str, Any]) -> bool:
    (where, a), (there, b) = one, other
    if where != there or type(a) is not type(b):
        return False
    if not isinstance(a, np.ndarray):
        return bool(a == b)
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def distance(a: Any, b: Any) -> str:
    """Return how far apart two figures are, relative to the largest."""
    both = isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
    if not both or a.shape != b.shape or a.dtype.kind not in "fiu":
        return f"{str(a)[:40]!r} and {str(b)[:40]!r}"
    if a.size == 0:
        return "of other types"
    a, b = a.astype(float), b.astype(float)
    return f"{np.nanmax(np.abs(a - b)) / (np.nanmax(np.abs(a)) or 1.0):.1g}"


def absence(processor: Processor, own: Answer, other: Answer) -> str:
    """Return why a process did not pose as a processor; empty if it did."""
    if processor.blas and not set(other.processor["BLAS"]) <= BLAS[processor.blas]:
        return f"BLAS here cannot be told to compute as on {processor.blas}."
    result = set(later_features(processor.numpy or 9)) & set(other.processor["NumPy"])
    if result:
        return f"NumPy keeps {', '.join(sorted(result))} here."
    if processor.kernels and other.processor["kernels"] != [*processor.kernels]:
        return f"Kernels here are compiled for {other.processor['kernels']}."
    if processor.c_library and own.probes["C library"] == other.probes["C library"]:
        return "The C library here computes the same without FMA."
    return ""


def compare(
    asked: Mapping[Processor, Iterable[str]],
) -> tuple[Answer, Mapping[Processor, Answer]]:
    """Compute jobs as on this processor and as on others, and compare the figures."""
    asked = {one: [*jobs] for one, jobs in asked.items() if not missing(one)}
    every = dict.fromkeys(job for jobs in asked.values() for job in jobs)
    with ThreadPoolExecutor(2) as pool:
        here = pool.submit(own_answer, tuple(every))
        each = pool.map(lambda one: answer(one, asked[one]), asked)
        answers = dict(zip(asked, each, strict=True))
        result = here.result()
    absent = ""
    for one, other in answers.items():
        absent = absence(one, result, other) or absent
        changed = {
            name for name, bits in result.probes.items() if bits != other.probes[name]
        }
        assert changed <= one.causes, "a probe depends on something else"
        apart = unlike(result, other)
        assert not apart, f"{one.name}: {apart}"
    if absent:
        pytest.skip(absent)
    return result, answers


def test_other_processors_give_the_same_figures():
    """A sample of what `make soak` compares, which has each cause once."""
    if why := missing(OWN):
        pytest.skip(why)
    result, answers = compare(SAMPLE)
    changed = {
        name
        for other in answers.values()
        for name, bits in other.probes.items()
        if bits != result.probes[name]
    }
    # The oldest loops are the only ones on a processor that has no others.
    if not missing(HASWELL_BLAS):
        assert changed == {"BLAS", "NumPy", "C library", "kernels"}


def test_every_job_has_a_name_of_its_own():
    # Examples, the last group, load all views and have tests of their own.
    names = [name for group in figures.GROUPS[:-1] for name in group()]
    assert len(names) == len({*names})


@pytest.mark.soak
@pytest.mark.parametrize("processor", PROCESSORS, ids=lambda one: one.name)
def test_every_figure_is_the_same_on_a_processor(processor):
    if why := missing(processor):
        pytest.skip(why)
    compare({processor: figures.jobs()})
