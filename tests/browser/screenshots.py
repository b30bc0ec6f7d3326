"""Pictures of all pages: ``make screenshots``.

Starts the app, opens every page of its navigation in light and dark on a wide and on a
narrow screen, lets the pages that train do so, and writes the pictures into the folder
``build/screenshots``. Those that the documents show also go to ``docs/images``. The
first figure of every view becomes a small picture of the gallery on the home page.
README's moving picture shows *Train* as it trains.
"""

import argparse
import ast
import io
import itertools
import re
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageOps
from playwright.sync_api import Page, expect

from pages.ui.gallery import GalleryCard, cards
from rankcore.algorithms import get_algorithm
from rankcore.data.catalogue import load_dataset
from rankcore.studies.store import open_store
from rankcore.training import drive
from rankcore.views import Training
from tests.browser.conftest import chromium, serving, settle
from tests.browser.live import expect_drawn
from tests.documents import DOCUMENTS, blocks

ROOT = Path(__file__).parents[2]
ALL = ROOT / "build" / "screenshots"
IMAGES = ROOT / "docs" / "images"
SIZES = {"wide": (1440, 900), "narrow": (390, 844)}
THEMES = ("light", "dark")
# A step of a lesson on a projector.
SLIDE = (1280, 720)
PRESENTED = "approximation?lesson=2-alpha&step=2&present=1"
# A shipped map, and where the pointer is: shares of its width and height.
MAP = "explore?data=planted&map_x=g&map_y=learning_rate"
POINTED = (6.5 / 9, 3.5 / 9)
# The documents show wide, light pictures, a little smaller than they were taken.
DOCUMENT_WIDTH = 1080
COLOURS = 255
PATIENCE = 180_000
# Pictures of the gallery: taken in a small window, so that their texts are large.
SMALL_WINDOW = {"width": 1000, "height": 1000}
CARD = (384, 288)
CARD_BYTES = 25_000

# Settings that show more than the defaults do.
LINKS = {
    "train": "data=planted&algorithm=RSRank&RSRank.g=10&RSRank.max_iter=150"
    "&speed=as+fast+as+it+goes&query=3",
    "sparsity": "data=planted&values=12",
    "inspect": "data=planted&query=5",
}
# README's moving picture: two iterations a second, and frames at most as often as this.
FILM = (
    "train?data=planted&algorithm=RSRank&RSRank.g=10&RSRank.max_iter=30"
    "&speed=2+iterations/s&query=3"
)
FILM_WINDOW = {"width": 1440, "height": 900}
FILM_WIDTH = 960
FRAMES, FRAME_MS, LAST_FRAME_MS = 40, 250, 3000
FILM_BYTES = 1_500_000
# What is pressed first, and what is read when the work is done.
WORK = {
    "train": ("Play", "Finished."),
    "sparsity": ("Train 12 models", "values are trained."),
}
# What the store has that the pictures are taken with.
KEPT = ("RSRank", "ApproxNDCG", "ListNet", "RankSVM", "LambdaRank")
# Pages whose first view has no figure of Plotly.
WITHOUT_FIGURES = ("home", "lessons")


def page_names() -> list[str]:
    """The pages of app.py's navigation, in order."""
    source = (ROOT / "app.py").read_text("utf-8")
    result = re.findall(r'st\.Page\("pages/(\w+)\.py"', source)
    return list(dict.fromkeys(result))


def shown_names() -> set[str]:
    """The pictures that the documents show."""
    text = "".join(path.read_text("utf-8") for path in DOCUMENTS)
    return set(re.findall(r"images/(\w+)\.png", text))


def take(page: Page, address: str, name: str, theme: str, size: str) -> str:
    """Take a picture of a page that stands still.

    Returns its address, by which the next visit finds the work that has been done.
    """
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.goto(address)
    settle(page)
    if name in WORK and not re.search(r"[?&](job|path)=", address):
        work(page, *WORK[name])
    if name not in WITHOUT_FIGURES:
        expect(page.locator(".js-plotly-plot .main-svg").first).to_be_attached()
    stand_still(page)
    page.screenshot(path=picture(name, theme, size), animations="disabled")
    if (name, theme, size) == ("train", "light", "wide"):
        controls = page.locator(".st-key-controls")
        controls.screenshot(path=ALL / "controls.png", animations="disabled")
    return page.url


