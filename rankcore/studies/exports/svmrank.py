"""Linear models of SVMrank or SVMlight; read-only.

After ten lines of settings, each ending in a comment, and the threshold b come the
support vectors: a factor and ``feature:value`` pairs. The coefficients of a linear
kernel are their sum, as ``add_vector_ns`` of ``svm_common.c`` makes them; SVMrank has
one vector. See https://www.cs.cornell.edu/people/tj/svm_light/svm_rank.html.
"""

from typing import TYPE_CHECKING

from rankcore.studies.exports._file import ModelFile, number_of
from rankcore.studies.exports._format import ExportFormat
from rankcore.studies.exports._reading import linear_model, numbered, weights_of

if TYPE_CHECKING:
    from rankcore.algorithms import Ranker

_KERNEL, _VECTORS, _THRESHOLD = 1, 9, 10


class SvmRank(ExportFormat):
    """``SVM-light Version …``, settings, threshold, and support vectors."""

    name = "svmrank"
    title = "SVMrank"
    use = "Write it with `svm_rank_learn`."
    ending = ".dat"
    writes = False

    def recognises(self, file: ModelFile) -> bool:
        return file.first.startswith("SVM-light Version")

    def read(self, file: ModelFile) -> "Ranker":
        if _setting(file, _KERNEL, "kernel type") != 0.0:
            raise file.refusal("The kernel is not linear", _KERNEL + 1)
        count = _setting(file, _VECTORS, "number of support vectors plus 1")
        threshold = _setting(file, _THRESHOLD, "threshold b")
        totals: dict[int, float] = {}
        behind = range(_THRESHOLD + 1, len(file.lines))
        vectors = [number for number in behind if file.lines[number].strip()]
        if len(vectors) + 1 != count:
            problem = f"There are {len(vectors)} support vectors, not {count - 1:g}"
            raise file.fault(problem, _VECTORS + 1)
        for number in vectors:
            words = file.lines[number].partition("#")[0].split()
            factor = number_of(words[0]) if words else None
            if factor is None:
                raise file.fault("The line does not begin with a number", number + 1)
            for feature, value in weights_of(words[1:], file, number + 1):
                totals[feature] = totals.get(feature, 0.0) + factor * value
        numbers = sorted(totals)
        weights = [totals[number] for number in numbers]
        return linear_model(numbered(numbers), weights, file, -threshold)


def _setting(file: ModelFile, number: int, meaning: str) -> float:
    """Return the number at the beginning of a line of settings."""
    line = file.lines[number] if number < len(file.lines) else ""
    value = number_of(line.partition("#")[0])
    if value is None or meaning not in line:
        raise file.fault(f"There is no number with the comment {meaning!r}", number + 1)
    return value
