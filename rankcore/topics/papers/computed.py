"""The results of papers' claims: shipped ones, and those computed by a user here."""

import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

from rankcore.data.catalogue import list_datasets, load_dataset
from rankcore.studies import Findings, Study
from rankcore.topics.papers import results
from rankcore.topics.papers.bench import Bench
from rankcore.topics.papers.boards import Place
from rankcore.topics.papers.card import Card, CardOutcome
from rankcore.topics.papers.results import Results


def every() -> Results:
    """Return all results, with a user's own replacing shipped ones."""
    return _read(*_file_and_time())[0]


def problem() -> str:
    """Return why a user's results cannot be read; empty if they can."""
    return _read(*_file_and_time())[1]


def places(dataset: str, measure: str, convention: str) -> Mapping[str, Place]:
    """Return the place of each entry on a data set's leaderboard."""
    return _places(*_file_and_time(), dataset, measure, convention)


def _file_and_time() -> tuple[Path, int]:
    """Return the user's file of results, and its time; 0 if there is none."""
    file = results.folder() / results.FILE
    return file, file.stat().st_mtime_ns if file.is_file() else 0


@lru_cache(maxsize=4)
def _read(path: Path, changed: int) -> tuple[Results, str]:
    shipped = Results.shipped()
    if not changed:
        return shipped, ""
    try:
        return shipped.joined(Results.read(path)), ""
    except ValueError as error:
        return shipped, str(error)


@lru_cache(maxsize=64)
def _places(
    path: Path, changed: int, dataset: str, measure: str, convention: str
) -> Mapping[str, Place]:
    return _read(path, changed)[0].boards[dataset].places(measure, convention)


def of_study(study: Study | None, key: str) -> CardOutcome | None:
    """Return the outcome of a card's repeated experiment, if any."""
    if study is None or not study.found or study.subject != key:
        return None
    outcome: CardOutcome = study.found[-1]
    return outcome


def refusal(one: Card) -> str | None:
    """Return why a card's experiment cannot run here, as a sentence."""
    if not one.data or any(folds_of(name) for name in one.data):
        return None
    if one.unobtainable:
        return one.unobtainable
    return (
        f"{' or '.join(one.data)} is not here: name its folder beside the claim, or "
        f"use rankscope reproduce {one.paper} --data FOLDER."
    )


def seconds(one: Card) -> float:
    """Return the estimated time of a card's experiment: that of the last one, with
    every compared learner."""
    results = every()
    trained = [
        results.boards[name].standings[entry.name].seconds
        for name in one.data
        if name in results.boards
        for entry in {entry.name: entry for entry in one.entries.values()}.values()
        if entry.name in results.boards[name].standings
    ]
    return max(results.of(one).seconds, sum(trained))


def again(one: Card) -> Study:
    """Return a card's experiment on the catalogue's folders; its results are stored
    among the user's results."""

    def tell(line: str) -> None:
        # A bench calls back during the only iteration of this study.
        study.doing = f"computed: {line}"

    first = "the experiment"
    study = Study(_again(one, tell), 1, "experiments", one.key, doing=first)
    return study


def _again(one: Card, say: Callable[[str], None]) -> Findings:
    data = {
        name: {fold.rpartition("/")[2]: load_dataset(fold) for fold in folds_of(name)}
        for name in one.data
        if folds_of(name)
    }
    began = time.perf_counter()
    outcome = results.check(one, Bench(data, say=say))
    if data:
        file = results.folder() / results.FILE
        _user_results(file).joined(Results({one.key: outcome}, {})).write(file)
    yield outcome
    return f"Computed in {time.perf_counter() - began:.3g} s."


def _user_results(file: Path) -> Results:
    """Return a user's results; empty if they cannot be read, and then rewritten."""
    try:
        return Results.read(file)
    except ValueError:
        return Results.empty()


def folds_of(dataset: str) -> list[str]:
    """Return the names of a data set's folds in the catalogue, if it is there."""
    return [
        info.name
        for info in list_datasets()
        if info.name.rpartition("/Fold")[0].lower() == dataset.lower()
    ]
