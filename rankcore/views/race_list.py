"""The list of a race's runs, with their names and visibility."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from rankcore.plot.palette import run_styles
from rankcore.topics.train.entries import read_entry
from rankcore.topics.train.race import Race
from rankcore.training import Run
from rankcore.views.blocks import Changes, Listing, Runs
from rankcore.views.pins import Pin, read_pins, write_pins
from rankcore.views.settings import Values


class Racing(NamedTuple):
    """A started run.

    Attributes
    ----------
    number : int
        Number among the started runs, from 0.
    key, name : str
        Its name in the race, and its displayed name.
    listed : bool
        False if its algorithm is no longer selected, but another one is.
    hidden : bool
        Whether it is left out of the picture.
    """

    number: int
    key: str
    name: str
    run: Run
    colour: str
    listed: bool
    hidden: bool


@dataclass(frozen=True)
class RaceList:
    """The list of a race's runs.

    Attributes
    ----------
    entrants, pins : str
        The settings with the algorithms that race, as texts of `read_entry`, and with
        the runs that are renamed or hidden, as `rankcore.views.pins` writes them.
    """

    race: Race
    values: Values
    entrants: str
    pins: str

    @cached_property
    def runs(self) -> Sequence[Racing]:
        """All started runs. The last one in the list is shown."""
        runs, pins = self.race.begun, {pin.id: pin for pin in self._pins(self.values)}
        chosen = {read_entry(text).title for text in self.values[self.entrants]}
        listed = [name for name in runs if name in chosen] or list(runs)
        names = {key: pins[key].name or key for key in runs}
        if len(set(names.values())) < len(names):
            names = {key: key for key in runs}
        kinds = [type(run.algorithm).__name__ for run in runs.values()]
        styles = run_styles(kinds, self.values.palette)
        several = len(listed) > 1
        return [
            Racing(
                number,
                key,
                names[key],
                run,
                style.colour,
                key in listed,
                key not in listed or (several and pins[key].hidden),
            )
            for number, ((key, run), style) in enumerate(
                zip(runs.items(), styles, strict=True)
            )
        ]

    @property
    def block(self) -> Runs:
        """The controls of the runs; the last run cannot be removed."""
        rows = [
            Listing(one.key, one.name, one.colour, hidden=one.hidden)
            for one in self.runs
            if one.listed
        ]
        if len(rows) == 1:
            rows = [rows[0]._replace(id="")]
        return Runs(
            "Runs",
            "in the chart and the rankings below",
            rows,
            self.pins,
            lambda now: write_pins(self._pins(now)),
            self._without,
        )

    def _pins(self, now: Values) -> list[Pin]:
        """Return the title of every run, and whether it is hidden."""
        pins = {pin.id: pin for pin in read_pins(now[self.pins])}
        return [pins.get(one.name, Pin(one.name)) for one in self.race.racers]

    def _without(self, now: Values, name: str) -> Changes:
        """Remove a run, and its algorithm from the next race."""
        texts = now[self.entrants]
        entrants = tuple(text for text in texts if read_entry(text).title != name)
        pins = [pin for pin in self._pins(now) if pin.id != name]
        return {self.entrants: entrants, self.pins: write_pins(pins)}
