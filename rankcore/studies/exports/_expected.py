"""Documents with their expected scores from an exported model."""

from typing import TYPE_CHECKING

from rankcore.base.spreadsheets import csv_text
from rankcore.studies.exports._format import ExportFormat

if TYPE_CHECKING:
    from rankcore.algorithms import Ranker
    from rankcore.data.dataset import RankingDataset

DOCUMENTS = 10


def expected_scores(
    model: "Ranker",
    chosen: ExportFormat,
    dataset: "RankingDataset",
    count: int = DOCUMENTS,
) -> str:
    """Return documents with features and scores, to check a program that has loaded the
    export.

    The documents are evenly spaced from the lowest to the highest score.

    Parameters
    ----------
    model : Ranker
        Fitted.
    chosen : ExportFormat
        Format that determines the names of features.
    dataset : RankingDataset
        Data with the features of the model, as for
        `rankcore.studies.model_file.document_scores`.
    count : int
        Maximum number of documents, at least 1.

    Returns
    -------
    str
        CSV: query, document, each required feature as used in the score, and the score;
        a missing value is empty.

    Raises
    ------
    ValueError
        If the data does not have the features of the model.
    """
    import numpy as np

    from rankcore.studies.model_file import model_features

    scored = model_features(model, dataset)
    scores = chosen.scores(model, scored.X)
    order = np.argsort(scores, kind="stable")
    places = np.unique(np.linspace(0, len(order) - 1, min(count, len(order))).round())
    names = chosen.feature_names(scored.feature_names)
    numbers = chosen.features(model)
    rows: list[tuple[str, ...]] = []
    for row in order[places.astype(np.int64)][::-1].tolist():
        query = scored.query(int(np.searchsorted(scored.offsets, row, "right")) - 1)
        values = scored.X[row, numbers].tolist()
        cells = ["" if np.isnan(value) else repr(value) for value in values]
        document = query.doc_ids[row - query.slice.start]
        rows.append((query.id, document, *cells, repr(float(scores[row]))))
    heads = ("query", "document", *(names[number] for number in numbers), "score")
    return csv_text([heads, *rows])
