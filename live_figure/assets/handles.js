// Draggable points, by keys: one stop of the Tab key per figure. There arrows select a
// point, Enter or the space bar picks it up, arrows then move it, Enter or the space
// bar places it, and Escape puts it back.
import { axesOfTrace, placesOf } from "./places.js";
import { layoutOf } from "./plotly_compat.js";
import { handlesOf, step } from "./points.js";

const CHOOSE = "Arrow keys choose a point, Enter takes it.";
const MOVE = "Arrow keys move it, with Shift ten times as far. Enter places it, Escape "
  + "puts it back.";
const DEPTH = " Page Up and Page Down move it along the third axis.";
// The step of a point for each key, upwards and to the right.
const WAYS = {
  ArrowLeft: ["x", -1], ArrowRight: ["x", 1], ArrowDown: ["y", -1], ArrowUp: ["y", 1],
  PageDown: ["z", -1], PageUp: ["z", 1],
};
const TURNS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
// Approximate number of key steps along an axis, without and with Shift.
const STEPS = 100;
const FAR = 10;
const SMALLEST = 26;
const ROOM = 10;

function make(parent, className, attributes = {}) {
  const element = document.createElement("div");
  element.className = className;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent.append(element);
  return element;
}

function begin(view) {
  const layer = document.createElement("div");
  layer.className = "rs-handles";
  layer.tabIndex = 0;
  // This role makes a screen reader leave the arrows to the figure.
  layer.setAttribute("role", "application");
  layer.setAttribute("aria-roledescription", "points that can be moved");
  const keys = { layer, chosen: 0, from: null };
  keys.ring = make(layer, "rs-ring", { "aria-hidden": "true" });
  keys.status = make(layer, "rs-status", { role: "status" });
  layer.addEventListener("keydown", (event) => press(view, event));
  layer.addEventListener("focus", () => announce(view, CHOOSE));
  layer.addEventListener("blur", () => put(view, null));
  return keys;
}

// Call this after each drawing.
export function followKeys(view) {
  const handles = handlesOf(view);
  if (!handles.length) {
    view.keys?.layer.remove();
    return;
  }
  view.keys ??= begin(view);
  const { keys } = view;
  const place = view.node.querySelector(".svg-container");
  if (keys.layer.parentElement !== place) place.append(keys.layer);
  keys.layer.setAttribute("aria-label", `${handles.length > 1 ? "Points" : "Point"}, ${
    handles.length}. ${CHOOSE}`);
  keys.chosen = Math.min(keys.chosen, handles.length - 1);
  ring(view);
}

function chosen(view) {
  const handle = handlesOf(view)[view.keys.chosen];
  const trace = handle && view.node.data[handle.number];
  return { handle, trace };
}

function ring(view) {
  const { handle, trace } = chosen(view);
  if (!handle) return;
  const [left, top] = placesOf(view.node, trace).of(handle.point);
  const { size } = trace.marker ?? {};
  const across = Math.max((size?.[handle.point] ?? size ?? 0) + ROOM, SMALLEST);
  const { style, classList } = view.keys.ring;
  classList.toggle("rs-taken", view.keys.from !== null);
  style.display = Number.isFinite(left) ? "" : "none";
  style.width = style.height = `${across}px`;
  style.translate = `${left - across / 2}px ${top - across / 2}px`;
}

function plain(html) {
  return new DOMParser().parseFromString(html, "text/html").body.textContent;
}

function nameOf({ number, point, name }, trace) {
  const text = trace.meta.names?.[point] ?? trace.text?.[point];
  if (text) return plain(text);
  return trace.x.length > 1 ? `${name} ${point + 1}` : name;
}

function written(number) {
  if (!Number.isFinite(number)) return String(number);
  return String(Number(number.toPrecision(3))).replace("-", "−");
}

function valueOf(view, { point, ways }, trace) {
  const axes = Object.entries(axesOfTrace(layoutOf(view.node), trace));
  const values = axes.filter(([letter]) => ways.includes(letter)).map(([letter, axis]) =>
    `${plain(axis.title?.text || letter)} ${written(trace[letter][point])}`);
  return values.join(", ");
}

function announce(view, then = "") {
  const { handle, trace } = chosen(view);
  if (!handle) return;
  const said = `${nameOf(handle, trace)}: ${valueOf(view, handle, trace)}. ${then}`;
  view.keys.status.textContent = said.trim();
}

// Pick up the selected point, from a place to which Escape returns it, or release it:
// null.
function put(view, from) {
  view.keys.from = from;
  ring(view);
}

function placeOf({ handle: { point }, trace }) {
  const axes = trace.type === "scatter3d" ? ["x", "y", "z"] : ["x", "y"];
  return Object.fromEntries(axes.map((axis) => [axis, trace[axis][point]]));
}

// A round number that is about a hundredth of an axis.
function lengthOf([low, high]) {
  const length = Math.abs(high - low) / STEPS;
  const decade = 10 ** Math.floor(Math.log10(length));
  const round = [5, 2, 1].find((times) => times * decade <= length * (1 + 1e-9)) ?? 1;
  return round * decade;
}

function moved(view, { handle, trace }, [letter, sign], far) {
  const { range } = axesOfTrace(view.shown.layout, trace)[letter];
  const at = placeOf({ handle, trace });
  const [low, high] = [...range].sort((a, b) => a - b);
  const upwards = range[0] < range[1] ? sign : -sign;
  const steps = upwards * (far ? FAR : 1);
  const to = at[letter] + steps * lengthOf(range);
  // Digits of a sum beyond those of its parts are left out.
  at[letter] = Number(Math.min(Math.max(to, low), high).toPrecision(12));
  return at;
}

function press(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (act(view, event)) {
    // The key must neither trigger a shortcut of the page nor change the slide.
    event.preventDefault();
    event.stopPropagation();
  }
}

// Whether a key has a function here.
function act(view, { key, shiftKey }) {
  const { keys } = view;
  const now = chosen(view);
  if (!now.handle) return false;
  const takes = key === "Enter" || key === " ";
  if (keys.from === null) return takes ? grasp(view, now) : turn(view, key);
  if (takes || key === "Escape") {
    if (key === "Escape") step(view, now.handle, { ...keys.from }, true);
    put(view, null);
    announce(view, key === "Escape" ? "Put back." : "Placed.");
    return true;
  }
  const way = WAYS[key];
  if (!way) return key === "Home" || key === "End";
  if (now.handle.ways.includes(way[0])) {
    step(view, now.handle, moved(view, now, way, shiftKey));
    ring(view);
    announce(view);
  }
  return true;
}

function grasp(view, now) {
  put(view, placeOf(now));
  announce(view, now.handle.ways.includes("z") ? MOVE + DEPTH : MOVE);
  return true;
}

function turn(view, key) {
  const { keys } = view;
  const count = handlesOf(view).length;
  if (key === "Home") keys.chosen = 0;
  else if (key === "End") keys.chosen = count - 1;
  else if (TURNS[key]) keys.chosen = (keys.chosen + TURNS[key] + count) % count;
  else return false;
  ring(view);
  announce(view);
  return true;
}
