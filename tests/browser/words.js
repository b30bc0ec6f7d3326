// Words in the figures and on the buttons of a page: those that overlap, and those that
// are cut. Boxes turn with their texts. What Plotly keeps but does not show has no size or
// is transparent; what WebGL draws, as ticks in space, is no text.
() => {
  const CLOSE = 3, OUT = 2;
  const corners = (text) => {
    const { x, y, width, height } = text.getBBox();
    const matrix = text.getScreenCTM();
    return [[x, y], [x + width, y], [x + width, y + height], [x, y + height]]
      .map(([a, b]) => new DOMPoint(a, b).matrixTransform(matrix));
  };
  const seen = (text) => {
    if (!text.textContent.trim() || !text.getBBox().width) return false;
    for (let part = text; part instanceof SVGElement; part = part.parentElement) {
      const { display, visibility, opacity } = getComputedStyle(part);
      if (display === "none" || visibility === "hidden" || opacity === "0") return false;
    }
    return !text.closest(".hoverlayer, .menulayer, .modebar");
  };
  const sides = (box) => box.slice(0, 2).map((from, at) => {
    const to = box[at + 1];
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    return [(to.x - from.x) / length, (to.y - from.y) / length];
  });
  // How deep two boxes reach into each other, along the side where it is least.
  const depth = (one, other) => Math.min(...[...sides(one), ...sides(other)].map(([a, b]) => {
    const along = (box) => box.map(({ x, y }) => a * x + b * y);
    const [first, second] = [along(one), along(other)];
    return Math.min(Math.max(...first), Math.max(...second))
      - Math.max(Math.min(...first), Math.min(...second));
  }));
  const found = [];
  for (const figure of document.querySelectorAll(".rs-live-figure .js-plotly-plot, .rs-live-figure.js-plotly-plot")) {
    const frame = figure.getBoundingClientRect();
    const name = figure.closest("[class*=_figure]")?.className.match(/st-key-(\w+)_figure/)?.[1];
    const words = [...figure.querySelectorAll("svg text")].filter(seen)
      .map((text) => ({ said: text.textContent.trim(), box: corners(text) }));
    for (let room = figure.parentElement; room?.closest(".stElementContainer"); room = room.parentElement) {
      const below = frame.bottom - room.getBoundingClientRect().bottom;
      if (below > OUT && getComputedStyle(room).overflowY !== "visible") {
        found.push(`${name}: its lower ${Math.round(below)} px are cut`);
      }
    }
    words.forEach(({ said, box }, at) => {
      const out = Math.max(...box.map(({ x, y }) =>
        Math.max(frame.left - x, x - frame.right, frame.top - y, y - frame.bottom)));
      if (out > OUT) found.push(`${name}: "${said}" is cut by ${Math.round(out)} px`);
      for (const other of words.slice(at + 1)) {
        const deep = depth(box, other.box);
        if (deep > CLOSE) {
          found.push(`${name}: "${said}" and "${other.said}" overlap by ${Math.round(deep)} px`);
        }
      }
    });
  }
  // A part of one pixel is for screen readers.
  for (const part of document.querySelectorAll("[data-testid^=stBaseButton] *")) {
    const cut = part.scrollWidth - part.clientWidth;
    const hides = getComputedStyle(part).overflowX !== "visible";
    if (cut > 1 && part.clientWidth > 1 && hides && part.checkVisibility()) {
      found.push(`the button "${part.textContent.trim()}" is cut by ${cut} px`);
    }
  }
  return found;
}
