"""Figures are drawn by Plotly, and only when they change."""

import io
import re
import struct
from xml.etree import ElementTree as ET

import pandas as pd
import pytest
from playwright.sync_api import expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from live_figure import _serving
from tests.browser.conftest import PATIENCE
from tests.browser.live import (
    ALL_COLUMNS,
    expect_redrawn,
    figure,
    frames,
    point_at,
)
from tests.soaking import soak

SVG = {"svg": "http://www.w3.org/2000/svg"}
# A fresh copy of the last Plotly in place of the one whose search is replaced.
SEARCHES = """async () => {
  const quick = window.Plotly;
  const { name } = performance.getEntriesByType("resource")
    .findLast(({ name }) => /plotly(-cartesian)?.min.js$/.test(name));
  await import(`${name}?again`);
  const slow = window.Plotly;
  window.Plotly = quick;
  const traces = [...document.querySelectorAll(".js-plotly-plot")]
    .flatMap(node => node._fullData);
  return traces.map(trace => [slow, quick]
    .map(Plotly => Plotly.PlotSchema.findArrayAttributes(trace).sort()));
}"""

# How many figures wait to come near the screen, before and after the page is printed.
PRINT = """() => {
  const waiting = () =>
    document.querySelectorAll(".rs-live-figure:not(:has(.main-svg))").length;
  const before = waiting();
  dispatchEvent(new Event("beforeprint"));
  return [before, waiting()];
}"""

# Frames sent while the component's script loads, and one as soon as it has.
FRAMES = """async (source) => {
  const blob = new Blob([source], { type: "text/javascript" });
  const { default: mount } = await import(URL.createObjectURL(blob));
  const parentElement = document.createElement("div");
  const link = document.createElement("link");
  link.href = `${location.origin}/loading/live.css`;
  parentElement.append(link);
  window.frames_drawn = [];
  const send = (frame) => mount({ frame, parentElement }).catch(() => {});
  const first = send(1);
  const others = [send(2), send(3)];
  await first;
  await Promise.all([...others, send(4)]);
  return window.frames_drawn;
}"""


@pytest.mark.parametrize(
    "link",
    [
        soak("/approximation?approx_view=One+list"),
        soak("/approximation?approx_view=Landscape&data=planted&land_shape=Sphere"),
        soak("/cones?cone_size=3-D&cone_k=3"),
        soak("/margins?margin_source=by+hand"),
        "/reduction?red_view=Pairs",
        soak("/data"),
    ],
)
def test_arrays_of_traces_are_those_that_plotly_finds(open_page, link):
    page = open_page(link)
    page.wait_for_function(
        "() => document.querySelectorAll('.js-plotly-plot .main-svg').length > 0"
    )

    result = page.evaluate(SEARCHES)

    assert len(result) > 1
    assert any(slow for slow, _ in result)
    assert [quick for _, quick in result] == [slow for slow, _ in result]


# Names of the scripts of Plotly that a page has loaded.
BUNDLES = """() => performance.getEntriesByType("resource")
  .filter(({ responseEnd }) => responseEnd)
  .map(({ name }) => name.split("/").at(-1))
  .filter(name => /^plotly.*min.js$/.test(name))"""
PLANE, ALL = "plotly-cartesian.min.js", "plotly.min.js"
# From the start of a page: which figures are given to another bundle of Plotly than the
# one that has drawn them, unless that has let them go.
HANDED = """() => {
  const drawers = new WeakMap();
  let library;
  window.handed = [];
  const watch = (bundle, name) => {
    const own = bundle[name];
    bundle[name] = (node, ...rest) => {
      const drawer = drawers.get(node) ?? bundle;
      if (drawer !== bundle) window.handed.push([name, node.ariaLabel]);
      if (name === "purge") drawers.delete(node);
      else drawers.set(node, bundle);
      return own(node, ...rest);
    };
  };
  Object.defineProperty(window, "Plotly", {
    get: () => library,
    set(bundle) {
      if (bundle && !bundle.watched) {
        bundle.watched = true;
        for (const name of ["newPlot", "react", "relayout", "restyle", "purge"]) {
          watch(bundle, name);
        }
      }
      library = bundle;
    },
  });
}"""


@pytest.fixture
def handed(browser):
    """A new tab that knows which bundle of Plotly draws each figure; afterwards fail if
    one was given another's."""
    page, faults = browser.new_context().new_page(), []
    page.set_default_timeout(PATIENCE)
    page.on("pageerror", lambda error: faults.extend([error]))
    page.add_init_script(f"({HANDED})()")
    yield page
    assert sorted(page.evaluate(BUNDLES)) == [PLANE, ALL]
    assert page.evaluate("window.handed") == []
    assert faults == []
    page.context.close()


def test_what_plotly_for_the_plane_has_drawn_goes_on_beside_a_figure_in_space(
    handed, app
):
    page = handed
    page.goto(app.url + "/cones")
    weights = page.locator(".st-key-cone_weights_figure .rs-live")
    expect(weights).to_have_attribute("data-frames", "1")
    assert page.evaluate(BUNDLES) == [PLANE]

    page.get_by_role("radio", name="3-D").press("Space")
    expect(page.locator(".st-key-cone_space canvas").first).to_be_visible()
    expect(weights).to_have_attribute("data-frames", "2")
    page.get_by_role("radio", name="2-D").press("Space")
    expect(weights).to_have_attribute("data-frames", "3")


