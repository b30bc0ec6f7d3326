"""Blocks about the data that a claim needs: the source, and a field for the folder."""

from collections.abc import Callable

from rankcore.topics.papers import computed, sources
from rankcore.topics.papers.card import Card
from rankcore.views.blocks import Block, Caption, Changes, Edit, Notice, Popover
from rankcore.views.kinds import Listed
from rankcore.views.settings import Values

SERVED = (
    "This server has other visitors, so it opens no folders: its operator names the "
    "parent folder of the data with `rankscope serve --data`."
)


FOLDER = Listed(
    "papers_folder",
    "",
    "Folder that was named last",
    names={"": "None"} | sources.PROBLEMS,
    inline=True,
    studied=False,
)


def data_blocks(one: Card, values: Values, owner: Callable[[], str]) -> list[Block]:
    """Return blocks on how to get the missing data of a card, with fields for folders.

    Parameters
    ----------
    owner : callable
        Returns the visitor of a server that has several and opens no folders; otherwise
        empty. Called again when a folder is named, possibly through a proxy.
    """
    names = sources.obtainable(one)
    if not names or any(computed.folds_of(name) for name in one.data):
        return []
    source = Caption(sources.how_to_get(names))
    if owner():
        return [source, Caption(SERVED)]

    def field(name: str) -> Edit:
        def change(text: str) -> Changes:
            return {FOLDER.key: "" if owner() else sources.take_folder(name, text)}

        label, hint = f"Folder of {name}", f"/home/me/letor/{name}"
        return Edit(label, f"papers_folder_{name}", "", change, hint=hint)

    sentence = sources.PROBLEMS.get(values[FOLDER.key], "")
    fields = Popover(
        "I have the folder", "papers_have_folder", lambda: [*map(field, names)]
    )
    warning = [Notice(sentence, "folder_off", warns=True)] if sentence else []
    return [fields, source, *warning]
