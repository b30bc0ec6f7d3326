"""Check that this processor gives the same bits as all others."""

import functools
import hashlib

import numpy as np

# The digest on processors whose additions, multiplications, divisions and roots follow
# IEEE 754.
_DIGEST = "d8d572902b82975d"


@functools.cache
def deviation() -> str:
    """Return a warning if results differ in bits from those of all known processors;
    empty if not."""
    if digest() == _DIGEST:
        return ""
    return (
        "This processor rounds differently from all known ones, so models and figures "
        "differ from the shipped ones in their last digits, and possibly in more."
    )


def digest() -> str:
    """Return a digest of the operations in training: products, elementary functions and
    random draws."""
    from rankcore.base.draws import standard_normal
    from rankcore.mathematics import elementary, products

    rows = standard_normal(np.random.default_rng(0), (9, 77))
    vector = rows[0] / (1.0 + np.sqrt(np.abs(rows[1])))
    results = [
        rows,
        products.times_vector(rows, vector),
        products.combination(rows[:, 0], rows),
        products.product(rows, np.ascontiguousarray(rows.T)),
        elementary.exp(rows),
        elementary.log(np.abs(rows)),
        elementary.log2(np.abs(rows)),
        elementary.softplus(rows),
        np.add.accumulate(rows, axis=1),
    ]
    bits = b"".join(np.asarray(array, "<f8").tobytes() for array in results)
    return hashlib.blake2b(bits, digest_size=8).hexdigest()
