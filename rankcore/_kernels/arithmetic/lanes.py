"""Sums in eight lanes: fast, and in the same order on every processor.

A compiler that may reassociate a sum makes as many partial sums as the processor has
registers for; one that may not adds one number at a time. Here the code fixes the
partial sums: lane k of eight adds the terms k, k + 8, k + 16 …; four remaining terms go
to the first four lanes; then the lanes are added, and then the last terms, at most
three. Every term is rounded before it is added, because not every processor has fused
multiply-add. LLVM maps vectors of four numbers to the available registers.

Arrays are C-contiguous, of float64 or float32, which is converted before it is used. An
intrinsic returns its types and ``generate``, with which Numba writes the LLVM code of a
call.
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
    """Return the same sum without compilation; ``terms`` is (n,) float64."""
    terms = np.asarray(terms, np.float64).tolist()
    lanes, n = [start] * (2 * _WIDTH), len(terms)
    whole = n - n % _WIDTH
    for k in range(whole):
        lane = k % (2 * _WIDTH) if k < n - n % (2 * _WIDTH) else k % _WIDTH
        lanes[lane] = join(lanes[lane], terms[k])
    a, b, c, d = (join(lanes[k], lanes[k + _WIDTH]) for k in range(_WIDTH))
    return reduce(join, terms[whole:], join(join(a, c), join(b, d)))


def fixed_intrinsic(plain: Callable[..., Any]) -> Callable[..., Any]:
    """Return a decorator for the intrinsic, or ``plain`` if kernels run uncompiled."""
    if config.DISABLE_JIT:
        return lambda function: plain
    return intrinsic


def check_arrays(*arrays: Any) -> None:
    """Raise TypingError unless all are C-contiguous arrays of floats."""
    for array in arrays:
        if (
            not isinstance(array, types.Array)
            or array.layout != "C"
            or array.dtype not in (types.float64, types.float32)
        ):
            raise TypingError(f"Lanes need C-contiguous arrays of floats, not {array}.")


def address_of(context: Any, builder: Any, kind: Any, array: Any, *indices: Any) -> Any:
    """Return the address of an element; indices that are not given are 0."""
    struct = context.make_array(kind)(context, builder, array)
    address = builder.ptrtoint(struct.data, indices[0].type)
    strides = cgutils.unpack_tuple(builder, struct.strides)
    for index, stride in zip(indices, strides, strict=False):
        address = builder.add(address, builder.mul(index, stride))
    return builder.inttoptr(address, struct.data.type)


def _columns(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """Return the length of an array's last axis."""
    struct = context.make_array(kind)(context, builder, array)
    return cgutils.unpack_tuple(builder, struct.shape)[-1]


def load_lanes(builder: Any, kind: Any, start: Any, k: Any, width: int) -> Any:
    """Return ``width`` numbers from the k-th on, as float64."""
    short = kind.dtype == types.float32
    single = ir.FloatType() if short else ir.DoubleType()
    several = single if width == 1 else ir.VectorType(single, width)
    address = builder.bitcast(builder.gep(start, [k]), several.as_pointer())
    numbers = builder.load(address, align=4 if short else 8)
    if not short:
        return numbers
    doubles = ir.VectorType(ir.DoubleType(), width)
    return builder.fpext(numbers, ir.DoubleType() if width == 1 else doubles)


def repeat_number(builder: Any, number: Any, width: int) -> Any:
    """Return a vector with ``width`` copies of the number; for 1 the number itself."""
    if width == 1:
        return number
    vector = ir.Constant(ir.VectorType(ir.DoubleType(), width), ir.Undefined)
    for k in range(width):
        vector = builder.insert_element(vector, number, ir.IntType(32)(k))
    return vector


def _sums(
    builder: Any,
    n: Any,
    terms: Callable[[Any, int], list[Any]],
    count: int,
    join: str = "fadd",
    neutral: float = 0.0,
) -> list[Any]:
    """Return ``count`` sums, or products, over k below ``n``; ``terms(k, width)`` gives
    ``width`` terms of each from the k-th on."""
    joined = getattr(builder, join)
    word = n.type

    def variables(kind: Any, values: list[Any]) -> list[Any]:
        cells = [cgutils.alloca_once(builder, kind) for _ in values]
        for variable, value in zip(cells, values, strict=True):
            builder.store(value, variable)
        return cells

    def include(variables: list[Any], k: Any, width: int) -> None:
        for variable, value in zip(variables, terms(k, width), strict=True):
            builder.store(joined(builder.load(variable), value), variable)

    nothing = ir.Constant(_DOUBLES, [neutral] * _WIDTH)
    first, second = (variables(_DOUBLES, [nothing] * count) for _ in range(2))
    block = word(_WIDTH)
    rest = builder.and_(n, word(2 * _WIDTH - 1))
    whole = builder.sub(n, rest)
    with cgutils.for_range_slice(builder, word(0), whole, word(2 * _WIDTH), word) as (
        k,
        _,
    ):
        include(first, k, _WIDTH)
        include(second, builder.add(k, block), _WIDTH)
    with builder.if_then(builder.icmp_unsigned(">=", rest, block)):
        include(first, whole, _WIDTH)
    totals = []
    for lanes in zip(first, second, strict=True):
        both = joined(*(builder.load(lane) for lane in lanes))
        a, b, c, d = (
            builder.extract_element(both, ir.IntType(32)(k)) for k in range(_WIDTH)
        )
        totals.append(joined(joined(a, c), joined(b, d)))
    answers = variables(ir.DoubleType(), totals)
    begin = builder.and_(n, word(-_WIDTH))
    with cgutils.for_range_slice(builder, begin, n, word(1), word) as (k, _):
        include(answers, k, 1)
    return [builder.load(answer) for answer in answers]


