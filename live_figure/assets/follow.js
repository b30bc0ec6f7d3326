// Figures that follow the pointer over another one, without a request. The meta of a
// leading trace has the number of a state for each of its points, in rows of `width`
// points for a grid. The meta of a following trace has the same name, a row of values
// for each state, and the number of the state shown while no point is hovered. Points
// with only a neighbour's state (`empty`) are reported to the server, which may compute
// theirs next.
const TELL_EVERY = 250;
const groups = new Map();

function decoded({ dtype, bdata, shape }) {
  const bytes = Uint8Array.from(atob(bdata), (letter) => letter.charCodeAt(0));
  const kinds = { f4: Float32Array, f8: Float64Array };
  const values = new kinds[dtype](bytes.buffer);
  const length = Number(shape.split(",")[1]);
  return (row) => Array.from(values.subarray(row * length, (row + 1) * length));
}

function reader(rows) {
  return Array.isArray(rows) ? (row) => rows[row] : decoded(rows);
}

// A number for each point, also of a grid.
export function numberOf({ pointNumber, data }) {
  if (!Array.isArray(pointNumber)) return pointNumber;
  const [row, column] = pointNumber;
  return row * (data.meta?.width ?? 0) + column;
}

// The frame around the selected cell of a grid moves at once to the clicked cell, or to
// the cell with its model; the server draws the same a moment later.
export function frameClicked(view, { meta }, at) {
  const shapes = view.node.layout.shapes ?? [];
  if (view.drawing || !meta?.leads || !shapes.some(({ name }) => name === "chosen")) return;
  const { cells, empty, width } = meta;
  const number = Math.round(at.y) * width + Math.round(at.x);
  const own = cells.findIndex((cell, point) => cell === cells[number] && !empty[point]);
  if (own < 0) return;
  const [x, y] = [own % width, Math.floor(own / width)];
  const moved = shapes.map((shape) => {
    if (shape.name !== "chosen") return shape;
    return { ...shape, x0: x - 0.5, x1: x + 0.5, y0: y - 0.5, y1: y + 0.5 };
  });
  view.asked = null;
  view.plotly.relayout(view.node, { shapes: moved });
}

// Show a state in everything that follows a name; null: each its own state.
export function lead(name, state) {
  for (const view of groups.get(name) ?? []) {
    if (view.disposed) {
      groups.get(name).delete(view);
      continue;
    }
    view.wanted = state;
    view.moves ??= requestAnimationFrame(() => {
      view.moves = null;
      if (!view.disposed && !view.drawing) view.move(view.wanted);
    });
  }
}

// Let a view follow the leading figure: `move` is called with its state, or null.
export function join(view, name, move) {
  if (!groups.has(name)) groups.set(name, new Set());
  groups.get(name).add(view);
  view.move = move;
}

function move(view, wanted) {
  const at = view.following.map((own) => wanted ?? own.at);
  if (String(at) === view.state) return;
  view.state = String(at);
  const y = view.following.map((own, place) => own.row(at[place]));
  const traces = view.following.map((own) => own.trace);
  view.plotly.restyle(view.node, { y }, traces);
}

function seek(view, point) {
  view.sought = point;
  if (!view.seeking) tellSought(view);
}

function tellSought(view) {
  view.seeking = null;
  if (!view.sought || !view.hovers || view.disposed) return;
  view.tell("hovered", view.sought);
  view.sought = null;
  view.seeking = setTimeout(tellSought, TELL_EVERY, view);
}

// Call this after each drawing, with the traces as sent.
export function follow(view, data) {
  view.following = data.flatMap(({ meta }, trace) => {
    if (!meta?.follows) return [];
    join(view, meta.follows, (state) => move(view, state));
    return [{ trace, at: meta.at, row: reader(meta.rows) }];
  });
  view.state = String(view.following.map((own) => own.at));
  if (view.leads || !data.some(({ meta }) => meta?.leads)) return;
  view.leads = true;
  // Over lines, which lead by themselves, Plotly reports no point.
  view.node.on("plotly_hover", ({ points: [point] = [] }) => {
    if (!point?.data.meta?.leads) return;
    const { data, x, y } = point;
    const number = numberOf(point);
    lead(data.meta.leads, data.meta.cells[number]);
    const empty = data.meta.empty?.[number];
    seek(view, empty ? { trace: data.name ?? "", point: number, x, y } : null);
  });
  view.node.on("plotly_unhover", ({ points: [point] = [] }) => {
    if (!point?.data.meta?.leads) return;
    lead(point.data.meta.leads, null);
    seek(view, null);
  });
}
