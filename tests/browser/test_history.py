"""Back and Forward of a browser: they restore what was there, run and all."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.live import choose_example

# A page with runs or studies, and three presets that change its link; of some, one is
# of what the link leaves out.
PAGES = {
    "train": ("/train", "Few features (g = 250)", "Dense (g = 0)", "Sparse (g = 10)"),
    "race": (
        "/train?train_view=Race",
        "Race by seconds",
        "Sparse models",
        "Trees and linear",
    ),
    "compare": (
        "/compare",
        "All seeds",
        "Against one baseline",
        "Accuracy and seconds",
    ),
    "explore": ("/explore", "RankSVM λ", "ApproxNDCG α", "SVMNDCG C"),
    "approximation": (
        "/approximation?approx_view=Along+training",
        "nDCG, α = 100",
        "Softer: α = 10",
        "Too sharp: α = 1000",
    ),
    "sparsity": (
        "/sparsity",
        "Shrink every 10 iterations, as in the paper",
        "Compare with an ℓ₁ constraint",
        "The rules compared",
    ),
    "cones": (
        "/cones",
        "A cone in space",
        "More vectors, worse ranking",
        "Why clipping is not a projection",
    ),
    "margins": ("/margins", "Choosing C", "Train and test", "Cutting planes"),
}
# The link, the facts, and what the controls show.
SHOWN = """() => {
  const live = [...document.querySelectorAll("[data-testid=stMain] *")]
    .filter(part => !part.closest("[data-stale=true]"));
  const said = part => part.matches(".rs-facts") ? part.innerText
    : part.matches("[role=slider]") ? part.ariaValueText
    : part.matches("[role=radio][aria-checked=true]") ? part.innerText
    : part.matches("input") ? part.value : "";
  return [location.pathname + location.search, ...live.map(said).filter(Boolean)];
}"""


@pytest.mark.soak
@pytest.mark.parametrize("name", PAGES)
def test_back_and_forward_restore_what_was_there(open_page, settle, name):
    path, *presets = PAGES[name]
    page = open_page(path)
    seen = []
    for preset in presets:
        before = page.url
        choose_example(page, preset)
        expect(page).not_to_have_url(before)
        settle(page)
        if name == "train" and not seen:
            # A run of one iteration belongs to the first.
            page.locator(".st-key-step_1 button:visible").click()
            expect(page.get_by_text("Paused.")).to_be_visible()
            expect(page).to_have_url(re.compile("job="))
            settle(page)
        seen.append(page.evaluate(SHOWN))
    assert len({link for link, *_ in seen}) == len(presets)
    for steps, expected in ((-1, seen[1]), (-1, seen[0]), (1, seen[1])):
        go(page, steps, expected)


def test_back_and_forward_between_pages_restore_what_was_there(open_page, settle):
    """Also what has its default, after another value was chosen on another page."""
    page = open_page("/train")
    seen = [page.evaluate(SHOWN)]
    for name in ("Sparsity", "Train"):
        before = page.url
        page.get_by_test_id("stSidebar").get_by_role("link", name=name).click()
        expect(page).not_to_have_url(before)
        settle(page)
        if name == "Sparsity":
            seen.append(page.evaluate(SHOWN))
            choose_example(page, "Truncated gradient")
            expect(page).to_have_url(re.compile("data=planted"))
            settle(page)
        seen.append(page.evaluate(SHOWN))
    assert seen[-1] != seen[0]
    at = len(seen) - 1
    for steps in (-1, -2, 1, 2):
        at += steps
        go(page, steps, seen[at])


def go(page, steps, expected):
    """Go back or forward so many entries of the history; wait until there is what was
    there."""
    page.evaluate("steps => history.go(steps)", steps)
    page.wait_for_function(
        f"expected => JSON.stringify(({SHOWN})()) === expected",
        arg=page.evaluate("shown => JSON.stringify(shown)", expected),
    )
