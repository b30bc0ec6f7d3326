"""A race: up to four runs on the same data, trained in turn.

The run that is furthest behind, by iterations or by training time, takes the next step,
so that all can be compared at any time.
"""

import math
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from rankcore.base.arrays import Floats
from rankcore.data.dataset import RankingDataset
from rankcore.data.readers import Splits
from rankcore.studies import Findings, Progress, Study
from rankcore.topics.inspect.ranking import QueryRanking, query_ranking
from rankcore.topics.train.curves import Axis
from rankcore.topics.train.pace import pace
from rankcore.training import History, Run

MOST_RACERS = 4


@dataclass(eq=False)
class Racer:
    """A run of a race.

    Attributes
    ----------
    name : str
        Unique in its race.
    run : Run or None
        The run; None if it could not start.
    reason : str or None
        Why it ended or could not start, as a sentence; None while it goes on.
    failed : bool
        Whether it could not start, or an error ended it; its records remain valid.
    """

    name: str
    run: Run | None = None
    reason: str | None = None
    failed: bool = False

    @property
    def history(self) -> History:
        """Its records so far."""
        return History() if self.run is None else self.run.history

    def at(self, pace: Axis) -> float:
        """Return iterations or seconds of training so far; -1 before the first
        record."""
        history = self.history
        return history[-1].figure(pace) if len(history) else -1.0

    @property
    def share(self) -> float:
        """Completed share of training, 0 to 1, by the nearer of its limits."""
        if self.reason is not None or self.run is None:
            return 1.0
        iterations, seconds = self.run.max_iterations, self.run.max_seconds
        done = self.at("iteration") / iterations if iterations else 0.0
        spent = self.at("seconds") / seconds if seconds else 0.0
        return min(max(done, spent, 0.0), 1.0)


@dataclass(frozen=True)
class Race:
    """The subject of `race_study`.

    Attributes
    ----------
    racers : tuple of Racer
        The runs, in their original order.
    pace : {"iteration", "seconds"}
        The quantity that decides which run steps next.
    judged : list
        The verdict of the study's ``judge`` at its end; empty before.
    """

    racers: tuple[Racer, ...]
    pace: Axis = "iteration"
    judged: list[Any] = field(default_factory=list, compare=False)

    @property
    def run(self) -> Run | None:
        """The first run, whose data, measures and rules are common to all."""
        return next((one.run for one in self.racers if one.run is not None), None)

    @property
    def begun(self) -> dict[str, Run]:
        """The runs that have a record, by name."""
        return {
            one.name: one.run
            for one in self.racers
            if one.run is not None and len(one.run.history)
        }

    @property
    def data(self) -> Splits:
        """Training and validation data of the runs."""
        if self.run is None:
            raise ValueError("No run of this race could start, so it has no data.")
        return Splits(self.run.train, self.run.valid)

    def models(self, best: bool = False) -> list[Floats]:
        """Return the last model of each started run, or the best one so far."""
        runs = self.begun.values()
        return [(run.best if best else run.history[-1]).coef for run in runs]

    def rankings(
        self, dataset: RankingDataset, query: int, best: bool = False
    ) -> list[QueryRanking]:
        """One query's ranking by each of `models`, with the race's first measure.

        Parameters
        ----------
        query : int
            Its position, from 0.
        best : bool
            As in `models`.
        """
        rows = dataset.query(query)
        return [
            query_ranking(
                rows,
                run.algorithm.scores(rows.X, coef),
                run.measures[0],
                run.rules.convention,
            )
            for run, coef in zip(self.begun.values(), self.models(best), strict=True)
        ]

    @property
    def next(self) -> Racer | None:
        """The running racer that is furthest behind, the first of equal ones; None if
        all have ended."""
        going = [racer for racer in self.racers if racer.reason is None]
        return min(going, key=lambda racer: racer.at(self.pace), default=None)

    @property
    def time_left(self) -> str:
        """Estimated time left for the slowest run, as a phrase; empty if unknown."""
        runs = [one.run for one in self.racers if one.run and one.reason is None]
        paces = [pace(run) for run in runs]
        running = [each for each in paces if not math.isnan(each.seconds_left)]
        return (
            max(running, key=lambda each: each.seconds_left).time_left
            if running
            else ""
        )


