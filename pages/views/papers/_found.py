"""The results that the page shows: those shipped, and those a user computed."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from rankcore.papers import results
from rankcore.papers.bench import Bench
from rankcore.papers.boards import Place
from rankcore.papers.card import Found
from rankcore.papers.cards import card
from rankcore.papers.results import Results
from rankcore.views import Block, Notice

SHIPPED = Path(__file__).parents[2] / "examples" / "papers" / results.FILE


def every() -> Results:
    """All results; those a user computed in place of shipped ones."""
    return _read(*_own())[0]


def problems() -> list[Block]:
    """Why the results that a user computed are not shown; nothing where they are."""
    said = _read(*_own())[1]
    return [Notice(said, "error", warns=True)] if said else []


def places(dataset: str, measure: str, convention: str) -> Mapping[str, Place]:
    """The place of each entry on a data set's leaderboard."""
    return _places(*_own(), dataset, measure, convention)


def _own() -> tuple[Path, int]:
    """The file that a user computed, and when; 0 where there is none."""
    own = results.folder() / results.FILE
    return own, own.stat().st_mtime_ns if own.is_file() else 0


@lru_cache(maxsize=4)
def _read(own: Path, changed: int) -> tuple[Results, str]:
    shipped = Results.read(SHIPPED)
    if not changed:
        return shipped, ""
    try:
        return shipped.joined(Results.read(own)), ""
    except ValueError as error:
        return shipped, str(error)


@lru_cache(maxsize=64)
def _places(
    own: Path, changed: int, dataset: str, measure: str, convention: str
) -> Mapping[str, Place]:
    return _read(own, changed)[0].boards[dataset].places(measure, convention)


@lru_cache(maxsize=64)
def again(key: str) -> Found:
    """The experiment of a card that needs no data, computed now."""
    return results.check(card(key), Bench())