def picture(name: str, theme: str, size: str) -> Path:
    """The file of a picture."""
    return ALL / f"{name}-{theme}-{size}.png"


def work(page: Page, button: str, done: str) -> None:
    """Press a button that starts a job, and wait until the job has ended."""
    page.get_by_role("button", name=button).click()
    expect(page.get_by_text(done).first).to_be_visible(timeout=PATIENCE)


def stand_still(page: Page) -> None:
    """Wait until nothing is computed any more and every figure is drawn."""
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0, timeout=PATIENCE)
    expect(page.get_by_test_id("stSpinner")).to_have_count(0, timeout=PATIENCE)
    expect(page.get_by_text("Preparing")).to_have_count(0, timeout=PATIENCE)
    settle(page)
    # Fonts and the last redraw of a figure come without a sign of their own.
    page.wait_for_timeout(2000)
    expect_drawn(page)
    page.wait_for_timeout(1000)


def take_slide(page: Page, url: str) -> None:
    """Take the picture of a step that is presented, as a projector shows it."""
    page.set_viewport_size({"width": SLIDE[0], "height": SLIDE[1]})
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.goto(f"{url}/{PRESENTED}")
    stand_still(page)
    page.screenshot(path=ALL / "present.png", animations="disabled")


def take_map(page: Page, url: str) -> None:
    """Take the picture of a map with the pointer on a model of a few features, and of
    what follows it."""
    page.set_viewport_size({"width": SIZES["wide"][0], "height": 1500})
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.goto(f"{url}/{MAP}")
    ranking = page.locator(".rs-live-ranking")
    expect(ranking).to_be_visible(timeout=PATIENCE)
    stand_still(page)
    cells = page.locator(".js-plotly-plot .nsewdrag").first.bounding_box()
    across, up = POINTED
    page.mouse.move(
        cells["x"] + cells["width"] * across, cells["y"] + cells["height"] * up
    )
    page.wait_for_timeout(1500)
    first = page.locator(".js-plotly-plot").first.bounding_box()
    last = ranking.bounding_box()
    left, top = first["x"] - 16, first["y"] - 36
    clip = {
        "x": left,
        "y": top,
        "width": last["x"] + last["width"] + 16 - left,
        "height": last["y"] + last["height"] + 4 - top,
    }
    page.screenshot(path=ALL / "map.png", animations="disabled", clip=clip)


def take_notebook(page: Page) -> None:
    """Take the picture that the guide's last lines of Python show."""
    code = [block for _, block in blocks("python")]
    shown = next(ast.parse(block) for block in code if "run_figure(" in block)
    *lines, last = shown.body
    names: dict = {}
    exec(compile(ast.Module(lines, []), "guide", "exec"), names)
    figure = eval(compile(ast.Expression(last.value), "guide", "eval"), names)
    page.set_viewport_size({"width": 720, "height": 520})
    page.set_content(figure.to_html(config={"displayModeBar": False}))
    page.wait_for_timeout(1000)
    page.locator(".js-plotly-plot").screenshot(path=ALL / "notebook.png")


def take_film(page: Page, url: str) -> None:
    """Take README's moving picture: frames from Play to the end of training."""
    page.set_viewport_size(FILM_WINDOW)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.goto(f"{url}/{FILM}")
    stand_still(page)
    frames = [page.screenshot()]
    page.get_by_role("button", name="Play").click()
    while page.get_by_text("Finished.").count() == 0 and len(frames) < FRAMES:
        page.wait_for_timeout(FRAME_MS)
        frames.append(page.screenshot())
    expect(page.get_by_text("Finished.").first).to_be_visible()
    stand_still(page)
    frames.append(page.screenshot())
    film(frames, IMAGES / "train.webp")


def film(frames: Sequence[bytes], target: Path) -> None:
    """A moving picture, of so much quality that its file stays small."""
    first, *others = (smaller(frame) for frame in frames)
    lasting = [FRAME_MS] * len(others) + [LAST_FRAME_MS]
    for quality in range(80, 0, -10):
        first.save(
            target, save_all=True, append_images=others, duration=lasting, loop=0,
            quality=quality, method=6,
        )  # fmt: skip
        if target.stat().st_size <= FILM_BYTES:
            break


