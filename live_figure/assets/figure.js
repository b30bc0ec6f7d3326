// A Plotly figure redrawn in place. Frames that arrive while one is being drawn are
// joined: only the newest is drawn next. A figure is first drawn when it is at most half
// a screen away; one that is scrolled out of sight later waits until the browser has
// nothing better to do, and beside one in which a point is dragged figures wait a little.
import { lookInTraces } from "./arrays.js";
import { brush, keepBrush } from "./brush.js";
import { follow, frameClicked, numberOf } from "./follow.js";
import { followKeys } from "./handles.js";
import { followLines } from "./lines.js";
import { placesOf } from "./places.js";
import { listenersOf } from "./plotly_compat.js";
import { whenReleased } from "./pointer.js";
import { isDragging, keepAxes, keepDragged, watchPoints } from "./points.js";
import { drawLightly, takeFewerSamples, turnSmoothly } from "./space.js";

// What draws figures of the plane alone starts in a third of the time of all of Plotly.
const addresses = {
  plane: new URL("./plotly/plotly-cartesian.min.js", import.meta.url).href,
  all: new URL("../live_figure.plotly/plotly.min.js", import.meta.url).href,
};
const PLANE = new Set(["bar", "contour", "heatmap", "scatter"]);
const loading = {};
const libraries = {};

function isPlane(data) {
  return data.every(({ type }) => PLANE.has(type));
}

// A figure stays with what has drawn it, as long as that can draw it.
function libraryOf({ plotly }, data) {
  const { plane, all } = libraries;
  if (!isPlane(data)) return all;
  return plotly ?? all ?? plane;
}

async function begin(name) {
  // A request may fail once.
  await import(addresses[name]).catch(() => import(addresses[name]));
  libraries[name] = window.Plotly;
  lookInTraces(window.Plotly.PlotSchema);
  if (name === "all") takeFewerSamples();
  // What is saved may be any figure.
  window.Plotly = libraries.all ?? window.Plotly;
}

export async function load(data) {
  const name = isPlane(data) && (loading.plane || !loading.all) ? "plane" : "all";
  loading[name] ??= begin(name);
  try {
    await loading[name];
  } catch (error) {
    delete loading[name];
    throw error;
  }
}

// Plotly draws anew whenever the configuration differs, so all draw with the same one.
const config = {
  displaylogo: false,
  modeBarButtonsToRemove: [
    "select2d", "lasso2d", "zoomIn2d", "zoomOut2d",
    // The button beside the figure's title saves it.
    "toImage",
    // Numbers never leave the machine.
    "sendChartToCloud", "sendDataToCloud",
  ],
};

// A redraw would break off a zoom that is being drawn with the pointer.
function holdWhilePressed(view) {
  const release = () => setTimeout(() => {
    view.held = false;
    drawNext(view);
  });
  view.node.addEventListener("pointerdown", () => {
    if (view.dragged) return;
    view.held = true;
    whenReleased(release);
  }, { capture: true });
}

// Where the pointer is. While a page is busy, Plotly may still have the cell of a grid
// that the pointer has left.
function pointed(node, trace, { clientX, clientY }) {
  const { left, top } = node.getBoundingClientRect();
  return placesOf(node, trace).at(null, clientX - left, clientY - top);
}

// In space a press on a point counts as a click at every redraw, also while another
// point is dragged over it.
function reportClicks(view) {
  if (view.reports) return;
  view.reports = true;
  view.node.on("plotly_click", ({ points: [point], event }) => {
    if (!view.clicks || view.dragged) return;
    const { data, x, y, pointNumber } = point;
    const at = Array.isArray(pointNumber) ? pointed(view.node, data, event) : { x, y };
    view.tell("clicked", { trace: data.name ?? "", point: numberOf(point), ...at });
    frameClicked(view, data, at);
  });
}

const LATEST = 500;
const STILL = 100;
const CLOSE = 75;
const LOWEST = 60;
const BESIDE = 200;
const still = matchMedia("(prefers-reduced-motion: reduce)");
const views = new WeakMap();
const sight = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    views.get(target).away = !isIntersecting;
  }
});

// A figure follows the size of its place once that has come to rest: the window, the
// sidebar and a lesson that is presented change it, also while a figure is drawn.
const places = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const view = views.get(target);
    clearTimeout(view.moving);
    view.moving = setTimeout(refit, STILL, view);
  }
});

function refit(view) {
  const width = view.node.clientWidth;
  const same = width === view.width && room(view.node) === view.room;
  if (view.disposed || !view.shown || !width || same) return;
  drawAgain(view);
}

function drawAgain(view) {
  view.next ??= view.shown;
  drawNext(view);
}

function watch(view) {
  view.watched = true;
  views.set(view.node, view);
  sight.observe(view.node);
  places.observe(view.node);
  watchPoints(view, () => drawAgain(view));
  holdWhilePressed(view);
  turnSmoothly(view.node);
}

// Figures that have not come near the screen. Paper shows them all, and has what is drawn
// when the page has been told of it.
const waiting = new Map();
addEventListener("beforeprint", () => {
  for (const [view, come] of waiting) {
    if (libraryOf(view, view.next.data)) react(view, view.next);
    come();
  }
});

