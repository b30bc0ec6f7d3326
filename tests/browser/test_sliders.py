"""Every slider of every view is moved, on narrow and wide screens, light and dark.

The quick tests move those of one view with figures.
"""

import re
from typing import NamedTuple

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PATIENCE
from tests.browser.live import expect_drawn, expect_folded, rest
from tests.browser.screenshots import page_names
from tests.soaking import soak

NARROW, WIDE = (390, 844), (1440, 900)
LIGHT, DARK = ("light", "rgb(255, 255, 255)"), ("dark", "rgb(15, 19, 24)")
# Of neighbours one thing differs. What is moved in every other look is moved in both
# sizes and in both themes.
LOOKS = {
    "two looks": ((NARROW, LIGHT), (WIDE, DARK)),
    "four looks": ((NARROW, LIGHT), (NARROW, DARK), (WIDE, DARK), (WIDE, LIGHT)),
}
FACTS = ".rs-facts"
# Says that what one sees was trained with other settings; it goes when they are back.
NOTE = re.compile("^(The settings have|Settings) changed")
# A run under way goes on with another value, which the link then has.
STEERS = "changes="
# What a figure draws, but for its colours, which come with the theme; or a text.
SEEN = """nodes => nodes.map(node => {
  if (!node.data) return node.innerText ?? node.getAttribute("aria-label");
  if (node.seenIn !== node.dataset.frames) {
    node.seenIn = node.dataset.frames;
    node.seen = JSON.stringify([node.data, { ...node.layout, width: 0, height: 0 }])
      .replace(/#[0-9a-f]{3,8}|rgba?[^)]*/gi, "");
  }
  return node.seen;
}).join("|")"""
WAIT = 50
BACK = {"ArrowRight": "ArrowLeft", "ArrowLeft": "ArrowRight"}


class View(NamedTuple):
    """How many figures there are, and what to move: by name, what must change then.

    That is a figure or a text. Where something has to be trained first, ``press`` says
    by which button and ``trained`` what is read at the end.
    """

    figures: int
    sliders: dict[str, str | re.Pattern]
    press: str = ""
    trained: str = ""


SURROGATE = {
    "Sharpness of positions": "approx_positions",
    "Sharpness of the measure": "approx_values",
    "Cutoff": "approx_values",
}
RESTARTS = ".stMain [data-testid=stCaptionContainer]:has-text('restarts at each')"
PROFILE = {"Sharpness": "landscape", "Restarts": RESTARTS}
CONE = (
    "Basis vectors",
    "Least sum",
    "Largest sum",
    "Length that counts",
    "Length that is cut",
    "Iteration of training",
)
RSRANK = {"Learning rate": NOTE, "Maximum iterations": NOTE}
QUERY = {"Weight of the loss": "orders", "Relevant if label": "orders"}
STUDY = dict.fromkeys(["Relevant if label", "Maximum iterations", "Precision"], NOTE)
COMBO = {
    f"Weight of the {name} loss": "orders" for name in ("AUC", "MAP", "NDCG", "MRR")
}

LANDSCAPE = "/approximation?approx_view=Landscape"
TRUE = "/papers?papers_experiment"
SLIDES = "/papers?papers_experiment"
CLAIM = "/papers?papers_experiment"
SPARSITY = "/sparsity?data=planted&values=4&RSRank.max_iter=20"

