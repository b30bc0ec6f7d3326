// Points that can be dragged: those of traces whose meta says in which directions.
const REACH = 18;
const TELL_EVERY = 120;

function axes(node, trace) {
  const letter = (name) => `${name[0]}axis${name.slice(1)}`;
  const all = node._fullLayout;
  return [all[letter(trace.xaxis ?? "x")], all[letter(trace.yaxis ?? "y")]];
}

function nearest(view, event) {
  const box = view.node.getBoundingClientRect();
  const [left, top] = [event.clientX - box.left, event.clientY - box.top];
  let best = null;
  let least = REACH ** 2;
  (view.node.data ?? []).forEach((trace, number) => {
    if (!view.drags || !trace.meta?.drag) return;
    const [x, y] = axes(view.node, trace);
    trace.x.forEach((value, point) => {
      const across = x.d2p(value) + x._offset - left;
      const down = y.d2p(trace.y[point]) + y._offset - top;
      if (across ** 2 + down ** 2 < least) {
        least = across ** 2 + down ** 2;
        best = { number, point, name: trace.name ?? "", ways: trace.meta.drag, across, down };
      }
    });
  });
  return best;
}

function inside(axis, pixels) {
  return axis.p2d(Math.min(Math.max(pixels, 0), axis._length));
}

function move(view, event) {
  const dragged = view.dragged;
  const box = view.node.getBoundingClientRect();
  const trace = view.node.data[dragged.number];
  const [x, y] = axes(view.node, trace);
  const at = { x: trace.x[dragged.point], y: trace.y[dragged.point] };
  if (dragged.ways.includes("x")) {
    at.x = inside(x, event.clientX - box.left + dragged.across - x._offset);
  }
  if (dragged.ways.includes("y")) {
    at.y = inside(y, event.clientY - box.top + dragged.down - y._offset);
  }
  dragged.at = at;
  view.asked = null;
  keepDragged(view, view.node.data);
  dragged.drawing ??= requestAnimationFrame(() => {
    dragged.drawing = null;
    if (view.dragged !== dragged || view.drawing) return;
    const { x: xs, y: ys } = view.node.data[dragged.number];
    window.Plotly.restyle(view.node, { x: [xs], y: [ys] }, [dragged.number]);
  });
}

// What the server draws while a point is dragged lags behind the pointer.
export function keepDragged(view, data) {
  const { number, point, at } = view.dragged ?? {};
  if (!at || !data[number]) return;
  data[number].x[point] = at.x;
  data[number].y[point] = at.y;
}

function tell(view) {
  const { number, name, point, at } = view.dragged;
  if (at) view.tell("dragged", { trace: name, point, ...at });
  else if (view.clicks) {
    const { x, y } = view.node.data[number];
    view.tell("clicked", { trace: name, point, x: x[point], y: y[point] });
  }
}

export function watchPoints(view) {
  const { node } = view;
  node.addEventListener("pointerdown", (event) => {
    const found = event.button === 0 ? nearest(view, event) : null;
    if (!found) return;
    event.preventDefault();
    event.stopPropagation();
    view.dragged = found;
    node.setPointerCapture(event.pointerId);
    found.telling = setInterval(() => {
      if (found.told !== found.at) tell(view);
      found.told = found.at;
    }, TELL_EVERY);
  }, { capture: true });
  node.addEventListener("pointermove", (event) => {
    if (view.dragged) move(view, event);
    else if (view.drags) node.classList.toggle("rs-grab", nearest(view, event) !== null);
  });
  const release = () => {
    if (!view.dragged) return;
    clearInterval(view.dragged.telling);
    tell(view);
    view.dragged = null;
  };
  node.addEventListener("pointerup", release);
  node.addEventListener("pointercancel", release);
  // A finger on a point moves the point; elsewhere it scrolls the page.
  node.addEventListener("touchstart", (event) => {
    if (view.dragged) event.preventDefault();
  }, { passive: false });
}
