"""All views, examples and algorithms of the pages, with links to them."""

from collections.abc import Iterable

from rankcore.algorithms import get_algorithm, list_algorithms
from rankcore.views.blocks import Go
from rankcore.views.page import Page


def entries(pages: Iterable[Page]) -> dict[str, Go]:
    """Return the link to each view, example and algorithm, by its text."""
    links: dict[str, Go] = {}
    for page in pages:
        for name, view in page.views.items():
            several = page.choice is not None
            words = page.title + f": {name}" * several + f": {view.question}"
            raw = {**({page.key: name} if several else {}), **page.opens(view)}
            links[words] = Go(words, page.name, raw)
            for title, changes in page.scenarios(raw).items():
                words = f"Example on {page.title}: {title}"
                links[words] = Go(words, page.name, changes)
    for name in list_algorithms():
        cls = get_algorithm(name)
        words = f"Algorithm {cls.title}: {cls.summary}"
        links[words] = Go(words, "train", {"algorithm": name})
    return links
