"""Whether this processor computes to the bit what every other one does."""

import functools
import hashlib

import numpy as np

# The digest on every processor whose additions, multiplications, divisions and roots
# follow IEEE 754.
_DIGEST = "d8d572902b82975d"


@functools.cache
def deviation() -> str:
    """Return a sentence that tells of results with other bits than elsewhere; empty if
    they have the same, as on every processor that is known."""
    if digest() == _DIGEST:
        return ""
    return (
        "This processor rounds differently from all known ones, so models and figures "
        "differ from the shipped ones in their last digits, and possibly in more."
    )


def digest() -> str:
    """Return a digest of what training consists of: products, elementary functions and
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
