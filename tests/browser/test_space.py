"""Pictures in space: drawn as Plotly draws them, and turned in time."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.live import Answers, expect_folded, rest

CONE = "/cones?cone_size=3-D&cone_k=3"
SPHERE = (
    "/approximation?approx_view=Landscape&data=toy-3d&land_shape=Sphere&land_queries=1"
)
FIGURE = ".js-plotly-plot:has(canvas)"
PLOT = "figure => figure._fullLayout.scene._scene.glplot"

# How far the colours are from those of Plotly's own methods, on white and on black.
DIFFERENCES = """figure => {
  const plot = figure._fullLayout.scene._scene.glplot;
  const colours = () => ["white", "black"].flatMap(ground => {
    plot.update();
    plot.redraw();
    const { width, height } = plot.canvas;
    const flat = new OffscreenCanvas(width, height).getContext("2d");
    flat.fillStyle = ground;
    flat.fillRect(0, 0, width, height);
    flat.drawImage(plot.canvas, 0, 0);
    return Array.from(flat.getImageData(0, 0, width, height).data);
  });
  const ours = colours();
  const translucent = plot.objects.filter(object => {
    for (const name of ["draw", "drawPick", "isOpaque", "isTransparent"])
      delete object[name];
    return object.isTransparent();
  });
  const theirs = colours();
  const share = found => ours.filter(found).length / ours.length;
  return {
    off: share((colour, i) => Math.abs(colour - theirs[i]) > 3),
    painted: share((colour, i) => 2 * i < ours.length && colour < 255),
    translucent: translucent.length,
  };
}"""

# How often pixels are read back.
READS = """(() => {
  const { prototype } = WebGLRenderingContext;
  const { readPixels } = prototype;
  window.reads = 0;
  prototype.readPixels = function (...place) {
    window.reads++;
    readPixels.apply(this, place);
  };
})()"""

# How often shaders are compiled from now on.
COMPILED = """() => {
  const { prototype } = WebGLRenderingContext;
  const { compileShader } = prototype;
  window.compiled = 0;
  prototype.compileShader = function (shader) {
    window.compiled++;
    compileShader.call(this, shader);
  };
}"""

EYE = """figure => JSON.stringify(
    figure._fullLayout.scene._scene.getCamera().eye, (_, n) => n.toFixed?.(3) ?? n)"""

# Where a point of a trace is on the screen, from the camera's matrices alone.
CAMERA = """(figure, name) => {
  const scene = figure._fullLayout.scene._scene;
  const trace = figure.data.find(trace => trace.name === name);
  const box = scene.container.getBoundingClientRect();
  const { projection, view, model } = scene.glplot.cameraParams;
  return {
    matrices: [projection, view, model].map(matrix => Array.from(matrix)),
    at: ["x", "y", "z"].map((axis, i) => trace[axis][0] * scene.dataScale[i]),
    box: [box.left, box.top, box.width, box.height],
    camera: JSON.stringify(scene.getCamera()),
  };
}"""

AT = """figure => {
  const trace = figure.data.find(trace => trace.name === "z");
  return ["x", "y", "z"].map(axis => trace[axis][0]);
}"""
# From now on, where each figure that is drawn has the point.
PLACES = f"""figure => {{
  window.places = [];
  new MutationObserver(() => places.push(({AT})(figure)))
    .observe(figure, {{ attributeFilter: ["data-frames"] }});
}}"""
RANGES = """figure => ["xaxis", "yaxis", "zaxis"].map(
    axis => figure._fullLayout.scene[axis].range)"""

PRESS = """figure => figure.dispatchEvent(
    new PointerEvent("pointerdown", { bubbles: true }))"""


def in_space(page):
    if page.viewport_size["width"] < 500:
        expect_folded(page)
    figure = page.locator(FIGURE)
    figure.scroll_into_view_if_needed()
    expect(page.locator(f".rs-live{FIGURE}")).to_have_attribute("data-frames", "1")
    rest(page.get_by_test_id("stMain"))
    return figure


def width(figure):
    return figure.evaluate(f"figure => ({PLOT})(figure).canvas.width")


def wait_for_width(page, width):
    page.wait_for_function(
        f"width => ({PLOT})(document.querySelector('{FIGURE}')).canvas.width === width",
        arg=width,
    )


def expect_as_plotly_draws(figure):
    """Compare a picture with Plotly's own, whose methods it has from then on."""
    result = figure.evaluate(DIFFERENCES)

    assert result["translucent"] >= 1
    assert result["painted"] > 0.02
    # A line at the depth of a mark may win or lose against it.
    assert result["off"] < 1e-3


@pytest.mark.soak
def test_the_picture_is_the_one_that_plotly_draws(open_page):
    expect_as_plotly_draws(in_space(open_page(SPHERE)))


@pytest.mark.parametrize("end", ["pointerup", "pointercancel"])
@pytest.mark.soak
def test_pixels_come_back_when_the_turning_ends(open_page, end):
    page = open_page(CONE)
    figure = in_space(page)
    full = width(figure)
    shown = figure.locator("canvas").bounding_box()["width"]
    assert full == pytest.approx(2 * shown, abs=2)

    figure.evaluate(PRESS)
    page.wait_for_function(
        f"most => ({PLOT})(document.querySelector('{FIGURE}')).canvas.width <= most",
        arg=shown + 1,
    )
    page.evaluate(f"() => window.dispatchEvent(new PointerEvent('{end}'))")

    wait_for_width(page, full)
    settled = figure.evaluate(
        f"""async figure => {{
          const widths = new Set();
          for (let i = 0; i < 20; i++) {{
            await new Promise(requestAnimationFrame);
            widths.add(({PLOT})(figure).canvas.width);
          }}
          return [...widths];
        }}"""
    )
    assert settled == [full]


