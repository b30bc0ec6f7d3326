"""Frames per second while the mouse rotates a 3D figure.

A frame counts if WebGL draws in it, here without a graphics card. The time per frame at
30 frames per second replaces a peer. It needs an idle machine.
"""

from collections.abc import Iterator

from _browser import ROOT, browser_page, frames_while_dragged, served
from _rows import Row, show

ALLOWED_SECONDS = 1 / 30
VIEWS = {
    "Cones in space": "/cones?cone_size=3-D&cone_k=3",
    "the measure on the sphere": "/approximation?approx_view=Landscape&data=toy-3d"
    "&land_shape=Sphere&land_queries=1",
}
SPACE = ".rs-live canvas"
COUNT = """() => {
  window.frames = 0;
  let drawn = false;
  for (const kind of [WebGLRenderingContext, WebGL2RenderingContext])
    for (const name of ["drawArrays", "drawElements"]) {
      const draw = kind.prototype[name];
      kind.prototype[name] = function (...rest) {
        drawn = true;
        draw.apply(this, rest);
      };
    }
  const next = () => {
    if (drawn) window.frames++;
    drawn = false;
    requestAnimationFrame(next);
  };
  next();
}"""


def rows() -> Iterator[Row]:
    """Yield one row per figure: seconds per frame, and the limit."""
    with served(ROOT / "server.py") as address, browser_page() as page:
        page.add_init_script(f"({COUNT})()")
        for name, link in VIEWS.items():
            page.goto(address + link)
            space = page.locator(SPACE).first
            space.scroll_into_view_if_needed()
            page.wait_for_timeout(4000)
            box = space.bounding_box()
            place = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            rate = frames_while_dragged(page, place, lambda n: (2 * (n % 60), n % 30))
            note = f"{rate:.1f} frames/s"
            yield Row(f"orbit, {name}", "allowed", 1 / rate, ALLOWED_SECONDS, 1.0, note)


if __name__ == "__main__":
    show(rows())