VIEWS = {
    "/?weight=0.39": View(
        0,
        {
            "Iteration": ".sight .bar output",
            "Sparsity g of RSRank": ".sight .choice output",
            "Weight of clicks": ".st-key-toy svg",
        },
    ),
    "/lessons": View(0, {}),
    "/runs?runs_search=none+of+this+name": View(0, {}),
    "/compare": View(2, {}),
    "/data": View(3, {}),
    "/explore?data=toy-2d&map_iterations=5&map_values=5": View(
        4,
        dict.fromkeys(
            [
                "Values on each axis",
                "Horizontal axis: from",
                "Horizontal axis: to",
                "Vertical axis: from",
                "Vertical axis: to",
                "Truncation",
            ],
            NOTE,
        ),
        "Train 25 models",
        "All 25 models are trained.",
    ),
    "/inspect?data=planted&query=5": View(
        2,
        {
            "Documents shown": "inspect_orders",
            "Value": "inspect_orders",
            "Label": "inspect_orders",
        },
    ),
    "/train?data=planted&RSRank.max_iter=20": View(
        3,
        dict.fromkeys(["Sparsity", "Truncation", "Learning rate"], STEERS)
        | {"Maximum iterations": NOTE, "Replay": FACTS},
        "+10",
        "Paused",
    ),
    "/approximation?approx_view=One+list": View(5, SURROGATE),
    "/approximation?approx_view=Along+training&data=toy-2d&approx_passes=20": View(
        4,
        dict.fromkeys([*SURROGATE, "Maximum iterations"], NOTE),
        "Train and measure models",
        "All 9 runs have ended.",
    ),
    f"{LANDSCAPE}&data=planted&land_shape=Line": View(
        2, PROFILE | {"Selected position": "landscape", "Queries": "landscape"}
    ),
    f"{LANDSCAPE}&data=planted&land_shape=Circle": View(
        3, PROFILE | {"Selected direction": "ring", "Queries": "landscape"}
    ),
    f"{LANDSCAPE}&data=toy-3d&land_shape=Sphere&land_queries=1": View(
        3,
        {"Sharpness": "smooth_map", "Queries": "globe", "Restarts": RESTARTS},
    ),
    f"{TRUE}=Ties": View(1, {}),
    f"{TRUE}=Strict+inequality": View(1, {}),
    f"{TRUE}=Centre+of+the+cutoff": View(
        1, {"Sharpness of the measure": "claim_centre"}
    ),
    f"{TRUE}=Long+lists": View(0, {}),
    f"{SPARSITY}&sparse_view=One+path": View(
        4,
        {"Values": NOTE, "Tolerated": FACTS, "Truncation": NOTE, "Selected": FACTS}
        | RSRANK,
        "Train 4 models",
        "All 4 values are trained.",
    ),
    f"{SPARSITY}&sparse_view=Compare+rules": View(
        1,
        {"Values": NOTE, "Tolerated": FACTS} | RSRANK,
        "Train 12 models",
        "All 3 paths are trained.",
    ),
    "/sparsity?sparse_view=One+coefficient&data=planted": View(
        2, dict.fromkeys(["Sparsity", "Iteration"], "life")
    ),
    "/sparsity?sparse_view=Steps+to+corners": View(
        2, {"Radius": "certificate", "Iteration": "ball"}
    ),
    f"{SPARSITY}&sparse=FenchelRank": View(
        5,
        {"Values": NOTE, "Tolerated": FACTS, "Selected": FACTS}
        | dict.fromkeys(["Duality gap", "Maximum iterations"], NOTE),
        "Train 4 models",
        "All 4 values are trained.",
    ),
    "/cones?cone_pass=1&ConeRank.lambda_low=0.8": View(
        5, dict.fromkeys([*CONE, "Noise"], "cone_plane")
    ),
    "/cones?cone_size=3-D&cone_k=3&cone_pass=1&ConeRank.lambda_low=0.5": View(
        3, dict.fromkeys([*CONE, "Noise"], "cone_space")
    ),
    # Here the weights add up to the largest sum, so that the least one counts nothing;
    # it moves the plane in the row above.
    "/cones?cone_source=any+data+set&data=planted&cone_pass=1": View(
        4,
        dict.fromkeys([*CONE, "Maximum pairs"], "cone_plane")
        | {"Least sum": "[class*=st-key-ConeRank-lambda_low]"},
    ),
    "/cones?cone_source=any+data+set&data=planted&cone_pass=1"
    "&cone_along=features": View(
        4,
        dict.fromkeys([*CONE, "Maximum pairs"], "cone_plane")
        | {"Least sum": "[class*=st-key-ConeRank-lambda_low]"},
    ),
    f"{CLAIM}=Votes+and+the+linear+score": View(2, {}),
    f"{CLAIM}=Clipping+is+a+projection": View(2, {"Step length": "cone_excess"}),
    f"{CLAIM}=A+cone+of+few+vectors+is+proper": View(2, {"Vectors": FACTS}),
    f"{CLAIM}=The+negative+projects+to+zero": View(1, {}),
    "/margins?data=toy-2d": View(3, QUERY),
    "/margins?data=toy-2d&margin_learner=DORM": View(
        3, {"Weight of the loss": "orders", "Cutoff": "orders"}
    ),
    "/margins?margin_source=by+hand&margin_list=0.5:0,0.2:2,0.1:1,-0.3:1": View(
        5, {"Score": "hand", "Label": "hand", "Relevant if label": "orders"}
    ),
    "/margins?margin_view=Trained+on+×+tested+on&data=toy-2d": View(
        1,
        {"Sum of all C": NOTE, "Relevant if label": NOTE},
        "Train 7 models",
        "Complete after",
    ),
    "/margins?margin_view=Two+feature+maps&data=toy-2d": View(
        2, COMBO | {"Cutoff": "orders", "Relevant if label": "orders"}
    ),
    f"{SLIDES}=SVMCombo+bounds+every+loss": View(
        1, {"Weight of every loss": "claim_bound"}
    ),
    f"{SLIDES}=The+second+form+of+φₚₒ": View(1, {}),
    f"{SLIDES}=The+values+of+Δₘᵣᵣ": View(1, {"Cutoff": "claim_values"}),
    f"{SLIDES}=Merging+by+score+finds+the+worst+order": View(1, {}),
    f"{SLIDES}=A+simple+argmax+for+NDCG": View(1, {}),
    "/reduction?red_source=by+hand&red_view=Pairs": View(2, {"Score gap": FACTS}),
    "/reduction?red_source=a+query+of+the+data&data=planted&red_steps=0": View(
        3, {"Iterations of RSRank": FACTS}
    ),
    "/reduction?red_source=a+query+of+the+data&data=planted&red_view=Losses": View(
        3, {"Iterations of RSRank": "red_curves"}
    ),
    "/reduction?red_source=a+query+of+the+data&data=planted&red_view=Swaps": View(
        2, {"Iterations of RSRank": FACTS, "Swap": "red_swaps"}
    ),
    "/reduction?red_view=Losses": View(2, {"Score gap": "red_curves"}),
    "/reduction?red_view=Swaps": View(1, {"Score gap": FACTS, "Swap": "red_swaps"}),
    "/reduction?red_view=Regrets": View(2, {"Probability": "red_regrets"}),
    "/papers?papers_paper=fenchelrank": View(6, {}),
    "/papers?papers_view=Leaderboard": View(1, {}),
    "/clicks?click_sessions=250": View(
        2,
        dict.fromkeys(
            ["Severity", "Sessions", "Noise", "Trust", "Documents shown", "Clip"], NOTE
        ),
        "Let users click",
        "Complete: 250 sessions",
    ),
    "/measures": View(
        2, {"Cutoff": "moving", "Tied documents": ".rs-heading", "Sharpness": "moving"}
    ),
}
# Where one of the views above is chosen.
CHOSEN = ", ".join(
    f"[class*=st-key-{key}-] :is([role=radio], [role=radiogroup] label)"
    for key in (
        "approx_view",
        "land_shape",
        "sparse_view",
        "margin_view",
        "papers_paper",
        "red_source",
        "red_view",
    )
)


