"""The vocabulary of views: settings, facts, figures, background work, pages.

A view declares what can be chosen and what is shown, and draws nothing, so that it is
tested without a browser, works in a notebook, and can be written into a report.
"""

from rankcore.views.blocks import (
    Act,
    Ask,
    Begin,
    Block,
    Caption,
    Changes,
    DocumentTiles,
    Fact,
    Fold,
    Listing,
    Notice,
    OnPoint,
    Panel,
    Row,
    Runs,
    Shown,
    Table,
    TakeModel,
    Tiles,
    Toy,
    Words,
    flat,
)
from rankcore.views.claims import VERSUS, Claim, claims_view
from rankcore.views.declared import (
    CHANGES,
    Changing,
    Declared,
    declared,
    planned,
    present,
    steered,
)
from rankcore.views.kinds import (
    Choice,
    Listed,
    Number,
    Radio,
    Ranking,
    Several,
    Stops,
    Text,
)
from rankcore.views.page import Page, modules
from rankcore.views.points import Points
from rankcore.views.settings import MORE, Setting, Values, read
from rankcore.views.view import View
from rankcore.views.work import Training, Watched, Work

__all__ = [
    "CHANGES",
    "MORE",
    "VERSUS",
    "Act",
    "Ask",
    "Begin",
    "Block",
    "Caption",
    "Changes",
    "Changing",
    "Choice",
    "Claim",
    "Declared",
    "DocumentTiles",
    "Fact",
    "Fold",
    "Listed",
    "Listing",
    "Notice",
    "Number",
    "OnPoint",
    "Page",
    "Panel",
    "Points",
    "Radio",
    "Ranking",
    "Row",
    "Runs",
    "Setting",
    "Several",
    "Shown",
    "Stops",
    "Table",
    "TakeModel",
    "Text",
    "Tiles",
    "Toy",
    "Training",
    "Values",
    "View",
    "Watched",
    "Words",
    "Work",
    "claims_view",
    "declared",
    "flat",
    "modules",
    "planned",
    "present",
    "read",
    "steered",
]
