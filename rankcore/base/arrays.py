"""User input, converted to the arrays of a dataset."""

import math
import mmap
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from rankcore.base.errors import DataError
from rankcore.base.numbers import counted

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Storage = Literal["float64", "float32"]

# A remedy for missing values.
FILL_IN = (
    "Fill missing values in when reading the data (missing='median', on the command "
    "line --missing median), or train LightGBM or XGBoost, which accept them"
)
LARGEST_EXACT = 2.0**53
CACHE_LINE = 64
# Marker of a missing value in the features: NaN.
Missing = Literal["keep"]
# Features are checked in chunks of this many rows, which fit in the cache.
_CHECKED_ROWS = 4096


def aligned(shape: tuple[int, ...], dtype: DTypeLike = np.float64) -> NDArray[Any]:
    """Return an uninitialised array aligned to a cache line.

    NumPy's large arrays begin 16 bytes after a cache line, so every other vector
    straddles two lines, and a pass over 64 features takes a tenth longer.
    """
    size = math.prod(shape) * np.dtype(dtype).itemsize
    room = np.empty(size + CACHE_LINE, dtype=np.uint8)
    skipped = -room.ctypes.data % CACHE_LINE
    return room[skipped : skipped + size].view(dtype).reshape(shape)


def rows_at(X: Floats, documents: Integers) -> Floats:
    """Return a read-only copy of the rows of ``X`` at the indices ``documents``."""
    rows = aligned((len(documents), X.shape[1]), X.dtype)
    # Any other mode would first fill a buffer; the indices are known to be valid.
    return owned(np.take(X, documents, axis=0, out=rows, mode="clip"))


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return ``array`` C-contiguous and read-only, copied if it could be written to."""
    result = np.ascontiguousarray(array)
    if _may_change(result):
        aligned_result, result = result, aligned(result.shape, result.dtype)
        result[...] = aligned_result
    result.flags.writeable = False
    return result


def owned(array: NDArray[Any]) -> NDArray[Any]:
    """Make a new, unshared array read-only, without :func:`frozen`'s copy."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        owner.flags.writeable = False
        owner = owner.base
    return array


def read_only(array: ArrayLike, dtype: DTypeLike) -> NDArray[Any]:
    """Return a contiguous read-only view, so that Numba compiles for one array type."""
    view: NDArray[Any] = np.ascontiguousarray(array, dtype=dtype).view()
    view.flags.writeable = False
    return view


def _may_change(array: NDArray[Any]) -> bool:
    owner: Any = array
    while isinstance(owner, np.ndarray):
        if owner.flags.writeable:
            return True
        owner = owner.base
    return not (owner is None or isinstance(owner, bytes | mmap.mmap))


def as_features(
    values: Any,
    names: Sequence[str] | None = None,
    dtype: DTypeLike = np.float64,
    missing: Missing | None = None,
) -> Floats:
    """Return ``values`` as an (n, d) matrix of finite numbers.

    An error names a column if there are d ``names``, or else gives its number. Missing
    values (NaN) are permitted if they are to be kept.
    """
    try:
        with np.errstate(over="ignore"):
            X = np.asarray(values, dtype=dtype)
    except (TypeError, ValueError) as error:
        raise DataError(
            "The features are not all numbers",
            "Give X as a table of n rows and d columns of real numbers",
        ) from error
    if X.ndim != 2:
        raise DataError(
            f"The features have {X.ndim} dimension(s) instead of 2",
            "Give X one row per document and one column per feature",
        )
    if X.shape[0] == 0 or X.shape[1] == 0:
        raise DataError(
            f"There are {counted(X.shape[0], 'documents')} with "
            f"{counted(X.shape[1], 'features')}",
            "Give at least one document and one feature",
        )
    for begin in range(0, len(X), _CHECKED_ROWS):
        rows = X[begin : begin + _CHECKED_ROWS]
        with np.errstate(over="ignore", invalid="ignore"):
            surely_finite = np.isfinite(rows.sum())
        if not surely_finite:
            _check_finite(rows, values, begin, names, missing)
    return X


def missing_of(X: Floats) -> Integers:
    """Return the number of missing values (d,) of each feature."""
    counts = np.zeros(X.shape[1], dtype=np.int64)
    for begin in range(0, len(X), _CHECKED_ROWS):
        rows = X[begin : begin + _CHECKED_ROWS]
        with np.errstate(over="ignore", invalid="ignore"):
            none = not np.isnan(rows.sum())
        if not none:
            counts += np.isnan(rows).sum(axis=0)
    return counts


