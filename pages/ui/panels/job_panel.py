"""Parts that the panels of studies and of training runs share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pages.ui import fragments, registry, session
from pages.ui.components import live
from pages.ui.lessons import place
from pages.ui.serving import frames
from pages.ui.widgets import Change
from rankcore.studies.jobs import ACTIVE, Job, Steering
from rankcore.views import Block, Values

AGAIN = "Train again"
LOST = (
    "This study no longer exists on this server. Its settings are loaded here; press "
    f"*{AGAIN}* to compute it again."
)


@dataclass(frozen=True)
class JobPanel:
    """The panel of a view, given by its place: the settings of a job that starts now,
    why none can start, and the functions that change settings and redraw the page."""

    work: Any
    place: str
    values: Values
    settings: Mapping[str, Any]
    refusal: str | None
    change: Change

    @property
    def job(self) -> Job | None:
        """The job that this visitor views here."""
        return registry.find(registry.looked_at(self.place))

    @property
    def missing(self) -> registry.Missing | None:
        """The link's job, if this server does not have it."""
        return registry.missing(self.place, self.settings)

    @property
    def steering(self) -> Steering | None:
        """The commands of the job, if it is this visitor's."""
        return registry.steering(self.job)

    @property
    def watches(self) -> bool:
        """Whether the job is under way, but another visitor's, so watch only."""
        return self.job is not None and not self.job.ended and self.steering is None

    def move(self, job: Job | None, blocks: Callable[[Job], Sequence[Block]]) -> None:
        """Animate figures, with those in ``blocks``, as long as a job goes on."""
        palette, large, path = self.values.palette, place.presenting(), None
        if job is not None and job.state in ACTIVE:
            path = frames.follow(
                job,
                lambda now: live.frames(blocks(now), palette, large),
                session.viewer(),
            )
        fragments.play(path)

    def pause(self) -> None:
        """Pause the job, in a callback."""
        if (steering := self.steering) is not None:
            steering.pause()
        self.redraw()

    def redraw(self) -> None:
        """Redraw the page's fragments, in a callback."""
        self.change({})
