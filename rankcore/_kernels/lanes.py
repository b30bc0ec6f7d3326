"""Sums of eight lanes: fast, and in the same order on every processor.

A compiler that may reassociate a sum makes as many partial sums as the processor has
room for; one that may not adds one number at a time. Here the code itself says the
partial sums: lane k of eight adds the terms k, k + 8, k + 16 …; four terms left over go
to the first four lanes; then the lanes are added, and then the last terms, at most
three. Every term is rounded before it is added, for not every processor can do both in
one step. LLVM translates vectors of four numbers to the registers there are.

Arrays are C-contiguous, of float64 or float32, which is converted before it is used.
"""

from collections.abc import Callable
from functools import reduce
from operator import add, mul
from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

_WIDTH = 4
_DOUBLES = ir.VectorType(ir.DoubleType(), _WIDTH)


def _plain_sum(
    terms: Any, join: Callable[[float, float], float] = add, start: float = 0.0
) -> float:
    """The same without compilation; ``terms`` is (n,) float64."""
    terms = np.asarray(terms, np.float64).tolist()
    lanes, n = [start] * (2 * _WIDTH), len(terms)
    whole = n - n % _WIDTH
    for k in range(whole):
        lane = k % (2 * _WIDTH) if k < n - n % (2 * _WIDTH) else k % _WIDTH
        lanes[lane] = join(lanes[lane], terms[k])
    a, b, c, d = (join(lanes[k], lanes[k + _WIDTH]) for k in range(_WIDTH))
    return reduce(join, terms[whole:], join(join(a, c), join(b, d)))


def _intrinsic(plain: Callable[..., float]) -> Callable[..., Any]:
    """A decorator: the intrinsic, or ``plain`` where kernels run uncompiled."""
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return lambda function: plain
    return intrinsic


def _check(*arrays: Any) -> None:
    for array in arrays:
        if (
            not isinstance(array, types.Array)
            or array.layout != "C"
            or array.dtype not in (types.float64, types.float32)
        ):
            raise TypingError(f"Lanes need C-contiguous arrays of floats, not {array}.")


def _start(context: Any, builder: Any, kind: Any, array: Any, *indices: Any) -> Any:
    """Address of the element at the given first indices and 0 in the others."""
    made = context.make_array(kind)(context, builder, array)
    address = builder.ptrtoint(made.data, indices[0].type)
    strides = cgutils.unpack_tuple(builder, made.strides)
    for index, stride in zip(indices, strides, strict=False):
        address = builder.add(address, builder.mul(index, stride))
    return builder.inttoptr(address, made.data.type)