def race_study(
    entries: Mapping[str, Callable[[], Run]],
    pace: Axis = "iteration",
    judge: Callable[[Race], Any] | None = None,
    keep: Callable[[Run, str], Any] | None = None,
) -> Study:
    """Return the study that trains several runs in turn, each to its own end.

    Every run is the same as from `rankcore.training.drive` alone. A run that cannot
    start, or fails, states the reason, and the others go on.

    Parameters
    ----------
    entries : dict of str to callable
        Functions that make each run, not started, by name; one to four, with the same
        data, measures and rules.
    pace : {"iteration", "seconds"}
        Whether the run with the fewest iterations takes the next step, or the one with
        the least training time, which excludes measuring.
    judge : callable, optional
        Called with the race when all runs have ended, such as
        `rankcore.topics.train.verdict.verdict`, which takes seconds with many queries.
    keep : callable, optional
        Starts to store a run under a name, and returns its
        `rankcore.studies.store.Recorder`, or None if it is not stored.

    Returns
    -------
    Study
        It finds each `Racer` when it has ended; its subject is a `Race`, whose runs
        grow.

    Raises
    ------
    ValueError
        For no entry or too many, another pace, or runs that cannot be compared.
    """
    if not 1 <= len(entries) <= MOST_RACERS:
        raise ValueError(
            f"A race has 1 to {MOST_RACERS} runs, not {len(entries)}: give that many."
        )
    if pace not in ("iteration", "seconds"):
        raise ValueError(f"pace must be 'iteration' or 'seconds', not {pace!r}.")
    race = Race(tuple(_entered(name, begin) for name, begin in entries.items()), pace)
    for racer in race.racers:
        if racer.run is not None and race.run is not None:
            _check_comparable(race.run, racer.run)
    return Study(_in_turn(race, judge, keep), len(race.racers), "runs", race)


def _entered(name: str, begin: Callable[[], Run]) -> Racer:
    try:
        return Racer(name, begin())
    except ValueError as error:
        return Racer(name, reason=str(error), failed=True)


def _in_turn(
    race: Race,
    judge: Callable[[Race], Any] | None,
    keep: Callable[[Run, str], Any] | None,
) -> Findings:
    ends_by_name: dict[str, Any] = {}
    with ExitStack() as ends:
        for racer in race.racers:
            if racer.run is None:
                yield racer
                continue
            ends.callback(racer.run.close)
            if keep is not None:
                ends_by_name[racer.name] = keep(racer.run, racer.name)
                ends.callback(_end_kept, racer, ends_by_name)
        while (following := race.next) is not None:
            record = _step(following)
            if following.reason is not None:
                _end_kept(following, ends_by_name)
                yield following
            share = sum(one.share for one in race.racers) / len(race.racers)
            yield Progress(race.time_left, share)
            if record is not None:
                yield record
    if judge is not None:
        yield Progress("comparing the models", 1.0)
        race.judged.append(judge(race))
    return "All runs have ended."


def _end_kept(racer: Racer, recorders: dict[str, Any]) -> None:
    """Report the end of a run once to its recorder, if it has one."""
    recorder = recorders.pop(racer.name, None)
    if recorder is not None:
        recorder.end(racer.reason if racer.failed else None)


def _step(racer: Racer) -> object:
    """Return the next record of a racer, if any; notes its end or failure."""
    if racer.run is None:
        return None
    try:
        record = next(racer.run, None)
    except ValueError as error:
        racer.reason, racer.failed = str(error), True
    except Exception as error:
        kind = type(error).__name__
        racer.reason = f"The run ended with an internal error ({kind}): {error}"
        racer.failed = True
    else:
        racer.reason = racer.run.reason
        return record
    return None


def _check_comparable(one: Run, other: Run) -> None:
    def alike(first: object, second: object) -> bool:
        prints = [getattr(each, "fingerprint", None) for each in (first, second)]
        return first is second or (prints[0] is not None and prints[0] == prints[1])

    same = alike(one.train, other.train) and alike(one.valid, other.valid)
    if not same or (one.measures, one.rules) != (other.measures, other.rules):
        raise ValueError(
            "The runs of a race need the same data, measures and evaluation rules; "
            "give all of them the same."
        )
