"""Frames a second while a mark of a figure is dragged.

A frame counts when something of the figure was drawn anew in it: the mark follows the
pointer in the browser, and the rest what the server answers. In place of a peer stands
the time that 24 frames a second allow one. It needs an idle machine: browser and server
share its cores.
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
# The first figure with a mark that can be dragged.
FIGURE = """[...document.querySelectorAll(".rs-live")].find(
  ({ data }) => data?.some(({ meta }) => meta?.drag))"""
# Where the mark is; from now on frames count in which its figure is drawn.
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
    """One row a figure: seconds a frame, beside those allowed."""
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