def _columns(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    made = context.make_array(kind)(context, builder, array)
    return cgutils.unpack_tuple(builder, made.shape)[-1]


def _load(builder: Any, kind: Any, start: Any, k: Any, width: int) -> Any:
    """``width`` numbers from the k-th on, as float64."""
    short = kind.dtype == types.float32
    single = ir.FloatType() if short else ir.DoubleType()
    several = single if width == 1 else ir.VectorType(single, width)
    address = builder.bitcast(builder.gep(start, [k]), several.as_pointer())
    numbers = builder.load(address, align=4 if short else 8)
    if not short:
        return numbers
    return builder.fpext(numbers, ir.DoubleType() if width == 1 else _DOUBLES)


def _sum(
    builder: Any,
    n: Any,
    term: Callable[[Any, int], Any],
    join: str = "fadd",
    neutral: float = 0.0,
) -> Any:
    """Sum ``term(k, width)``, ``width`` terms from the k-th on, for k below ``n``; or
    multiply them."""
    joined = getattr(builder, join)
    word = n.type
    two_blocks, block = word(2 * _WIDTH), word(_WIDTH)
    lanes = [cgutils.alloca_once(builder, _DOUBLES) for _ in range(2)]
    for lane in lanes:
        builder.store(ir.Constant(_DOUBLES, [neutral] * _WIDTH), lane)

    def include(lane: Any, k: Any) -> None:
        builder.store(joined(builder.load(lane), term(k, _WIDTH)), lane)

    rest = builder.and_(n, word(2 * _WIDTH - 1))
    whole = builder.sub(n, rest)
    with cgutils.for_range_slice(builder, word(0), whole, two_blocks, word) as (k, _):
        include(lanes[0], k)
        include(lanes[1], builder.add(k, block))
    with builder.if_then(builder.icmp_unsigned(">=", rest, block)):
        include(lanes[0], whole)
    both = joined(*(builder.load(lane) for lane in lanes))
    a, b, c, d = (
        builder.extract_element(both, ir.IntType(32)(lane)) for lane in range(_WIDTH)
    )
    total = cgutils.alloca_once(builder, ir.DoubleType())
    builder.store(joined(joined(a, c), joined(b, d)), total)
    first = builder.and_(n, word(-_WIDTH))
    with cgutils.for_range_slice(builder, first, n, word(1), word) as (k, _):
        builder.store(joined(builder.load(total), term(k, 1)), total)
    return builder.load(total)


def _sum_of_products(builder: Any, n: Any, *factors: Any) -> Any:
    """Sum of ``n`` products of two arrays; of each its type and where it starts."""

    def term(k: Any, width: int) -> Any:
        return builder.fmul(
            *(_load(builder, kind, start, k, width) for kind, start in factors)
        )

    return _sum(builder, n, term)


@_intrinsic(lambda a, lo, hi: _plain_sum(a[lo:hi]))
def total(typing_context, a, lo, hi):
    """Sum of ``a[lo:hi]``; ``a`` is (n,), and 0 <= lo <= hi <= n."""
    _check(a)

    def generate(context, builder, signature, arguments):
        array, lo, hi = arguments
        start = _start(context, builder, a, array, lo)

        def term(k, width):
            return _load(builder, a, start, k, width)

        return _sum(builder, builder.sub(hi, lo), term)

    return types.float64(a, types.intp, types.intp), generate


@_intrinsic(lambda a, lo, hi: _plain_sum(a[lo:hi], mul, 1.0))
def factors_product(typing_context, a, lo, hi):
    """Product of all of ``a[lo:hi]``, in the same order as a sum."""
    _check(a)

    def generate(context, builder, signature, arguments):
        array, lo, hi = arguments
        start = _start(context, builder, a, array, lo)

        def term(k, width):
            return _load(builder, a, start, k, width)

        return _sum(builder, builder.sub(hi, lo), term, "fmul", 1.0)

    return types.float64(a, types.intp, types.intp), generate


@_intrinsic(lambda a, b, n: _plain_sum(np.float64(a[:n]) * np.float64(b[:n])))
def product(typing_context, a, b, n):
    """Sum of the first ``n`` products of ``a`` and ``b``, both at least (n,)."""
    _check(a, b)

    def generate(context, builder, signature, arguments):
        zero = arguments[2].type(0)
        factors = (
            (kind, _start(context, builder, kind, array, zero))
            for kind, array in zip((a, b), arguments, strict=False)
        )
        return _sum_of_products(builder, arguments[2], *factors)

    return types.float64(a, b, types.intp), generate


@_intrinsic(
    lambda X, i, w: _plain_sum(np.float64(X[i, : len(w)]) * np.float64(w)),
)
def row_product(typing_context, X, i, w):
    """X[i, :d] @ w, of ``X`` (n, d or more) and ``w`` (d,)."""
    _check(X, w)

    def generate(context, builder, signature, arguments):
        matrix, row, vector = arguments
        start = _start(context, builder, X, matrix, row)
        other = _start(context, builder, w, vector, row.type(0))
        d = _columns(context, builder, w, vector)
        return _sum_of_products(builder, d, (X, start), (w, other))

    return types.float64(X, types.intp, w), generate


@_intrinsic(lambda X, i, Y, k: _plain_sum(np.float64(X[i]) * np.float64(Y[k])))
def rows_product(typing_context, X, i, Y, k):
    """X[i] @ Y[k], of ``X`` (n, d) and ``Y`` (m, d)."""
    _check(X, Y)

    def generate(context, builder, signature, arguments):
        first, i, second, k = arguments
        d = _columns(context, builder, X, first)
        factors = (
            (X, _start(context, builder, X, first, i)),
            (Y, _start(context, builder, Y, second, k)),
        )
        return _sum_of_products(builder, d, *factors)

    return types.float64(X, types.intp, Y, types.intp), generate


@_intrinsic(
    lambda X, i, k, inverse: _plain_sum(
        ((np.float64(X[i]) - np.float64(X[k])) * inverse) ** 2
    )
)
def squared_distance(typing_context, X, i, k, inverse):
    """Sum of ((X[i] - X[k]) * inverse)^2, of ``X`` (n, d) and ``inverse`` (d,)."""
    _check(X, inverse)

    def generate(context, builder, signature, arguments):
        matrix, i, k, vector = arguments
        starts = [(X, _start(context, builder, X, matrix, row)) for row in (i, k)]
        starts.append((inverse, _start(context, builder, inverse, vector, i.type(0))))

        def term(j, width):
            a, b, c = (_load(builder, *start, j, width) for start in starts)
            gap = builder.fmul(builder.fsub(a, b), c)
            return builder.fmul(gap, gap)

        return _sum(builder, _columns(context, builder, X, matrix), term)

    return types.float64(X, types.intp, types.intp, inverse), generate
