// A Plotly figure redrawn in place. Of frames that arrive during a drawing, only the
// newest is drawn next. A figure is first drawn when it is at most half a screen away.
// A figure scrolled out of view later waits until the browser is idle, and figures wait
// a little while a point of another one is dragged.
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

// The bundle for two-dimensional figures starts in a third of the time of all of
// Plotly.
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

// A figure stays with the bundle that has drawn it, if possible.
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
  // Any figure may be saved.
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

// Plotly starts over whenever the configuration differs, so all drawings share one.
const config = {
  displaylogo: false,
  modeBarButtonsToRemove: [
    "select2d", "lasso2d", "zoomIn2d", "zoomOut2d",
    // The button beside the figure's title saves it.
    "toImage",
    // Data never leaves the machine.
    "sendChartToCloud", "sendDataToCloud",
  ],
};

// A redraw would interrupt a zoom in progress.
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

// The position of the pointer. While a page is busy, Plotly may still report a cell of
// a grid that the pointer has left.
function pointed(node, trace, { clientX, clientY }) {
  const { left, top } = node.getBoundingClientRect();
  return placesOf(node, trace).at(null, clientX - left, clientY - top);
}

// In 3D, a press on a point counts as a click at every redraw, even while another point
// is dragged over it.
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

// A figure follows the size of its container once that is stable: the window, the
// sidebar and presented lessons change it, even while a figure is drawn.
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

// Figures that have not been near the screen yet. Printing shows all figures, so they
// are drawn when printing is announced.
const waiting = new Map();
addEventListener("beforeprint", () => {
  for (const [view, come] of waiting) {
    if (libraryOf(view, view.next.data)) react(view, view.next);
    come();
  }
});

// The height of a figure is reserved before it is drawn.
function near(view, { layout }) {
  const { node } = view;
  const { height } = fit(layout, node.clientWidth, room(node));
  if (height) node.style.minHeight = `${height}px`;
  return new Promise((resolve) => {
    // The second condition: fixed elements, as on slides, do not scroll with the page.
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

// The height that a style sheet gives to a figure's container, if any. A container that
// is briefly lower, between two slides, would be too low for the axes.
function room(node) {
  const fills = getComputedStyle(node).getPropertyValue("--fills");
  return fills && node.clientHeight >= LOWEST ? node.clientHeight : 0;
}

// A figure is as wide as its container, and as high if it fills that; one with equal
// scales on all axes is no higher than its width.
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

// A picture is animated to its next state, unless the visitor prefers reduced motion.
function steady(layout) {
  if (!layout.transition || !still.matches) return layout;
  const { transition, ...rest } = layout;
  return rest;
}

// Axes side by side have short headings if they are close.
function head(data, width) {
  for (const { dimensions, meta } of data) {
    if (!meta?.headings) continue;
    const { long, short } = meta.headings;
    const names = width < CLOSE * dimensions.length ? short : long;
    dimensions.forEach((own, axis) => { own.label = names[axis]; });
  }
}

// The progress of a figure, which decides whether its picture is still shown.
export function note(node, state) {
  const place = node.closest('[data-testid="stVerticalBlock"]');
  place?.setAttribute("data-rs-figure", state);
  node.toggleAttribute("data-pictured", place?.querySelector(".rs-still") != null);
}

// The label describes the drawing; reading single ticks and marks would not.
function hideMarks(node) {
  for (const drawn of node.querySelectorAll(".main-svg, .gl-container")) {
    drawn.setAttribute("aria-hidden", "true");
  }
}

function painted() {
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}

// If several figures change at once, the first is on the screen before the others are
// drawn.
let first;

// An unchanged figure is not drawn again, unless one of its points was dragged.
export async function drawFigure(view, figure) {
  if (!view.watched) watch(view);
  const asked = JSON.stringify(figure);
  if (asked === view.asked) return;
  view.asked = asked;
  view.next = figure;
  // The library is loaded once the figure is near; drawing reports why it is not.
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

// A bundle cannot continue another one's drawing. Returns the listeners of that
// drawing.
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
      // An animation does not delay the next picture, which may interrupt it.
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
