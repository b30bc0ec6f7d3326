"""Products of the columns of two matrices, in tiles of four by eight sums.

A compiler keeps at best one row of sums in registers, and reloads it for each row of
the matrices. Here the code keeps a whole tile. Each sum adds the products of four rows
at a time, then those of the last rows, at most three, one by one: the same order on
every processor. LLVM maps vectors of eight numbers to the available registers.
"""

from functools import reduce
from operator import add
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from rankcore._kernels.arithmetic.lanes import (
    address_of,
    check_arrays,
    fixed_intrinsic,
    load_lanes,
    repeat_number,
)

HEIGHT, WIDTH = 4, 8
_TOGETHER = 4
_LANES = ir.VectorType(ir.DoubleType(), WIDTH)


def _plain(left: Any, right: Any, j: int, k: int, sums: Any, a: int, b: int) -> None:
    """Add the products without compilation."""
    n = len(left)
    whole = n - n % _TOGETHER
    products = [
        np.outer(np.float64(left[i, j : j + HEIGHT]), right[i, k : k + WIDTH])
        for i in range(n)
    ]
    for i in range(0, whole, _TOGETHER):
        sums[a : a + HEIGHT, b : b + WIDTH] += reduce(add, products[i : i + _TOGETHER])
    for i in range(whole, n):
        sums[a : a + HEIGHT, b : b + WIDTH] += products[i]


@fixed_intrinsic(_plain)
def add_tile(typing_context, left, right, j, k, sums, a, b):
    """Add left[:, j : j + HEIGHT].T @ right[:, k : k + WIDTH] to the tile of ``sums``
    (float64) that begins at (a, b); ``left`` and ``right`` have equally many rows."""
    check_arrays(left, right, sums)

    def generate(context, builder, signature, arguments):
        left_value, right_value, j, k, sums_value, a, b = arguments
        word = j.type

        def several(row, count):
            return [builder.add(row, word(ahead)) for ahead in range(count)]

        def start(kind, value, row, column):
            return address_of(context, builder, kind, value, row, column)

        def include(i, count):
            rows = several(i, count)
            ours = [start(left, left_value, row, j) for row in rows]
            theirs = [
                load_lanes(
                    builder, right, start(right, right_value, row, k), word(0), WIDTH
                )
                for row in rows
            ]
            for column, total in enumerate(totals):
                products = []
                for first, second in zip(ours, theirs, strict=True):
                    number = load_lanes(builder, left, first, word(column), 1)
                    factor = repeat_number(builder, number, WIDTH)
                    products.append(builder.fmul(factor, second))
                grown = builder.fadd(
                    builder.load(total), reduce(builder.fadd, products)
                )
                builder.store(grown, total)

        places = [
            builder.bitcast(start(sums, sums_value, row, b), _LANES.as_pointer())
            for row in several(a, HEIGHT)
        ]
        totals = [cgutils.alloca_once(builder, _LANES) for _ in places]
        for total, place in zip(totals, places, strict=True):
            builder.store(builder.load(place, align=8), total)
        shape = context.make_array(left)(context, builder, left_value).shape
        n = cgutils.unpack_tuple(builder, shape)[0]
        whole = builder.and_(n, word(-_TOGETHER))
        loops = (word(0), whole, _TOGETHER), (whole, n, 1)
        for begin, end, count in loops:
            with cgutils.for_range_slice(builder, begin, end, word(count), word) as (
                i,
                _,
            ):
                include(i, count)
        for total, place in zip(totals, places, strict=True):
            builder.store(builder.load(total), place, align=8)
        return context.get_dummy_value()

    places = types.intp, types.intp
    return types.none(left, right, *places, sums, *places), generate
