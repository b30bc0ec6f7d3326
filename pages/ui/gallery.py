"""Small pictures of the views of all pages, listed from the views themselves."""

from collections.abc import Iterator
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from PIL import Image

from pages.ui.catalogue import pages, stem
from rankcore.views import Changes, Page, View

PICTURES = Path(__file__).parents[1] / "pictures"


class GalleryCard(NamedTuple):
    """A view of a page, to be shown as a picture with its question."""

    page: Page
    view: View

    @property
    def title(self) -> str:
        """The page, and its view where it has several."""
        several = self.page.choice is not None
        return self.page.title + (f": {self.view.name}" if several else "")

    @property
    def settings(self) -> Changes:
        """The settings that lead to the view, as its page opens."""
        view = {self.page.key: self.view.name} if self.page.choice else {}
        return {**view, **self.page.opens(self.view)}

    @property
    def link(self) -> str:
        """The page's name, and its settings."""
        query = urlencode(self.settings)
        return f"{self.page.name}?{query}" if query else self.page.name

    def picture(self, theme: str) -> Path:
        """Return the file of the picture in one theme, which may not exist."""
        return PICTURES / f"{stem(self.page, self.view)}-{theme}.webp"


@lru_cache(maxsize=256)
def jpeg(picture: Path) -> bytes | None:
    """Return a picture in a format that Streamlit sends unchanged, as it would convert
    others at each run; None if there is none."""
    if not picture.exists():
        return None
    content = BytesIO()
    Image.open(picture).convert("RGB").save(content, "JPEG", quality=90)
    return content.getvalue()


def cards(without: tuple[str, ...] = ()) -> Iterator[GalleryCard]:
    """Yield a card for each view, except views of some pages."""
    for name, page in pages().items():
        if name not in without:
            yield from (GalleryCard(page, view) for view in page.views.values())
