"""Frames per second while a marker of a figure is dragged.

A frame counts if it redraws some part of the figure: in the browser the marker follows
the pointer, and the rest follows the server's answers. The time per frame at 24 frames
per second replaces a peer. It needs an idle machine: browser and server share its
cores.
"""

import os
from collections.abc import Iterator

from _browser import COUNTING, ROOT, browser_page, frames_while_dragged, served
from _rows import Row, show

ALLOWED_SECONDS = 1 / 24
FIGURES = {
    "scores and positions": "/approximation",
    "directions of a landscape": "/approximation?approx_view=Landscape&data=toy-2d",
    "documents around a cone": "/cones?cone_size=2-D&cone_k=2",
    "orders of a list": "/margins?margin_source=by+hand",
    "votes of pairs": "/papers?papers_view=Claims"
    "&papers_experiment=Votes+and+the+linear+score",
}
# The first figure with a draggable marker.
FIGURE = """[...document.querySelectorAll(".rs-live")].find(
  ({ data }) => data?.some(({ meta }) => meta?.drag))"""
# Returns the marker's position and starts to count frames that redraw its figure.
MARK = """() => {
  const node = FIGURE;
  (COUNTING)(node, false);
  const { x, y, xaxis = "x", yaxis = "y" } = node.data.find(({ meta }) => meta?.drag);
  const axis = (name) => node._fullLayout[name.replace(/^([xy])/, "$1axis")];
  const [across, down, box] = [axis(xaxis), axis(yaxis), node.getBoundingClientRect()];
  return [box.left + across._offset + across.d2p(x[0]),
    box.top + down._offset + down.d2p(y[0])];
}""".replace("FIGURE", FIGURE).replace("COUNTING", COUNTING)


def rows() -> Iterator[Row]:
    """Yield one row per figure: seconds per frame, and the limit."""
    with served(ROOT / "server.py") as address, browser_page() as page:
        for name, link in FIGURES.items():
            page.goto(address + link)
            page.wait_for_function(f"() => {FIGURE}?._fullLayout")
            page.wait_for_timeout(4000)
            place = page.evaluate(MARK)
            rate = frames_while_dragged(page, place, lambda n: (n % 40, n % 20))
            note = f"{rate:.1f} frames/s, load {os.getloadavg()[0]:.1f}"
            yield Row(f"drag, {name}", "allowed", 1 / rate, ALLOWED_SECONDS, 1.0, note)


if __name__ == "__main__":
    show(rows())