def _sum_of_products(builder: Any, n: Any, *factors: Any) -> Any:
    """Return the sum of ``n`` products of two arrays, given by types and addresses."""

    def terms(k: Any, width: int) -> list[Any]:
        a, b = (load_lanes(builder, kind, start, k, width) for kind, start in factors)
        return [builder.fmul(a, b)]

    return _sums(builder, n, terms, 1)[0]


def _stretches(
    arrays: tuple[Any, ...], join: str = "fadd", neutral: float = 0.0
) -> tuple[Any, Callable[..., Any]]:
    """Return the type and the code of the sums, or products, of ``array[lo:hi]``, in
    one loop for all arrays of these types."""
    check_arrays(*arrays)
    several = types.UniTuple(types.float64, len(arrays))

    def generate(context, builder, signature, arguments):
        *values, lo, hi = arguments
        starts = [
            (kind, address_of(context, builder, kind, array, lo))
            for kind, array in zip(arrays, values, strict=True)
        ]

        def terms(k, width):
            return [load_lanes(builder, *start, k, width) for start in starts]

        sums = _sums(builder, builder.sub(hi, lo), terms, len(arrays), join, neutral)
        return sums[0] if len(sums) == 1 else context.make_tuple(builder, several, sums)

    returned = types.float64 if len(arrays) == 1 else several
    return returned(*arrays, types.intp, types.intp), generate


@fixed_intrinsic(lambda a, lo, hi: _plain_sum(a[lo:hi]))
def total(typing_context, a, lo, hi):
    """Sum of ``a[lo:hi]``; ``a`` is (n,), and 0 <= lo <= hi <= n."""
    return _stretches((a,))


@fixed_intrinsic(lambda a, lo, hi: _plain_sum(a[lo:hi], mul, 1.0))
def factors_product(typing_context, a, lo, hi):
    """Product of ``a[lo:hi]``, in the same order as a sum."""
    return _stretches((a,), "fmul", 1.0)


@fixed_intrinsic(lambda a, b, lo, hi: (_plain_sum(a[lo:hi]), _plain_sum(b[lo:hi])))
def totals(typing_context, a, b, lo, hi):
    """Return the sums of ``a[lo:hi]`` and ``b[lo:hi]``, in one loop."""
    return _stretches((a, b))


@fixed_intrinsic(
    lambda a, b, n: (
        _plain_sum(a[:n]),
        _plain_sum(np.float64(a[:n]) ** 2),
        _plain_sum(np.float64(b[:n]) ** 2),
    )
)
def moments(typing_context, a, b, n):
    """Return sums of the first ``n`` elements of ``a``, of their squares, and of the
    squares of those of ``b``."""
    check_arrays(a, b)
    three = types.UniTuple(types.float64, 3)

    def generate(context, builder, signature, arguments):
        first, second, n = arguments
        starts = (
            (a, address_of(context, builder, a, first, n.type(0))),
            (b, address_of(context, builder, b, second, n.type(0))),
        )

        def terms(k, width):
            x, y = (load_lanes(builder, *start, k, width) for start in starts)
            return [x, builder.fmul(x, x), builder.fmul(y, y)]

        return context.make_tuple(builder, three, _sums(builder, n, terms, 3))

    return three(a, b, types.intp), generate


