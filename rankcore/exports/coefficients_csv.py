"""A table of coefficients, for spreadsheets."""

import csv
import io
from typing import TYPE_CHECKING, ClassVar

from rankcore.exports._format import ExportFormat

if TYPE_CHECKING:
    from rankcore.algorithms import LinearRanker


class CoefficientsCsv(ExportFormat):
    """One row a feature, in the order of the data: name, coefficient, scaling."""

    name: ClassVar[str] = "csv"
    title: ClassVar[str] = "CSV of coefficients"
    use: ClassVar[str] = (
        "A score is the sum of coefficient times feature, scaled within its query "
        "where the last column says so."
    )
    ending: ClassVar[str] = ".csv"
    mime: ClassVar[str] = "text/csv"
    holds_scaling: ClassVar[bool] = True

    def write_linear(self, model: "LinearRanker", name: str) -> str:
        provenance = model.provenance_
        scaling = provenance.normalisation or "none"
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(("feature", "coefficient", "scaling"))
        rows.writerows(
            (feature, repr(weight), scaling)
            for feature, weight in zip(
                provenance.feature_names, model.coef_.tolist(), strict=True
            )
        )
        return text.getvalue()