@pytest.mark.soak
def test_what_lies_under_the_pointer_is_found_after_turning_only(open_page):
    open_page.tab.add_init_script(READS)
    page = open_page(CONE)
    figure = in_space(page)
    box = figure.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 20, steps=4)
    page.wait_for_timeout(200)
    before = page.evaluate("reads")
    page.mouse.move(x + 80, y + 40, steps=8)
    page.wait_for_timeout(200)
    assert page.evaluate("reads") == before
    page.mouse.up()
    page.wait_for_function("before => reads > before", arg=before)


@pytest.mark.soak
def test_a_figure_that_goes_while_it_is_turned_is_let_go(open_page):
    page = open_page(CONE)
    figure = in_space(page)
    box = figure.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.get_by_role("radio", name="2-D").press("Space")
    expect(figure).to_have_count(0)
    # An error would be heard of at the end.
    page.mouse.up()


def test_a_redraw_keeps_the_camera_compiles_nothing_and_is_as_plotly_draws(open_page):
    page = open_page(f"{CONE}&ConeRank.lambda_high=2")
    figure = in_space(page)
    begun = figure.evaluate(EYE)
    box = figure.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    turned = figure.evaluate(EYE)
    assert turned != begun
    page.evaluate(COMPILED)
    drawn = page.locator(f".rs-live{FIGURE}")
    slider = page.get_by_role("slider", name=re.compile("Largest sum"))
    for frames, key in enumerate(("ArrowRight", "ArrowLeft", "Home"), start=2):
        slider.press(key)
        expect(drawn).to_have_attribute("data-frames", str(frames))
    assert page.evaluate("compiled") == 0
    assert figure.evaluate(EYE) == turned
    expect_as_plotly_draws(figure)


def on_screen(figure, name):
    """Pixels of a trace's first point, its depth, and the camera."""
    seen = figure.evaluate(CAMERA, name)
    projection, view, model = (np.reshape(m, (4, 4)).T for m in seen["matrices"])
    x, y, _, depth = projection @ view @ model @ [*seen["at"], 1.0]
    left, top, width, height = seen["box"]
    place = left + (1 + x / depth) / 2 * width, top + (1 - y / depth) / 2 * height
    return np.array(place), depth, seen["camera"]


def expect_at(page, at):
    """The number fields beside the picture say where z is."""
    fields = page.get_by_role("spinbutton", name=re.compile("z, coordinate"))
    expect(fields).to_have_count(3)
    for n, number in enumerate(at):
        expect(fields.nth(n)).to_have_value(f"{number:.3f}")


@pytest.mark.soak
@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_a_point_in_space_follows_the_pointer(open_page, width, height):
    page = open_page(CONE, width=width, height=height)
    figure = in_space(page)
    place, depth, camera = on_screen(figure, "z")
    far = np.array([50, -60])
    page.mouse.move(*place)
    page.mouse.down()
    # It is drawn anew above other points, which are not clicked.
    for step in range(1, 6):
        page.mouse.move(*(place + far * step / 5))
        rest(page.get_by_test_id("stMain"))
        expect_at(page, figure.evaluate(AT))
    page.mouse.up()

    moved, still_deep, still = on_screen(figure, "z")
    assert moved - place == pytest.approx(far, abs=3)
    assert still_deep == pytest.approx(depth, rel=0.02)
    assert still == camera
    expect_at(page, figure.evaluate(AT))


@pytest.mark.soak
def test_a_point_rests_where_it_is_dropped(open_page, settle):
    page = open_page("/", apart=True)
    answers = Answers(page)
    page.goto(open_page.url + CONE)
    settle(page)
    figure = in_space(page)
    place, *_ = on_screen(figure, "z")
    page.mouse.move(*place)
    page.mouse.down()
    page.mouse.move(*(place + np.array([50, -60])), steps=5)
    answers.hold()
    page.wait_for_timeout(600)
    page.mouse.move(*(place + np.array([90, -90])))
    figure.evaluate(PLACES)
    page.mouse.up()
    dropped = figure.evaluate(AT)

    # What the server saw before this comes only now.
    answers.pass_on()
    page.wait_for_function("places.length > 0")
    answers.let_go()
    expect_at(page, dropped)
    drawn = np.array(page.evaluate("places"))
    assert drawn == pytest.approx(np.tile(dropped, (len(drawn), 1)), abs=1e-3)


@pytest.mark.soak
def test_a_point_in_space_stays_in_the_picture(open_page):
    page = open_page(CONE)
    figure = in_space(page)
    ranges = figure.evaluate(RANGES)
    place, *_ = on_screen(figure, "z")
    box = figure.bounding_box()
    corner = np.array([box["x"] + box["width"] - 30, box["y"] + 30])
    page.mouse.move(*place)
    page.mouse.down()
    for step in range(1, 11):
        page.mouse.move(*(place + (corner - place) * step / 10))
        page.wait_for_timeout(100)
    page.mouse.up()

    expect_at(page, figure.evaluate(AT))
    at, ends = np.array(figure.evaluate(AT)), np.array(ranges)
    assert np.isclose(at[:, None], ends, atol=1e-3).any()
    assert np.array(figure.evaluate(RANGES)) == pytest.approx(np.array(ranges))
