"""Models and feature sets in the formats of other programs, one format a file.

To add one, add a file that holds a subclass of `ExportFormat`: files are found by
looking, and the command line and the app offer it at once. Other packages add theirs by
entry points ``rankscope.exports``, programs by `rankcore.register`. A format that also
reads is taken by all that takes a model file.
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
    """Return the names of all formats that are written, in alphabetical order."""
    return [name for name, kind in _discovered().items() if kind.writes]


def readable_formats() -> list[ExportFormat]:
    """Return the formats of other programs that are read, ordered by name."""
    unread = ExportFormat.recognises
    return [kind for kind in _discovered().values() if type(kind).recognises != unread]


def recognised(file: ModelFile) -> ExportFormat | None:
    """Return the format of a file that another program wrote; None: it is none."""
    return next((kind for kind in readable_formats() if kind.recognises(file)), None)


def get_format(name: str) -> ExportFormat:
    """Return the format to write that is called ``name`` (upper and lower case count
    alike).

    Raises
    ------
    ValueError
        If there is none; the sentence names those there are.
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
    """Write a fitted model as the text of a file that another program reads.

    Parameters
    ----------
    model : Ranker
        Fitted, and linear or made of trees.
    format_name : str
        One of `list_formats`.
    name : str
        Name of the model there; by default after algorithm and data.
    scaled_input : bool
        Say that the other program is given features scaled within each query as in
        training; see `ExportFormat.check`.

    Raises
    ------
    ValueError
        For an unknown format, or a model it cannot hold, with the reason.

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
