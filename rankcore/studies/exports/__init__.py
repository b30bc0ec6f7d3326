"""Models and feature sets in formats of other programs, one module per format.

To add one, add a module with a subclass of `ExportFormat`: modules are discovered, and
the command line and the app offer it at once. Other packages add theirs by entry points
``rankscope.exports``, programs by `rankcore.register`. A format that also reads is
accepted wherever a model file is.
"""

import difflib
from typing import TYPE_CHECKING

from rankcore.base.discovery import declared, remembered
from rankcore.studies.exports._answers import Checked, check_answers
from rankcore.studies.exports._expected import expected_scores
from rankcore.studies.exports._file import ModelFile
from rankcore.studies.exports._format import ExportFormat

if TYPE_CHECKING:
    from rankcore.algorithms import Ranker

__all__ = [
    "Checked",
    "ExportFormat",
    "ModelFile",
    "check_answers",
    "expected_scores",
    "export",
    "get_format",
    "list_formats",
    "readable_formats",
    "recognised",
]


@remembered
def _discovered() -> dict[str, ExportFormat]:
    formats = {
        kind.name: kind() for kind in declared(__name__, ExportFormat, "exports")
    }
    return dict(sorted(formats.items()))


def list_formats() -> list[str]:
    """Return the names of all writable formats, in alphabetical order."""
    return [name for name, kind in _discovered().items() if kind.writes]


def readable_formats() -> list[ExportFormat]:
    """Return the readable formats of other programs, ordered by name."""
    unread = ExportFormat.recognises
    return [kind for kind in _discovered().values() if type(kind).recognises != unread]


def recognised(file: ModelFile) -> ExportFormat | None:
    """Return the format of another program's file; None if unknown."""
    return next((kind for kind in readable_formats() if kind.recognises(file)), None)


def get_format(name: str) -> ExportFormat:
    """Return the writable format called ``name``, ignoring case.

    Raises
    ------
    ValueError
        If it does not exist; the message lists all formats.
    """
    formats = {one: _discovered()[one] for one in list_formats()}
    if name.lower() in formats:
        return formats[name.lower()]
    close = difflib.get_close_matches(name.lower(), formats, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    raise ValueError(
        f"There is no format {name!r}.{hint} The formats are {', '.join(formats)}."
    )


def export(
    model: "Ranker", format_name: str, name: str = "", scaled_input: bool = False
) -> str:
    """Return a fitted model as the text of a file for another program.

    Parameters
    ----------
    model : Ranker
        Fitted model, linear or of trees.
    format_name : str
        One of `list_formats`.
    name : str
        Name of the model in that program; by default from algorithm and data.
    scaled_input : bool
        Whether the other program receives features scaled within each query as in
        training; see `ExportFormat.check`.

    Raises
    ------
    ValueError
        For an unknown format, or with the reason why it cannot hold the model.

    Examples
    --------
    >>> from rankcore import RSRank
    >>> model = RSRank(max_iter=1).fit([[0.0], [1.0]], [0, 1], qid=None)
    >>> export(model, "csv").splitlines()[0]
    'feature,coefficient,scaling'
    """
    chosen = get_format(format_name)
    chosen.check(model, scaled_input)
    return chosen.write(model, name or chosen.default_name(model))