def test_plotly_for_the_plane_may_come_after_all_of_it(handed, app, settle):
    page, held = handed, []
    page.route(f"**/{PLANE}", lambda route: held.extend([route]))
    page.goto(app.url + "/cones")
    weights = page.locator(".st-key-cone_weights_figure .rs-live")
    expect(weights).to_have_attribute("data-frames", "0")
    page.get_by_role("radio", name="3-D").press("Space")
    expect(page.locator(".st-key-cone_space canvas").first).to_be_visible()
    expect(weights).to_have_attribute("data-frames", "0")
    assert page.evaluate(BUNDLES) == [ALL]
    for route in held:
        route.continue_()
    expect(weights).to_have_attribute("data-frames", "1")
    page.get_by_role("radio", name="2-D").press("Space")
    expect(weights).to_have_attribute("data-frames", "2")
    page.get_by_test_id("stSidebarNav").get_by_text("Measures", exact=True).click()
    expect(page.get_by_role("heading", level=1, name="Measures")).to_be_visible()
    settle(page)
    before = frames(page, "moving")
    page.get_by_role("slider").first.press("ArrowRight")
    expect_redrawn(page, "moving", before)


@pytest.mark.parametrize("unrolled", ["", "&land_unrolled=10"])
def test_a_figure_stays_with_the_bundle_of_plotly_that_draws_it(
    handed, app, settle, unrolled
):
    page = handed
    page.goto(f"{app.url}/approximation?data=toy-2d{unrolled}")
    frames(page, "approx_sum")
    page.get_by_role("radio", name="Landscape").press("Space")
    settle(page)
    # A strip that is rolled up is no figure of the plane any more.
    strip, slider = figure(page, "ring"), page.get_by_role("slider", name="Unrolled")
    frames(page, "ring")
    strip.evaluate("figure => figure.on('plotly_click', () => { window.told = true; })")
    for key, drawn in (("Home", ".polar"), ("End", ".xy"), ("Home", ".polar")):
        slider.press(key)
        expect(strip.locator(drawn).first).to_be_attached()
    strip.evaluate("figure => figure.emit('plotly_click', { points: [{}], event: {} })")
    assert page.evaluate("window.told")

    before = frames(page, "landscape")
    mark = figure(page, "landscape").locator(".scatterlayer .trace").last
    x, y = point_at(page, "landscape", mark.locator(".point").first)
    page.mouse.down()
    page.mouse.move(x + 80, y, steps=5)
    page.mouse.up()
    expect_redrawn(page, "landscape", before)


@pytest.mark.parametrize("script", ["live.js", "plotly.min.js"])
def test_a_figure_is_drawn_though_a_request_fails_once(browser, app, script):
    page, failed = browser.new_context().new_page(), []

    def fail_once(route):
        if failed:
            route.continue_()
        else:
            failed.append(route)
            route.abort()

    page.route(f"**/{script}", fail_once)
    page.goto(app.url + "/cones?cone_size=3-D")
    expect(page.locator(".st-key-cone_space canvas").first).to_be_visible()
    assert failed
    page.context.close()


# While a run makes elements stale: how many, and how many of them fade.
STALE = """() => {
  window.stale = [];
  new MutationObserver(() => {
    const fading = document.getAnimations()
      .filter(({ transitionProperty }) => transitionProperty === "opacity");
    const stale = document.querySelectorAll("[data-stale=true]");
    window.stale.push([stale.length, fading.length]);
  }).observe(document.body, {subtree: true, attributeFilter: ["data-stale"]});
}"""


def test_a_slider_is_answered_with_the_figures_that_change_and_nothing_fades(
    open_page, settle
):
    received = []

    def keep(frame):
        received.append(frame)

    open_page.tab.once("websocket", lambda socket: socket.on("framereceived", keep))
    page = open_page("/measures")
    terms, moving = (
        page.locator(f".st-key-{key} .rs-live") for key in ("terms", "moving")
    )
    for chart in (terms, moving):
        expect(chart).to_have_attribute("data-frames", "1")
    # A touch that became a scroll holds no figure back.
    moving.dispatch_event("pointerdown")
    moving.dispatch_event("pointercancel")
    page.get_by_role("slider", name=re.compile("Sharpness")).press("ArrowRight")
    expect(moving).to_have_attribute("data-frames", "2")
    settle(page)
    expect(terms).to_have_attribute("data-frames", "1")

    slider = page.get_by_role("slider", name=re.compile("Cutoff"))
    slider.press("ArrowRight")
    expect(moving).to_have_attribute("data-frames", "3")
    settle(page)
    received.clear()
    page.evaluate(STALE)
    before = page.url
    slider.press("ArrowRight")
    expect(moving).to_have_attribute("data-frames", "4")
    page.wait_for_url(lambda url: url != before)
    settle(page)
    messages = map(ForwardMsg.FromString, received)
    kinds = [
        message.delta.new_element.WhichOneof("type") or "block"
        for message in messages
        if message.HasField("delta")
    ]
    assert kinds.count("bidi_component") > 2
    assert "slider" not in kinds

    # A short run may make nothing stale.
    for drawn, key in enumerate(["ArrowLeft", "ArrowRight"] * 30, start=5):
        slider.press(key)
        expect(moving).to_have_attribute("data-frames", str(drawn))
        if drawn > 6 and page.evaluate("window.stale.some(([stale]) => stale > 0)"):
            break
    settle(page)
    counts = page.evaluate("window.stale")
    assert max(stale for stale, _ in counts) > 0
    assert max(fading for _, fading in counts) == 0


