"""What the panels of studies and of training runs have in common."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pages.ui import registry
from pages.ui.widgets import Change
from rankcore.studies.jobs import Job, Steering
from rankcore.views import Values

ACTIVE = ("running", "queued")
AGAIN = "Train again"
LOST = (
    "This study no longer exists on this server. Its settings are here; press "
    f"*{AGAIN}* to compute it again."
)


@dataclass(frozen=True)
class JobPanel:
    """The panel of one view.

    Attributes
    ----------
    work : Work or Training
    place : str
        The view's name among those of all pages.
    values : Values
    settings : dict
        What a job that starts now is made with.
    refusal : str or None
        Why none can start, as a sentence.
    change : callable
        Changes settings and draws the page's fragments again, in a callback.
    """

    work: Any
    place: str
    values: Values
    settings: Mapping[str, Any]
    refusal: str | None
    change: Change

    @property
    def job(self) -> Job | None:
        """The job that this visitor looks at here."""
        return registry.find(registry.looked_at(self.place))

    @property
    def missing(self) -> registry.Missing | None:
        """The job of the link, if it is not here."""
        return registry.missing(self.place, self.settings)

    @property
    def steering(self) -> Steering | None:
        """The commands of the job, if it is this visitor's."""
        return registry.steering(self.job)

    @property
    def watches(self) -> bool:
        """Whether the job is under way and another visitor's, to be watched only."""
        return self.job is not None and not self.job.ended and self.steering is None

    def pause(self) -> None:
        """Pause the job, in a callback."""
        if (steering := self.steering) is not None:
            steering.pause()
        self.redraw()

    def redraw(self) -> None:
        """Draw the page's fragments again, in a callback."""
        self.change({})
