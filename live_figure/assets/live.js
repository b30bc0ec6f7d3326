// Streamlit calls this whenever data or theme change, possibly twice at once. It calls
// the returned function at the end, but also for a call that a newer one has replaced.
// So drawings are stored per parent element, and removed only with the parent.
import { drawFigure, note } from "./figure.js";
import { isDragging } from "./points.js";
import { drawRanking } from "./ranking.js";

const drawers = { figure: drawFigure, ranking: drawRanking };
const mounted = new WeakMap();

function mount(parentElement, kind) {
  const node = document.createElement("div");
  node.className = `rs-live rs-live-${kind}`;
  // Not the role of an image, whose buttons would not be announced.
  node.setAttribute("role", "figure");
  node.dataset.frames = "0";
  const heading = document.createElement("div");
  heading.className = "rs-live-heading";
  parentElement.append(heading, node);
  note(node, "mounted");
  const view = { node, heading, disposed: false, told: 0, ahead: [] };
  mounted.set(parentElement, view);
  node.addEventListener("frame", ({ detail }) => moved(view, detail));
  node.addEventListener("ahead", ({ detail }) => hurry(view, detail));
  return view;
}

function show(view, { kind, heading, content }) {
  if (view.written !== heading) {
    view.written = heading;
    view.heading.innerHTML = heading;
  }
  drawers[kind](view, content);
}

// A frame of a moving figure, or null at its end, with the time of its request. A
// picture sent by the page meanwhile is older than the next frame, and is drawn at the
// end; one from before the last frame, only if the page sends no other.
const LAST = 1000;
const MOST = 20;

function moved(view, frame) {
  clearTimeout(view.ending);
  view.moves = frame !== null;
  const { data } = view;
  if (frame) {
    view.since = frame.asked;
    show(view, { ...data, ...frame, content: { ...data.content, ...frame.content } });
  } else {
    const wait = view.came > view.since ? 0 : LAST;
    view.ending = setTimeout(() => show(view, view.data), wait);
  }
}

// The page's own picture is drawn at the end, once no other one can arrive.
function end(view) {
  clearTimeout(view.ending);
  view.ending = setTimeout(() => {
    if (view.disposed || view.moves) return;
    const runs = document.querySelector("[data-test-script-state=running]");
    if (runs || isDragging()) return end(view);
    view.ahead = [];
    show(view, view.data);
  }, LAST);
}

// The content of a picture, independent of the page's state.
function imprint({ content: { heard, ...content } }) {
  return JSON.stringify(content);
}

// A picture that arrives before its page, unless it is late or that draw of the page is
// cancelled. A picture that the page sends meanwhile may be older.
function hurry(view, picture) {
  if (view.moves) return;
  const { data } = view;
  const next = { ...data, ...picture, content: { ...data.content, ...picture.content } };
  view.ahead.push(imprint(next));
  if (view.ahead.length > MOST) view.ahead.shift();
  show(view, next);
  end(view);
}

function come(view) {
  clearTimeout(view.ending);
  const { ahead, data } = view;
  const at = ahead.length ? ahead.indexOf(imprint(data)) : -1;
  ahead.splice(0, at < 0 ? ahead.length : at + 1);
  if (ahead.length) end(view);
  else show(view, data);
}

function unmount(parentElement) {
  const view = mounted.get(parentElement);
  if (!view || parentElement.isConnected) return;
  mounted.delete(parentElement);
  view.disposed = true;
  // A drawing under way notices this and cleans up.
  if (!view.drawing) view.dispose?.();
}

export default function ({ data, parentElement, setTriggerValue }) {
  const view = mounted.get(parentElement) ?? mount(parentElement, data.kind);
  view.node.setAttribute("aria-label", data.alt);
  view.told = Math.max(view.told, data.content.heard ?? 0);
  view.tell = (event, point) => setTriggerValue(event, { ...point, told: ++view.told });
  view.data = data;
  view.came = performance.now();
  if (!view.moves) come(view);
  return () => setTimeout(unmount, 0, parentElement);
}
