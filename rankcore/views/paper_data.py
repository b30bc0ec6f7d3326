"""Blocks on the data that a claim needs: the source, and a field for the folder."""

from collections.abc import Callable

from rankcore.topics.papers import computed, sources
from rankcore.topics.papers.card import Card
from rankcore.views.blocks import Block, Caption, Changes, Edit, Notice, Popover

SERVED = (
    "This server has other visitors, so it opens no folders: who runs it names the "
    "folder above the data by `rankscope serve --data`."
)


def data_blocks(
    one: Card, key: str, problem: str, is_local: Callable[[], bool]
) -> list[Block]:
    """Return how to get the data of a card that has none here, and fields for folders.

    Parameters
    ----------
    one : Card
    key : str
        Of the setting that has the problem of the folder that was named last.
    problem : str
        One of `sources.PROBLEMS`, or empty.
    is_local : callable
        Whether the server is the visitor's own, so that it opens folders; asked again
        when one is named, which may be through a proxy.
    """
    names = sources.obtainable(one)
    if not names or any(computed.folds_of(name) for name in one.data):
        return []
    source = Caption(sources.how_to_get(names))
    if not is_local():
        return [source, Caption(SERVED)]

    def field(name: str) -> Edit:
        def written(text: str) -> Changes:
            return {key: sources.take_folder(name, text) if is_local() else ""}

        label, hint = f"Folder of {name}", f"/home/me/letor/{name}"
        return Edit(label, f"papers_folder_{name}", "", written, hint=hint)

    sentence = sources.PROBLEMS.get(problem, "")
    fields = Popover(
        "I have the folder", "papers_have_folder", lambda: [*map(field, names)]
    )
    warning = [Notice(sentence, "folder_off", warns=True)] if sentence else []
    return [fields, source, *warning]