def missing_text(X: Floats, names: Sequence[str] | None = None) -> str:
    """Return the number of missing values and the first feature with one, in words.

    Examples
    --------
    >>> missing_text(np.array([[1.0, np.nan], [2.0, 3.0]]), ["price", "stars"])
    '1 of 4 values is missing, the first in feature stars (1)'
    >>> missing_text(np.array([[1.0, 3.0]]))
    ''
    """
    counts = missing_of(X)
    total, first = int(counts.sum()), int(np.argmax(counts > 0))
    if not total:
        return ""
    name = first + 1 if names is None else names[first]
    verb = "is" if total == 1 else "are"
    return (
        f"{total:,} of {X.size:,} values {verb} missing, the first in feature "
        f"{name} ({counts[first]:,})"
    )


def _check_finite(
    X: Floats,
    values: Any,
    begin: int,
    names: Sequence[str] | None,
    missing: Missing | None,
) -> None:
    """Check some rows of ``values``, beginning with row number ``begin``."""
    finite = np.isfinite(X)
    if missing is not None:
        finite |= np.isnan(X)
    if not finite.all():
        row, column = (int(i) for i in np.argwhere(~finite)[0])
        value = np.asarray(values, dtype=np.float64)[begin + row, column]
        if np.isfinite(value):
            problem = f"The feature value {_shown(value)} is too large for {X.dtype}"
            remedy = "Store the features in float64, or divide them"
        else:
            problem = f"The feature value {_shown(value)} is not a finite number"
            remedy = FILL_IN if np.isnan(value) else "Replace it by a finite number"
        raise DataError(
            problem,
            remedy,
            line=begin + row + 1,
            column=(
                column + 1
                if names is None or len(names) != X.shape[1]
                else str(names[column])
            ),
        )


def _shown(value: Any) -> str:
    return "NaN" if value != value else str(value)


def as_labels(values: Any, n_documents: int) -> Any:
    """Return ``values`` as (n,) relevance labels, 0 = irrelevant: int64, or float64 if
    any label is a fraction."""
    remedy = "Give each document a number from 0 (irrelevant) upwards, such as 0, 1, 2"
    try:
        labels = np.asarray(values)
        if labels.dtype.kind not in "iub":
            labels = labels.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError("The labels are not all numbers", remedy) from error
    if labels.shape != (n_documents,):
        raise DataError(
            f"The labels have shape {labels.shape} for "
            f"{counted(n_documents, 'documents')}",
            "Give exactly one label per document",
        )
    with np.errstate(invalid="ignore"):
        fits = (labels >= 0) & (labels <= LARGEST_EXACT)
    if not fits.all():
        row = int(np.argmin(fits))
        raise DataError(
            f"The label {_shown(labels[row])} is not a number from 0 upwards",
            remedy,
            line=row + 1,
        )
    return whole_or_not(labels)


def whole_or_not(labels: NDArray[Any]) -> Any:
    """Return labels (n,) as int64, or as float64 if any of them is a fraction."""
    if labels.dtype.kind == "f" and bool((np.floor(labels) != labels).any()):
        return labels.astype(np.float64)
    return labels.astype(np.int64)


def numbered(labels: NDArray[Any]) -> tuple[Integers, Floats | None]:
    """Return labels as integers that sort in the same order, with 0 for the label 0.

    Returns
    -------
    numbers : (n,) int64
        The labels themselves if they are integers, else their indices in ``values``.
    values : (m,) float64 or None
        0 and all other labels, ascending; None if the labels are integers.

    Examples
    --------
    >>> numbered(np.array([2.25, 0.5, 0.5]))
    (array([2, 1, 1]), array([0.  , 0.5 , 2.25]))
    """
    if labels.dtype.kind != "f":
        return labels, None
    values, numbers = np.unique(np.append(0.0, labels), return_inverse=True)
    return numbers[1:].astype(np.int64), values


def as_scores(values: Any, n_documents: int, name: str) -> Floats:
    """Return ``values`` as (n,) finite float64 scores of the model called ``name``."""
    remedy = "Give each document the score of the model in use, a finite number"
    try:
        scores = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        problem = f"The scores {name!r} are not all numbers"
        raise DataError(problem, remedy) from error
    if scores.shape != (n_documents,):
        raise DataError(
            f"The scores {name!r} have shape {scores.shape} for {n_documents} "
            "documents",
            "Give exactly one score per document",
        )
    finite = np.isfinite(scores)
    if not finite.all():
        row = int(np.argmin(finite))
        problem = f"The score {_shown(scores[row])} is not finite"
        raise DataError(problem, remedy, line=row + 1, column=name)
    return scores