def smaller(taken: bytes) -> Image.Image:
    """A frame of the moving picture."""
    with Image.open(io.BytesIO(taken)) as opened:
        height = round(opened.height * FILM_WIDTH / opened.width)
        return opened.convert("RGB").resize(
            (FILM_WIDTH, height), Image.Resampling.LANCZOS
        )


def take_card(page: Page, url: str, card: GalleryCard, link: str) -> None:
    """Take the pictures of a view's first figure for the gallery; ``link`` is of its
    page.

    Views that wait for a study show their examples; training begins at once.
    """
    trains = isinstance(card.view.work, Training)
    more = link if trains or card.page.name == "runs" else ""
    address = f"{url}/{card.link}{'&' if '?' in card.link else '?'}{more}"
    page.set_viewport_size(SMALL_WINDOW)
    for theme in THEMES:
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        page.goto(address)
        settle(page)
        if trains and "job=" not in page.url:
            work(page, *WORK[card.page.name])
        stand_still(page)
        first = page.locator(".rs-live").first
        miniature(first.screenshot(animations="disabled"), card.picture(theme))
        address = page.url


def keep_runs(address: str) -> str:
    """Fill a run store, so that the page of kept runs has a figure; return the setting
    that chooses one there."""
    data, chosen = load_dataset("planted"), []
    with open_store(address) as store:
        for algorithm, limit in itertools.product(KEPT, (10, 30)):
            run = drive(
                get_algorithm(algorithm)(max_iter=limit), data.train, data.valid
            )
            title = f"{algorithm}, {limit} iterations"
            with store.recording(run, title=title) as recorder:
                list(run)
            chosen.append(recorder.id)
    return f"runs_chosen={chosen[1]}"


def miniature(taken: bytes, target: Path) -> None:
    """A small picture of a figure, with its own background at the edges."""
    with Image.open(io.BytesIO(taken)) as opened:
        picture = opened.convert("RGB")
    edge = picture.getpixel((0, 0))
    small = ImageOps.pad(picture, CARD, Image.Resampling.LANCZOS, edge)
    target.parent.mkdir(exist_ok=True)
    for quality in range(90, 10, -10):
        small.save(target, quality=quality, method=6)
        if target.stat().st_size <= CARD_BYTES:
            break


def shrink(source: Path, target: Path, width: int | None = None) -> None:
    """A picture with few colours and, if asked, of less width."""
    with Image.open(source) as opened:
        picture = opened.convert("RGB")
    if width is not None and picture.width > width:
        height = round(picture.height * width / picture.width)
        picture = picture.resize((width, height), Image.Resampling.LANCZOS)
    # This method keeps what has a colour of its own, however small it is; then each
    # colour is the mean of what it stands for.
    few = picture.quantize(
        COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE
    )
    few.save(target, optimize=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Take the pictures of all pages, or of those named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", help="pages; all of them if none is named")
    chosen = parser.parse_args(arguments).pages or page_names()
    ALL.mkdir(parents=True, exist_ok=True)
    wanted = shown_names()
    result = ALL / "runs.sqlite"
    result.unlink(missing_ok=True)
    store = f"sqlite:///{result}"
    links = LINKS | {"runs": keep_runs(store)}
    with serving(RANKSCOPE_DATABASE_URL=store) as url, chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        for name in chosen:
            path = "" if name == "home" else name
            address = f"{url}/{path}?{links.get(name, '')}"
            for theme, size in itertools.product(THEMES, SIZES):
                address = take(page, address, name, theme, size)
            print(name, flush=True)  # noqa: T201
            if name in wanted:
                wide = picture(name, "light", "wide")
                shrink(wide, IMAGES / f"{name}.png", DOCUMENT_WIDTH)
        for card in cards(without=("home", "lessons")):
            if card.page.name in chosen:
                take_card(page, url, card, links.get(card.page.name, ""))
                print(card.title, flush=True)  # noqa: T201
        if "train" in chosen:
            take_film(page, url)
        take_slide(page, url)
        take_map(page, url)
        take_notebook(page)
    for name in ("controls", "present", "map", "notebook"):
        part = ALL / f"{name}.png"
        if name in wanted and part.exists():
            shrink(part, IMAGES / f"{name}.png")


if __name__ == "__main__":
    main()