// The height of a figure that is not drawn yet is kept free.
function near(view, { layout }) {
  const { node } = view;
  const { height } = fit(layout, node.clientWidth, room(node));
  if (height) node.style.minHeight = `${height}px`;
  return new Promise((resolve) => {
    // The second: what is fixed, as on slides, does not scroll with the page.
    const roots = [node.closest('[data-testid="stMain"]'), null];
    const observers = roots.map((root) => new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) come();
    }, { root, rootMargin: "50%" }));
    const leave = () => {
      for (const observer of observers) observer.disconnect();
      waiting.delete(view);
    };
    const come = () => {
      leave();
      resolve();
    };
    waiting.set(view, come);
    for (const observer of observers) observer.observe(node);
    view.dispose = () => {
      leave();
      sight.unobserve(node);
      places.unobserve(node);
    };
  });
}

function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function idle() {
  if (!window.requestIdleCallback) return new Promise(setTimeout);
  return new Promise((resolve) => requestIdleCallback(resolve, { timeout: LATEST }));
}

// The height that a style sheet gives to the place of a figure, else nothing. A place
// that is lower for a moment, between two slides, would be too low for its axes.
function room(node) {
  const fills = getComputedStyle(node).getPropertyValue("--fills");
  return fills && node.clientHeight >= LOWEST ? node.clientHeight : 0;
}

// A figure is as wide as its place, and as high where it is to fill that; one with one
// scale for all axes is no higher than it can be wide.
function fit(layout, width, room) {
  if (!width) return layout;
  const { margin, scene, xaxis, yaxis } = layout;
  const height = room || layout.height;
  if (!(scene ?? xaxis?.scaleanchor ?? yaxis?.scaleanchor)) {
    return { ...layout, width, height };
  }
  const most = width - margin.l - margin.r + margin.t + margin.b;
  return { ...layout, width, height: Math.min(height, most) };
}

// A picture glides to its next state, unless the visitor wants no motion.
function steady(layout) {
  if (!layout.transition || !still.matches) return layout;
  const { transition, ...rest } = layout;
  return rest;
}

// Axes side by side have short headings where they are close.
function head(data, width) {
  for (const { dimensions, meta } of data) {
    if (!meta?.headings) continue;
    const { long, short } = meta.headings;
    const names = width < CLOSE * dimensions.length ? short : long;
    dimensions.forEach((own, axis) => { own.label = names[axis]; });
  }
}

// How far a figure is, which decides whether its picture still stands.
export function note(node, state) {
  const place = node.closest('[data-testid="stVerticalBlock"]');
  place?.setAttribute("data-rs-figure", state);
  node.toggleAttribute("data-pictured", place?.querySelector(".rs-still") != null);
}

// The label says what is drawn; its ticks and marks, one by one, would not.
function hideMarks(node) {
  for (const drawn of node.querySelectorAll(".main-svg, .gl-container")) {
    drawn.setAttribute("aria-hidden", "true");
  }
}

function painted() {
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}

// Of several figures that change at once the first is on the screen before the others
// are drawn.
let first;

// A figure that is as it was is not drawn again, unless a point of it was dragged.
export async function drawFigure(view, figure) {
  if (!view.watched) watch(view);
  const asked = JSON.stringify(figure);
  if (asked === view.asked) return;
  view.asked = asked;
  view.next = figure;
  // The library is there once the figure is near; drawing says why it is not.
  load(figure.data).catch(() => {});
  await (view.near ??= near(view, figure));
  if (isDragging() && !view.dragged) await pause(BESIDE);
  if (view.away) await idle();
  await drawNext(view);
}

function react(view, next) {
  const { data, drags, clicks, hovers, brushes, heard } = next;
  const layout = { ...keepAxes(view, next.layout), uirevision: next.view };
  view.shown = next;
  view.width = view.node.clientWidth;
  view.room = room(view.node);
  view.drags = drags;
  view.clicks = clicks;
  view.hovers = hovers;
  view.brushes = brushes;
  keepDragged(view, data, heard);
  keepBrush(view, data, heard);
  head(data, view.width);
  const own = steady(fit(layout, view.width, view.room));
  const listeners = handOver(view, libraryOf(view, data));
  const drawn = view.plotly.react(view.node, data, own, config);
  for (const [event, listener] of listeners) view.node.on(event, listener);
  return { drawn, own };
}

// A bundle may not go on with what another has drawn. Returns who listened to that.
function handOver(view, plotly) {
  const { node, plotly: before } = view;
  view.plotly = plotly;
  if (!before || before === plotly) return [];
  const listeners = listenersOf(node);
  before.purge(node);
  return listeners;
}

async function drawNext(view) {
  if (view.drawing) return;
  view.drawing = true;
  try {
    await load((view.next ?? view.shown).data);
    view.dispose = () => {
      sight.unobserve(view.node);
      places.unobserve(view.node);
      view.plotly?.purge(view.node);
    };
    if (first) await first;
    else first = painted().then(() => { first = undefined; });
    while (view.next && !view.held && !view.disposed) {
      const { next } = view;
      view.next = null;
      await load(next.data);
      const { drawn, own } = react(view, next);
      // A picture that glides does not keep the next one waiting, which may break it off.
      await (own.transition ? Promise.race([drawn, painted()]) : drawn);
      view.node.style.minHeight = "";
      note(view.node, "drawn");
      drawLightly(view.node);
      hideMarks(view.node);
      reportClicks(view);
      follow(view, next.data);
      brush(view, next.data);
      followLines(view);
      followKeys(view);
      view.node.dataset.frames = 1 + Number(view.node.dataset.frames);
      await new Promise(requestAnimationFrame);
    }
    if (view.disposed) view.dispose();
  } catch (error) {
    view.asked = null;
    throw error;
  } finally {
    view.drawing = false;
  }
}