def as_weights(values: Any, query_ids: Sequence[str]) -> Floats:
    """Return ``values`` as (q,) read-only float64 weights of queries, above 0."""
    remedy = "Give each query a number above 0, or leave the query out"
    weights = _weights(values, len(query_ids), "queries", remedy)
    fits = np.isfinite(weights) & (weights > 0.0)
    if not fits.all():
        at = int(np.argmin(fits))
        raise DataError(
            f"The query {query_ids[at]!r} has the weight {_shown(weights[at])}, which "
            "is not a finite number above zero",
            remedy,
        )
    return frozen(weights)


def _weights(values: Any, n: int, things: str, remedy: str) -> Floats:
    """Return ``values`` as (n,) float64 weights, one for each of the ``things``."""
    try:
        weights = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        problem = f"The weights of {things} are not all numbers"
        raise DataError(problem, remedy) from error
    if weights.shape != (n,):
        problem = f"The weights have shape {weights.shape} for {n} {things}"
        raise DataError(problem, remedy)
    return weights


def as_document_weights(values: Any, offsets: Integers) -> Floats:
    """Return ``values`` as (n,) read-only float64 weights of documents, at least 0 and
    not all 0 within a query."""
    remedy = "Give each document a number of at least 0"
    weights = _weights(values, int(offsets[-1]), "documents", remedy)
    fits = np.isfinite(weights) & (weights >= 0.0)
    if not fits.all():
        at = int(np.argmin(fits))
        raise DataError(
            f"Document number {at + 1} has the weight {_shown(weights[at])}, which is "
            "not a finite number of at least 0",
            remedy,
        )
    nothing = np.maximum.reduceat(weights, offsets[:-1]) == 0.0
    if nothing.any():
        raise DataError(
            f"All documents of query number {int(nothing.argmax()) + 1} have the "
            "weight 0",
            "Leave the query out",
        )
    return frozen(weights)


def as_strings(values: Any, count: int, what: str) -> tuple[str, ...]:
    """Return ``count`` identifiers as strings, integral floats without ``.0``."""
    if not (isinstance(values, tuple) and set(map(type, values)) <= {str}):
        values = tuple(str(value) for value in _listed(values, what))
    if len(values) != count:
        raise DataError(
            f"There are {len(values)} {what}s instead of {count}",
            f"Give exactly one {what} for each",
        )
    return values


def first_appearance(values: Any, count: int) -> tuple[Integers, tuple[str, ...]]:
    """Return numbers of the distinct query ids, by first appearance.

    Returns
    -------
    codes : (n,) int64
        The number of each row's query.
    names : tuple of str
        The query id belonging to each number.
    """
    if not _comparable(values, count):
        return _numbered(as_strings(values, count, "query id"))
    # Consecutive rows of the same query share one string.
    begins = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    codes, names = _numbered(as_strings(values[begins], len(begins), "query id"))
    return np.repeat(codes, np.diff(np.append(begins, count))), names


def _comparable(values: Any, count: int) -> bool:
    """Whether these are an array of ``count`` identifiers, none missing, in which equal
    identifiers have equal names."""
    if not (isinstance(values, np.ndarray) and values.shape == (count,) and count):
        return False
    return values.dtype.kind in "iubU" or (
        values.dtype.kind == "f" and not np.isnan(values).any()
    )


def _numbered(names: tuple[str, ...]) -> tuple[Integers, tuple[str, ...]]:
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(name, len(numbers)) for name in names]
    return np.array(codes, dtype=np.int64), tuple(numbers)


def _listed(values: Any, what: str) -> list[Any]:
    """Return identifiers as a list of Python values; DataError if one is missing."""
    array = np.asarray(values) if not isinstance(values, tuple | list) else None
    if array is not None and array.dtype.kind == "f":
        whole = np.floor(array) == array
        if whole.all() and (abs(array) <= LARGEST_EXACT).all():
            array = array.astype(np.int64)
    listed = list(values) if array is None else array.ravel().tolist()
    for row, value in enumerate(listed):
        if value is None or value != value:
            raise DataError(
                f"A {what} is missing", f"Give every row a {what}", line=row + 1
            )
    return listed


def derived_ids(lengths: Integers) -> tuple[str, ...]:
    """Name documents after their position in the query: d1, d2, and so on."""
    names = [f"d{place}" for place in range(1, int(lengths.max()) + 1)]
    listed: list[str] = []
    for length in lengths:
        listed += names[:length]
    return tuple(listed)