def test_every_page_has_a_row():
    paths = {link[1:].partition("?")[0] or "home" for link in VIEWS}
    assert paths == set(page_names())


def cases():
    """A view with figures in two looks; all under soak in four."""
    yield "/measures", "two looks"
    yield from (soak(link, "four looks") for link in VIEWS)


@pytest.mark.parametrize(("link", "looks"), list(cases()))
def test_every_slider_moves_what_is_seen(open_page, assert_sound, settle, link, looks):
    view = VIEWS[link]
    page = open_page(link, width=NARROW[0], height=NARROW[1])
    main = page.get_by_test_id("stMain")
    unfold(page)
    if view.press:
        main.get_by_role("button", name=view.press).first.click()
        expect(main.get_by_text(view.trained).first).to_be_visible()
    for name in main.locator(CHOSEN).all_inner_texts():
        assert any(name.replace(" ", "+") in link for link in VIEWS)

    keys = {}
    for turn, (size, theme) in enumerate(LOOKS[looks]):
        look(page, size, theme)
        expect(main.locator(".rs-live")).to_have_count(view.figures)
        expect_drawn(page)
        expect(main.get_by_role("slider")).to_have_count(len(view.sliders))
        for name, seen in list(view.sliders.items())[turn % 2 :: 2]:
            slider = main.get_by_role("slider", name=re.compile(f"^{name}"))
            settle(page)
            key = keys.get(name) or first_key(slider)
            if seen == NOTE:
                move_and_return(page, slider, key)
            elif seen == STEERS:
                steer(page, slider, key)
                keys[name] = BACK[key]
            else:
                move(page, slider, key, seen)
                keys[name] = BACK[key]
        settle(page)
        assert_sound(page)


def unfold(page):
    """Open the settings, which are folded on a narrow screen, and those among them."""
    settings = page.locator(".st-key-controls")
    if not settings.count():
        return
    expect_folded(page)
    settings.get_by_text("Settings", exact=True).click()
    rest(settings)
    folded = settings.locator("details details:not([open]) > summary")
    for _ in range(folded.count()):
        folded.first.click()
        rest(settings)
    expect(folded).to_have_count(0)


def look(page, size, theme):
    """Change the window or the theme, and wait until all is drawn in it."""
    name, background = theme
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(color_scheme=name)
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", background)
    expect_drawn(page)


def first_key(slider):
    """The key that moves a slider first: to the right, unless it is there."""
    at_end = slider.evaluate("node => Boolean(node.max) && node.value === node.max")
    return "ArrowLeft" if at_end else "ArrowRight"


def move(page, slider, key, seen):
    """Move a slider, and wait until that changes the figure or text it stands for."""
    changes(page, seen, lambda: slider.press(key), f"{key} on {slider}")


def steer(page, slider, key):
    """Move a slider of a hyperparameter that acts on a run under way."""
    before = page.url
    slider.press(key)
    page.wait_for_url(lambda url: STEERS in url and url != before)


def changes(page, seen, act, what):
    """Act, and wait until a figure or text is another one."""
    where = page.locator(seen if seen[0] in ".[" else f".st-key-{seen} .rs-live")
    before = where.evaluate_all(SEEN)
    assert before
    act()
    for _ in range(PATIENCE // WAIT):
        if where.evaluate_all(SEEN) != before:
            return
        page.wait_for_timeout(WAIT)
    pytest.fail(f"{what} leaves {seen} as it was.")


def move_and_return(page, slider, key):
    """Move a slider away from what was trained, and back."""
    note = page.get_by_text(NOTE)
    expect(note).to_have_count(0)
    slider.press(key)
    expect(note).to_be_visible()
    slider.press(BACK[key])
    expect(note).to_have_count(0)
