"""The app's views for Python and commands, without a server.

The app is not part of this package: its folder is found by path, as by ``rankscope
serve``.
"""

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rankcore.base import bundle
from rankcore.base.extras import command

if TYPE_CHECKING:
    from rankcore.data.dataset import RankingDataset
    from rankcore.views import Shown

NEEDED = ("plotly", "yaml", "markdown_it", "mdit_py_plugins", "latex2mathml")


def open_view(
    link: str,
    seconds: float | None = None,
    theme: str = "light",
    data: "Sequence[RankingDataset] | None" = None,
) -> "Shown":
    """Return the content of a view of the app, after the study that its figures need.

    Parameters
    ----------
    link : str
        Path and query of the view's link, such as ``margins?margin_view=By+hand``.
    seconds : float, optional
        Time limit of its study; by default unlimited.
    theme : {"light", "dark"}
        Theme of the colours.
    data : sequence of RankingDataset, optional
        Training, validation and test data instead of the link's data.

    Returns
    -------
    Shown
        ``facts``, ``panels()``, each with a ``picture``, and ``exports()``, its tables.

    Raises
    ------
    ValueError
        If the link is invalid, or nothing can be shown with these settings.
    DataError
        If the data cannot be read.
    ModuleNotFoundError
        If a package that the app needs is not installed.

    Examples
    --------
    >>> shown = open_view("measures?ranking=A2-B0-C1")
    >>> shown.panels()[0].picture.figure()  # doctest: +SKIP
    """
    app = away()
    name = "" if data is None else app.taken_in(data, {"train": data[0].name})
    shown: Shown = app.show(link, seconds, theme, name)
    return shown


def away() -> Any:
    """Return the module of the app that makes reports.

    Raises
    ------
    ModuleNotFoundError
        As `open_view`.
    """
    missing = [name for name in NEEDED if not importlib.util.find_spec(name)]
    if missing:
        raise ModuleNotFoundError(
            f"Views need {' and '.join(missing)}: install the missing packages with "
            f"{command('app')}."
        )
    folder = str(bundle.folder())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module("pages.ui.away.reports")
