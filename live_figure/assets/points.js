// Draggable points: those of traces whose meta states the directions.
import { axesOf, placesOf } from "./places.js";

const REACH = 18;
const TELL_EVERY = 120;
// If other code draws a drag's figures, the page is notified only when the pointer
// rests.
const REST = 250;
const TELL_SELDOM = 1000;
const KEYS = "keys";

// Whether a point is dragged now, in any figure.
let held = null;
export const isDragging = () => held?.node.isConnected ?? false;

// The draggable points, each with its trace and number.
export function handlesOf({ node, drags }) {
  return (node.data ?? []).flatMap((trace, number) => {
    const ways = drags && trace.meta?.drag;
    if (!ways) return [];
    return trace.x.map((_, point) => ({ number, point, name: trace.name ?? "", ways }));
  });
}

function nearest(view, event) {
  const box = view.node.getBoundingClientRect();
  const [left, top] = [event.clientX - box.left, event.clientY - box.top];
  let best = null;
  let least = REACH ** 2;
  for (const handle of handlesOf(view)) {
    const place = placesOf(view.node, view.node.data[handle.number]).of(handle.point);
    const [across, down] = [place[0] - left, place[1] - top];
    if (across ** 2 + down ** 2 < least) {
      least = across ** 2 + down ** 2;
      best = { ...handle, across, down };
    }
  }
  return best;
}

function follow(view, event) {
  const { number, point, across, down } = view.dragged;
  const box = view.node.getBoundingClientRect();
  const [left, top] = [event.clientX - box.left + across, event.clientY - box.top + down];
  put(view, placesOf(view.node, view.node.data[number]).at(point, left, top));
}

function put(view, at) {
  const dragged = view.dragged;
  const trace = view.node.data[dragged.number];
  for (const axis of Object.keys(at)) {
    if (!dragged.ways.includes(axis)) at[axis] = trace[axis][dragged.point];
  }
  dragged.at = at;
  dragged.moved = performance.now();
  dragged.taken = offer(view);
  view.asked = null;
  keepDragged(view, view.node.data);
  dragged.drawing ??= requestAnimationFrame(() => {
    dragged.drawing = null;
    if (view.dragged !== dragged || view.drawing) return;
    placesOf(view.node, trace).draw(dragged.number, dragged.point);
  });
}

// Drawings of the server lag behind the pointer until it has received the last
// position.
export function keepDragged(view, data, heard = 0) {
  if (heard >= view.dropped?.told) view.dropped = null;
  const { number, point, at } = view.dragged ?? view.dropped ?? {};
  if (!at || !data[number]) return;
  for (const axis of Object.keys(at)) data[number][axis][point] = at[axis];
}

function placeOf({ name, point, at, back }) {
  return { trace: name, point, ...at, ...(back && { back }) };
}

// Whether other code draws the changes of a drag.
function offer({ node, dragged }) {
  const options = { bubbles: true, cancelable: true, detail: placeOf(dragged) };
  return !node.dispatchEvent(new CustomEvent("dragged", options));
}

function isDue({ at, told, taken, moved, heard = 0 }) {
  const now = performance.now();
  return told !== at && (!taken || now > moved + REST || now > heard + TELL_SELDOM);
}

function tell(view) {
  const { number, point, at } = view.dragged;
  if (at) view.tell("dragged", placeOf(view.dragged));
  else if (view.clicks) {
    const { x, y } = view.node.data[number];
    view.tell("clicked", { ...placeOf(view.dragged), x: x[point], y: y[point] });
  }
}

function take(view, grip) {
  clearInterval(view.dragged?.telling);
  view.dragged = grip;
  held = view;
  grip.heard = performance.now();
  grip.telling = setInterval(() => {
    if (!view.node.isConnected) clearInterval(grip.telling);
    if (!view.node.isConnected || !isDue(grip)) return;
    Object.assign(grip, { told: grip.at, heard: performance.now() });
    tell(view);
  }, TELL_EVERY);
}

function release(view) {
  held = null;
  clearInterval(view.dragged.telling);
  tell(view);
  view.dropped = view.dragged.at && { ...view.dragged, told: view.told };
  view.dragged = null;
}

// A step by keys is a drag that ends if no other step follows. `back`: the place is
// exactly the point's previous one.
export function step(view, handle, at, back = false) {
  if (view.dragged && view.dragged.pointer !== KEYS) return;
  if (!view.dragged) take(view, { ...handle, pointer: KEYS });
  view.dragged.back = back;
  put(view, at);
  clearTimeout(view.resting);
  view.resting = setTimeout(() => {
    if (view.dragged?.pointer === KEYS) release(view);
  }, REST);
}

function withRanges(axes, before) {
  const kept = axesOf(before).filter((name) => axes[name] && before[name].range);
  return Object.fromEntries(kept.map((name) =>
    [name, { ...axes[name], range: before[name].range }]));
}

// The axes do not change while a point is held, even if its new place would make them
// longer.
export function keepAxes({ dragged }, layout) {
  const before = dragged?.layout;
  if (!before) return layout;
  const same = { ...layout, ...withRanges(layout, before) };
  if (layout.scene && before.scene) {
    same.scene = { ...layout.scene, ...withRanges(layout.scene, before.scene) };
  }
  return same;
}

export function watchPoints(view, redraw) {
  const { node } = view;
  const isOwn = ({ pointerId }) => view.dragged?.pointer === pointerId;
  node.addEventListener("pointerdown", (event) => {
    // One finger at a time.
    if (view.dragged && !isOwn(event)) return;
    const grip = event.button === 0 ? nearest(view, event) : null;
    if (!grip) return;
    event.preventDefault();
    event.stopPropagation();
    node.setPointerCapture(event.pointerId);
    take(view, { ...grip, pointer: event.pointerId, layout: view.shown.layout });
  }, { capture: true });
  node.addEventListener("pointermove", (event) => {
    if (isOwn(event)) follow(view, event);
    else if (view.drags) node.classList.toggle("rs-grab", nearest(view, event) !== null);
  });
  const end = (event) => {
    if (!isOwn(event)) return;
    const { layout } = view.shown;
    const changed = JSON.stringify(keepAxes(view, layout)) !== JSON.stringify(layout);
    release(view);
    if (changed) redraw();
  };
  node.addEventListener("pointerup", end);
  node.addEventListener("pointercancel", end);
  // A finger on a point moves the point; elsewhere it scrolls the page.
  node.addEventListener("touchstart", (event) => {
    if (view.dragged) event.preventDefault();
  }, { passive: false });
}
