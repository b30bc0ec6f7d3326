"""A table of coefficients, for spreadsheets."""

from typing import TYPE_CHECKING

from rankcore.base.spreadsheets import csv_text
from rankcore.studies.exports._format import ExportFormat

if TYPE_CHECKING:
    from rankcore.algorithms import LinearRanker


class CoefficientsCsv(ExportFormat):
    """One row per feature, in the order of the data: name, coefficient, scaling."""

    name = "csv"
    title = "CSV of coefficients"
    use = (
        "A score is the sum of coefficient times feature, scaled within its query "
        "where the last column says so."
    )
    ending = ".csv"
    holds_scaling = True

    def write_linear(self, model: "LinearRanker", name: str) -> str:
        provenance = model.provenance_
        by_query = provenance.normalisation not in (None, "standard")
        scaling = provenance.normalisation if by_query else "none"
        weights = zip(provenance.feature_names, model.coef_.tolist(), strict=True)
        rows = ((feature, repr(weight), scaling) for feature, weight in weights)
        return csv_text([("feature", "coefficient", "scaling"), *rows])