def test_a_figure_is_saved_and_its_toolbar_hides_where_nothing_hovers(open_page):
    page = open_page("/measures")
    page.get_by_role("button", name="Data of Terms of nDCG@5", exact=True).click()
    table = page.get_by_test_id("stPopoverBody").locator(".dvn-scroller")
    page.wait_for_function(ALL_COLUMNS, arg=table.element_handle())
    files = {}
    for kind in ("CSV", "PNG", "SVG"):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind, exact=True).click()
        files[download.value.suggested_filename] = download.value.path().read_bytes()

    table = pd.read_csv(io.BytesIO(files["terms-of-ndcg@5.csv"]))
    assert table["document"].tolist() == ["A", "B", "C", "D", "E"]
    assert files["terms-of-ndcg@5.png"].startswith(b"\x89PNG")
    assert "rank and document" in files["terms-of-ndcg@5.svg"].decode("utf-8")

    toolbar = page.locator(".st-key-moving .modebar-container")
    expect(toolbar).not_to_have_css("display", "none")
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    expect(toolbar).to_have_css("display", "none")
    session.detach()


def test_a_ranking_is_saved_as_it_stands(open_page):
    page = open_page("/explore")
    ranking = page.locator(".rs-live-ranking").first
    order = ranking.get_attribute("data-order").split()
    opener = page.locator(".st-key-data_of_map_ranking button")
    # With room on all sides, what it opens stays where it appears.
    opener.evaluate("(node) => node.scrollIntoView({ block: 'center' })")
    opener.click()
    files = {}
    for kind in ("PNG", "SVG"):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind, exact=True).click()
        files[kind] = download.value.path().read_bytes()

    saved = ET.fromstring(files["SVG"])
    width, height = (int(saved.get(side)) for side in ("width", "height"))
    assert struct.unpack(">II", files["PNG"][16:24]) == (2 * width, 2 * height)
    chips = saved.findall(".//svg:g[@class='chips']/svg:g", SVG)
    first = [chip for chip in chips if chip.get("transform").startswith("translate(22")]
    assert [chip.find("svg:text", SVG).text.split(" · ")[0] for chip in first] == order
    assert all("transition" not in chip.get("style", "") for chip in chips)


def test_paper_has_the_figures_that_were_not_in_sight(open_page):
    page = open_page("/measures", height=400)
    expect(page.locator(".rs-live-figure .main-svg").first).to_be_attached()
    before, after = page.evaluate(PRINT)
    assert (before > 0, after) == (True, 0)


def test_paper_says_which_figure_could_not_be_drawn(browser, app):
    page, held = browser.new_context().new_page(), []
    page.set_default_timeout(PATIENCE)
    page.route(f"**/{ALL}", lambda route: held.extend([route]))
    page.goto(app.url + "/cones")
    drawn = page.locator(".st-key-cone_weights_figure .rs-live")
    expect(drawn).to_have_attribute("data-frames", "1")
    page.get_by_role("radio", name="3-D").press("Space")
    waiting = page.locator(".st-key-cone_space_figure .rs-live")
    expect(waiting).to_have_attribute("data-frames", "0")
    words = "node => getComputedStyle(node, '::before').content"
    assert waiting.evaluate(words) == "none"
    page.emulate_media(media="print")
    assert "not drawn" in waiting.evaluate(words)
    assert drawn.evaluate(words) == "none"
    held[0].continue_()
    expect(waiting).to_have_attribute("data-frames", re.compile("[1-9]"))
    assert waiting.evaluate(words) == "none"
    page.context.close()


@pytest.mark.parametrize(
    ("failures", "drawn"), [(0, [1, 2, 3, 4]), (1, [1, 2, 3, 4]), (2, [4])]
)
def test_frames_keep_their_order_while_the_script_loads(browser, app, failures, drawn):
    page, requests = browser.new_context().new_page(), []
    draws = "export default ({ frame }) => window.frames_drawn.push(frame)"

    def answer(route):
        requests.append(route)
        if len(requests) <= failures:
            route.abort()
        else:
            route.fulfill(body=draws, content_type="text/javascript")

    page.route("**/loading/live.js", answer)
    page.goto(app.url)

    assert page.evaluate(FRAMES, _serving.mount()) == drawn
    page.context.close()
