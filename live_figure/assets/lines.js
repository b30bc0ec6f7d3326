// The line under the pointer on parallel axes: it is drawn in ink, other figures follow
// it, and a click selects it. Plotly's own event names a wrong line, as it looks up the
// pointer in a picture of twice the size. The meta of the trace has the state of each
// line, and the number of the selected line.
import { brushed } from "./brush.js";
import { lead } from "./follow.js";

const REACH = 20;
const SVG = "http://www.w3.org/2000/svg";

function leader({ node }) {
  return node.data?.find(({ meta, type }) => meta?.leads && type === "parcoords");
}

// Positions of the axes and of each line on them, in pixels from the figure's upper
// left corner.
function placesOf({ layout: { width, height, margin } }, { dimensions }) {
  const step = (width - margin.l - margin.r) / (dimensions.length - 1);
  const length = height - margin.t - margin.b;
  return {
    step,
    lefts: dimensions.map((_, axis) => margin.l + axis * step),
    top(axis, line) {
      const { values, range: [low, high] } = dimensions[axis];
      return margin.t + length * (1 - (values[line] - low) / (high - low || 1));
    },
  };
}

// The nearest line not hidden by a brush; of coinciding lines the best one.
function nearest({ node }, trace, { clientX, clientY }) {
  const { left, top } = node.getBoundingClientRect();
  const { step, lefts, top: topOf } = placesOf(node, trace);
  const across = (clientX - left - lefts[0]) / step;
  const axis = Math.floor(across);
  if (axis < 0 || axis > lefts.length - 2) return null;
  const { color } = trace.line;
  let best = null;
  let least = REACH;
  for (const line of brushed(trace) ?? color.keys()) {
    const from = topOf(axis, line);
    const rise = topOf(axis + 1, line) - from;
    const above = Math.abs(from + (across - axis) * rise - (clientY - top));
    const far = Math.round(above * step / Math.hypot(step, rise));
    if (far < least || (far === least && best !== null && color[line] > color[best])) {
      [best, least] = [line, far];
    }
  }
  return best;
}

function mark(view, trace) {
  view.marked?.remove();
  const line = view.line ?? trace?.meta.at ?? null;
  if (line === null || !trace) return;
  const { lefts, top } = placesOf(view.node, trace);
  const drawn = document.createElementNS(SVG, "polyline");
  drawn.setAttribute("points", lefts.map((left, axis) => [left, top(axis, line)]).join(" "));
  drawn.setAttribute("stroke", trace.labelfont.color);
  view.marked = document.createElementNS(SVG, "svg");
  view.marked.classList.add("rs-line");
  view.marked.setAttribute("aria-hidden", "true");
  view.marked.dataset.line = line;
  view.marked.append(drawn);
  view.node.querySelector(".svg-container").append(view.marked);
}

function point(view, event) {
  const trace = leader(view);
  if (!trace || event.buttons || view.disposed) return;
  const inside = event.type !== "pointerleave" && event.target.closest(".gl-canvas");
  const line = inside ? nearest(view, trace, event) : null;
  view.node.classList.toggle("rs-points", line !== null && Boolean(view.clicks));
  if (line === view.line) return;
  view.line = line;
  mark(view, trace);
  lead(trace.meta.leads, line === null ? null : trace.meta.cells[line]);
}

function choose(view, event) {
  const trace = leader(view);
  if (!trace || !view.clicks || !event.target.closest(".gl-canvas")) return;
  const line = nearest(view, trace, event);
  if (line !== null) view.tell("clicked", { trace: trace.name ?? "", point: line });
}

// Call this after each drawing.
export function followLines(view) {
  const trace = leader(view);
  if (trace && Number.isInteger(view.line)) lead(trace.meta.leads, null);
  view.line = null;
  mark(view, trace);
  if (view.lined || !trace) return;
  view.lined = true;
  view.node.addEventListener("pointermove", (event) => point(view, event));
  view.node.addEventListener("pointerleave", (event) => point(view, event));
  view.node.addEventListener("click", (event) => choose(view, event));
  // Moving an axis moves the lines.
  view.node.on("plotly_restyle", () => mark(view, leader(view)));
}
