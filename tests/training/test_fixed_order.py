"""Kernels add and multiply in the order that is written, on every processor.

Only where a kernel says so may the compiler reorder a sum, or round a product and a sum
once instead of twice. Neither is seen on the processor at hand, so the code for another
one, which can always do both in one step, is searched for such instructions.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from os import environ
from pathlib import Path
from typing import Any

import numba
import pytest
from llvmlite import binding as llvm
from numba.core.dispatcher import Dispatcher

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic import rows
from rankcore._kernels.arithmetic.elementary import vlog
from rankcore._kernels.losses import logistic_deltas, pairwise_hinge, pairwise_logistic

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[2]
FUSED = re.compile(r"\b(?:fn?m(?:add|sub)|fml[as])\b.*")
NUMBERS, MATRIX = numba.float64[::1], numba.float64[:, ::1]
STARTS, NUMBER, WHOLE = numba.int64[::1], numba.float64, numba.int64
SAMPLE = [
    (vlog, (NUMBER,)),
    (rows.add_rows, (MATRIX, WHOLE, WHOLE, NUMBERS, NUMBERS)),
    (pairwise_hinge._pairs, (NUMBERS, STARTS, NUMBER, NUMBERS, NUMBERS, NUMBERS)),
    (pairwise_logistic._row, (NUMBER, *[NUMBERS] * 4)),
    (logistic_deltas._press, (*[NUMBER] * 3, *[NUMBERS] * 6)),
]


def fast(text: str) -> Iterator[str]:
    """Yield the functions in a text that are compiled with `fastmath`."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            for call in node.decorator_list:
                if any(
                    word.arg == "fastmath" for word in getattr(call, "keywords", [])
                ):
                    yield node.name


def test_no_kernel_may_be_reordered_or_fused() -> None:
    for file in sorted((ROOT / "rankcore").rglob("*.py")):
        text = file.read_text("utf-8")
        assert "fastmath" not in text or list(fast(text)) == [], file
    assert list(fast('@kernel(fastmath={"contract"})\ndef sum(a): ...')) == ["sum"]


def arm() -> llvm.TargetMachine:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        target = llvm.Target.from_triple("aarch64-unknown-linux-gnu")
    except RuntimeError:
        pytest.skip("This llvmlite cannot make code for Arm.")
    return target.create_target_machine(cpu="neoverse-v1", opt=3)


def fused(machine: llvm.TargetMachine, code: str) -> list[str]:
    """The instructions in a kernel's LLVM code, made for Arm, that round once where two
    operations are written."""
    code = re.sub(r"^target (?:triple|datalayout) = .*$", "", code, flags=re.M)
    code = re.sub(r'"target-(?:cpu|features)"="[^"]*"', "", code)
    # Counting references by an instruction of x86.
    code = code.replace("@llvm.x86.", "@x86.")
    module = llvm.parse_assembly(code)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    return FUSED.findall(machine.emit_assembly(module))


def code_of(kernel: Any, signature: tuple[Any, ...]) -> str:
    """LLVM code of a kernel, which is not kept with a compiled one from the cache."""
    again = numba.jit(**kernel.targetoptions)(kernel.py_func)
    again.compile(signature)
    return again.inspect_llvm(again.signatures[0])


def uncompiled(kernel: Any) -> bool:
    return not isinstance(kernel, Dispatcher)


@pytest.mark.skipif(uncompiled(vlog), reason="Kernels run uncompiled.")
@pytest.mark.parametrize(("kernel", "signature"), SAMPLE)
def test_a_kernel_made_for_arm_rounds_every_product(kernel, signature) -> None:
    assert fused(arm(), code_of(kernel, signature)) == []


@pytest.mark.skipif(uncompiled(vlog), reason="Kernels run uncompiled.")
def test_a_product_that_may_be_fused_is_found() -> None:
    @kernel(fastmath={"contract"})
    def combined(a, b, c):
        return a * b + c

    assert fused(arm(), code_of(combined, (NUMBER, NUMBER, NUMBER)))


@pytest.mark.soak
def test_all_kernels_made_for_arm_round_every_product(tmp_path) -> None:
    arm()
    answer = subprocess.run(
        [sys.executable, "-m", "tests.training.test_fixed_order"],
        cwd=ROOT,
        env={**environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    *result, count = answer.stdout.splitlines()
    assert result == []
    assert int(count) > 100


def search_all() -> None:
    """Compile all kernels, and print which are fused, and how many there are."""
    from rankcore.topics.warmup import warm_up

    warm_up()
    machine, seen = arm(), set()
    for name, module in sorted(sys.modules.items()):
        if not name.startswith("rankcore."):
            continue
        for each in vars(module).values():
            if isinstance(each, Dispatcher) and each not in seen:
                seen.add(each)
                for code in each.inspect_llvm().values():
                    for instruction in fused(machine, code):
                        place = f"{each.py_func.__module__}.{each.__name__}"
                        sys.stdout.write(f"{place}: {instruction}\n")
    sys.stdout.write(f"{len(seen)}\n")


if __name__ == "__main__":
    search_all()
