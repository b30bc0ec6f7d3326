"""Roles of the columns of an upload, and the files with weights beside it."""

from collections import Counter
from collections.abc import Mapping

from rankcore.base.errors import DataError
from rankcore.data.readers.preview import (
    DOCUMENT_WEIGHTS,
    FEATURE,
    GROUP,
    IGNORE,
    SCORE,
    WEIGHTS,
)

ROLES = {
    "query": "query",
    "label": "label",
    "document": "document id",
    "text": "text to show",
    "query_text": "words of the query",
    WEIGHTS: "weight of the query",
    DOCUMENT_WEIGHTS: "weight of the document",
    GROUP: "group of queries",
    SCORE: "score in use",
    FEATURE: "feature",
    IGNORE: "ignore",
}
SEVERAL = (GROUP, SCORE, FEATURE, IGNORE)
NEEDED = ("query", "label")
# Files with weights, by the argument of the reader: their title and their content.
WEIGHTS_FILES = {
    WEIGHTS: (
        "Weights of queries",
        (
            "A query and a number above 0 in each line: how much the query counts in "
            "means, tests and losses. A weight of 2 is not two observations."
        ),
    ),
    DOCUMENT_WEIGHTS: (
        "Weights of documents",
        (
            "A query, a document and a number of at least 0 in each line: the weight "
            "of the document's gain in losses. Measures ignore it."
        ),
    ),
}


def check_roles(roles: Mapping[str, str], file: str) -> None:
    """Raise DataError if a role is missing, or two columns have it."""
    count = Counter(roles.values())
    for role, title in ROLES.items():
        if role in NEEDED and not count[role]:
            raise DataError(
                f"No column is the {title}", "Open Columns and choose one", file
            )
        if role not in SEVERAL and count[role] > 1:
            columns = " and ".join(repr(name) for name in roles if roles[name] == role)
            problem = f"{columns} are both the {title}"
            raise DataError(problem, "Open Columns and choose one of them", file)