@fixed_intrinsic(
    lambda p, q, zs: tuple(
        _plain_sum(np.float64(q) + np.float64(p) * z, mul, 1.0) for z in zs
    ),
)
def blend_products(typing_context, p, q, zs):
    """Product of ``q + p * z``, for each ``z`` of a tuple; p and q are (n,)."""
    check_arrays(p, q)

    def generate(context, builder, signature, arguments):
        first, second, factors = arguments
        n = _columns(context, builder, p, first)
        starts = (
            (p, address_of(context, builder, p, first, n.type(0))),
            (q, address_of(context, builder, q, second, n.type(0))),
        )
        zs_apart = cgutils.unpack_tuple(builder, factors)

        def terms(k, width):
            x, y = (load_lanes(builder, *start, k, width) for start in starts)
            return [
                builder.fadd(y, builder.fmul(x, repeat_number(builder, z, width)))
                for z in zs_apart
            ]

        products = _sums(builder, n, terms, len(zs_apart), "fmul", 1.0)
        return context.make_tuple(builder, zs, products)

    return zs(p, q, zs), generate


@fixed_intrinsic(lambda a, b, n: _plain_sum(np.float64(a[:n]) * np.float64(b[:n])))
def product(typing_context, a, b, n):
    """Sum of the first ``n`` products of ``a`` and ``b``, both at least (n,)."""
    check_arrays(a, b)

    def generate(context, builder, signature, arguments):
        zero = arguments[2].type(0)
        factors = (
            (kind, address_of(context, builder, kind, array, zero))
            for kind, array in zip((a, b), arguments, strict=False)
        )
        return _sum_of_products(builder, arguments[2], *factors)

    return types.float64(a, b, types.intp), generate


@fixed_intrinsic(
    lambda X, i, w: _plain_sum(np.float64(X[i, : len(w)]) * np.float64(w)),
)
def row_product(typing_context, X, i, w):
    """X[i, :d] @ w, of ``X`` (n, d or more) and ``w`` (d,)."""
    check_arrays(X, w)

    def generate(context, builder, signature, arguments):
        matrix, row, vector = arguments
        start = address_of(context, builder, X, matrix, row)
        other = address_of(context, builder, w, vector, row.type(0))
        d = _columns(context, builder, w, vector)
        return _sum_of_products(builder, d, (X, start), (w, other))

    return types.float64(X, types.intp, w), generate


@fixed_intrinsic(
    lambda X, i, w: (
        _plain_sum(np.float64(X[i]) * np.float64(w)),
        _plain_sum(np.float64(X[i + 1]) * np.float64(w)),
    )
)
def two_row_products(typing_context, X, i, w):
    """X[i] @ w and X[i + 1] @ w, reading ``w`` (d,) only once."""
    check_arrays(X, w)
    both = types.UniTuple(types.float64, 2)

    def generate(context, builder, signature, arguments):
        matrix, row, vector = arguments
        rows = [
            (X, address_of(context, builder, X, matrix, i))
            for i in (row, builder.add(row, row.type(1)))
        ]
        other = address_of(context, builder, w, vector, row.type(0))

        def terms(k, width):
            factor = load_lanes(builder, w, other, k, width)
            return [
                builder.fmul(load_lanes(builder, *start, k, width), factor)
                for start in rows
            ]

        sums = _sums(builder, _columns(context, builder, w, vector), terms, 2)
        return context.make_tuple(builder, both, sums)

    return both(X, types.intp, w), generate


@fixed_intrinsic(lambda X, i, Y, k: _plain_sum(np.float64(X[i]) * np.float64(Y[k])))
def rows_product(typing_context, X, i, Y, k):
    """X[i] @ Y[k], of ``X`` (n, d) and ``Y`` (m, d)."""
    check_arrays(X, Y)

    def generate(context, builder, signature, arguments):
        first, i, second, k = arguments
        d = _columns(context, builder, X, first)
        factors = (
            (X, address_of(context, builder, X, first, i)),
            (Y, address_of(context, builder, Y, second, k)),
        )
        return _sum_of_products(builder, d, *factors)

    return types.float64(X, types.intp, Y, types.intp), generate


@fixed_intrinsic(
    lambda X, i, k, inverse: _plain_sum(
        ((np.float64(X[i]) - np.float64(X[k])) * inverse) ** 2
    )
)
def squared_distance(typing_context, X, i, k, inverse):
    """Sum of ((X[i] - X[k]) * inverse)^2, of ``X`` (n, d) and ``inverse`` (d,)."""
    check_arrays(X, inverse)

    def generate(context, builder, signature, arguments):
        matrix, i, k, vector = arguments
        starts = [(X, address_of(context, builder, X, matrix, row)) for row in (i, k)]
        starts.append(
            (inverse, address_of(context, builder, inverse, vector, i.type(0)))
        )

        def terms(j, width):
            a, b, c = (load_lanes(builder, *start, j, width) for start in starts)
            gap = builder.fmul(builder.fsub(a, b), c)
            return [builder.fmul(gap, gap)]

        return _sums(builder, _columns(context, builder, X, matrix), terms, 1)[0]

    return types.float64(X, types.intp, types.intp, inverse), generate
