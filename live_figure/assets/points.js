// Points that can be dragged: those of traces whose meta says in which directions.
import { placesOf } from "./places.js";

const REACH = 18;
const TELL_EVERY = 120;
// Of a drag whose figures somebody else draws, the page hears when the pointer rests.
const REST = 250;
const TELL_SELDOM = 1000;

// Whether a point is dragged now, in any figure.
let held = null;
export const isDragging = () => held?.node.isConnected ?? false;

function nearest(view, event) {
  const box = view.node.getBoundingClientRect();
  const [left, top] = [event.clientX - box.left, event.clientY - box.top];
  let best = null;
  let least = REACH ** 2;
  (view.node.data ?? []).forEach((trace, number) => {
    if (!view.drags || !trace.meta?.drag) return;
    const places = placesOf(view.node, trace);
    trace.x.forEach((_, point) => {
      const place = places.of(point);
      const [across, down] = [place[0] - left, place[1] - top];
      if (across ** 2 + down ** 2 < least) {
        least = across ** 2 + down ** 2;
        best = { number, point, name: trace.name ?? "", ways: trace.meta.drag, across, down };
      }
    });
  });
  return best;
}

function move(view, event) {
  const dragged = view.dragged;
  const box = view.node.getBoundingClientRect();
  const trace = view.node.data[dragged.number];
  const at = placesOf(view.node, trace).at(
    dragged.point,
    event.clientX - box.left + dragged.across,
    event.clientY - box.top + dragged.down,
  );
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

// What the server draws lags behind the pointer, until it has heard where it went last.
export function keepDragged(view, data, heard = 0) {
  if (heard >= view.dropped?.told) view.dropped = null;
  const { number, point, at } = view.dragged ?? view.dropped ?? {};
  if (!at || !data[number]) return;
  for (const axis of Object.keys(at)) data[number][axis][point] = at[axis];
}

function placeOf({ name, point, at }) {
  return { trace: name, point, ...at };
}

// Whether somebody else draws what a drag changes.
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

export function watchPoints(view) {
  const { node } = view;
  const isOwn = ({ pointerId }) => view.dragged?.pointer === pointerId;
  node.addEventListener("pointerdown", (event) => {
    // One finger at a time.
    if (view.dragged && !isOwn(event)) return;
    const grip = event.button === 0 ? nearest(view, event) : null;
    if (!grip) return;
    event.preventDefault();
    event.stopPropagation();
    clearInterval(view.dragged?.telling);
    grip.pointer = event.pointerId;
    view.dragged = grip;
    node.setPointerCapture(event.pointerId);
    held = view;
    grip.heard = performance.now();
    grip.telling = setInterval(() => {
      if (!node.isConnected) clearInterval(grip.telling);
      if (!node.isConnected || !isDue(grip)) return;
      Object.assign(grip, { told: grip.at, heard: performance.now() });
      tell(view);
    }, TELL_EVERY);
  }, { capture: true });
  node.addEventListener("pointermove", (event) => {
    if (isOwn(event)) move(view, event);
    else if (view.drags) node.classList.toggle("rs-grab", nearest(view, event) !== null);
  });
  const release = (event) => {
    if (!isOwn(event)) return;
    held = null;
    clearInterval(view.dragged.telling);
    tell(view);
    view.dropped = view.dragged.at && { ...view.dragged, told: view.told };
    view.dragged = null;
  };
  node.addEventListener("pointerup", release);
  node.addEventListener("pointercancel", release);
  // A finger on a point moves the point; elsewhere it scrolls the page.
  node.addEventListener("touchstart", (event) => {
    if (view.dragged) event.preventDefault();
  }, { passive: false });
}
