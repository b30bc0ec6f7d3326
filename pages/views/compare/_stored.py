"""Stored runs of a comparison, and the runs that it excludes."""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pages.ui.data import models, stored_runs
from rankcore.data.uploads import VisitorFile
from rankcore.studies.results import Result
from rankcore.topics.compare.comparable import LeftOut
from rankcore.topics.compare.comparison import Comparison
from rankcore.topics.compare.trained import from_store
from rankcore.topics.datasets.raters import RaterAgreement
from rankcore.views import Act, Block, Caption, Notice, Values, errors, past

if TYPE_CHECKING:
    from rankcore.studies.store import StoredRun

MOST_SAID = 3
SAME = (
    "Runs are compared only if data, division, feature scaling and evaluation rules "
    "are equal: retrain them with the same ones, or compare them separately."
)


def read(values: Values) -> tuple[list[Result], list[Block]]:
    """Return the chosen runs, and notices about runs that cannot be compared."""
    runs, problems = [], []
    for key in values.runs:
        run = past.stored(key)
        if run is None:
            problems.append(f"Run {key} is not in the run store of this computer.")
            continue
        try:
            runs.append(_read(key, run.updated.timestamp()))
        except ValueError as error:
            problems.append(str(error))
    more = len(problems) - MOST_SAID
    if more > 0:
        problems[MOST_SAID:] = [f"{more} more runs cannot be compared."]
    return runs, errors(*problems)


def ranked(values: Values) -> tuple[tuple[VisitorFile[Any], ...], list[Block]]:
    """Return the chosen ranking and model files, and notices about missing ones."""
    each: dict[str, VisitorFile[Any] | None] = {
        name: models.RANKINGS.get(name) or models.MODELS.get(name)
        for name in values.ranked
    }
    gone = [name for name, file in each.items() if file is None]
    sentence = "The rankings {} are not available: upload them again on the Data page."
    model = "The model {} is not available: upload it again in the Inspector."
    return tuple(filter(None, each.values())), errors(
        *((model if n.startswith(models.PREFIX) else sentence).format(n) for n in gone)
    )


def raters(values: Values) -> tuple[RaterAgreement | None, list[Block]]:
    """Return the chosen ratings, and a notice if they are not available."""
    if not values.raters:
        return None, []
    (name,) = values.raters
    ratings = models.RATINGS.get(name)
    if ratings is None:
        sentence = f"The ratings {name} are not available: upload the file again on"
        return None, errors(f"{sentence} the Data page.")
    return ratings.content, []


@lru_cache(maxsize=256)
def _read(key: str, updated: float) -> Result:
    return from_store(_run(key))


def _run(key: str) -> "StoredRun":
    run = past.stored(key)
    if run is None:
        raise ValueError(f"Run {key} has been removed from the run store.")
    return run


def places(runs: Sequence[Result]) -> list[tuple[Any, ...]]:
    """Return the arguments of `datasets.load` for the data of stored runs."""
    return list(dict.fromkeys(_place(run.terms.key) for run in runs if run.terms.key))


@lru_cache(maxsize=256)
def _place(key: str) -> tuple[Any, ...]:
    settings = past.settings(_run(key))
    return settings["data"], settings["normalise"], settings.get("without", ())


def notes(
    left_out: Sequence[LeftOut], shown: Comparison, values: Values
) -> list[Block]:
    """Return the excluded runs with reasons, each group with a button that compares it,
    and a notice if their data is not the data of the settings."""
    blocks: list[Block] = []
    for number, one in enumerate(left_out[:MOST_SAID]):
        blocks += [Notice(one.sentence, "rule", warns=True), _instead(one, number)]
    if left_out:
        rest = [one.sentence for one in left_out[MOST_SAID:]]
        blocks.append(Caption(" ".join([*rest, SAME])))
    members = [run for one in shown.contenders for run in one.runs]
    if values.runs and values.data not in {name for name, *_ in places(members)}:
        name = members[0].terms.data or "data without a name"
        blocks.append(
            Notice(
                f"These are results on {name}, the data of the stored runs. Training "
                f"here uses {values.data}."
            )
        )
    return blocks


def _instead(one: LeftOut, number: int) -> Act:
    keys = tuple(run.terms.key for run in one.runs if run.terms.key)
    if not keys:
        return Act("Show the models trained here", f"left_out_{number}", {"runs": ()})
    count = "this run" if len(keys) == 1 else f"these {len(keys)} runs"
    return Act(
        f"Show {count} instead",
        f"left_out_{number}",
        lambda: {"runs": keys, **stored_runs.terms(keys)},
    )
