"""The score list that a setting of the session holds, read and changed in place."""

from pages.ui import score_list, state
from pages.ui.score_list import ScoreList


def current(key: str) -> ScoreList:
    """The list of the setting ``key``; its default where it is none."""
    found = score_list.read(str(state.get(key)))
    found = found or score_list.read(str(state.default(key)))
    assert found is not None
    state.put(key, score_list.write(found))
    return found


def move(key: str, place: int, score: float) -> None:
    """Change the score of a document, as `score_list.moved` does."""
    text = score_list.write(current(key))
    state.put(key, score_list.moved(text, place, score))


def relabel(key: str, place: int, label: int) -> None:
    """Change the label of a document, as `score_list.relabelled` does."""
    text = score_list.write(current(key))
    state.put(key, score_list.relabelled(text, place, label))
