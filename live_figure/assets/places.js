// Screen positions of a trace's points, the point at a position, and redrawing a point.
// Positions are in pixels from the upper left corner of the figure.
import {
  beginOf, drawnTrace, layoutOf, lengthOf, moveMark, sceneOf,
} from "./plotly_compat.js";

export function placesOf(node, trace) {
  return trace.type === "scatter3d" ? inSpace(node, trace) : inPlane(node, trace);
}

// The names of the axes in a layout, or in a scene of it.
export function axesOf(layout) {
  return Object.keys(layout).filter((name) => /^[xyz]axis\d*$/.test(name));
}

// The axes of a trace in a layout, by their letters.
export function axesOfTrace(layout, trace) {
  if (trace.type === "scatter3d") {
    const { xaxis, yaxis, zaxis } = layout[trace.scene ?? "scene"];
    return { x: xaxis, y: yaxis, z: zaxis };
  }
  const named = (name) => layout[`${name[0]}axis${name.slice(1)}`];
  return { x: named(trace.xaxis ?? "x"), y: named(trace.yaxis ?? "y") };
}

function inPlane(node, trace) {
  const { x, y } = axesOfTrace(layoutOf(node), trace);
  const inside = (axis, pixels) =>
    axis.p2d(Math.min(Math.max(pixels - beginOf(axis), 0), lengthOf(axis)));
  return {
    of: (point) => [
      x.d2p(trace.x[point]) + beginOf(x),
      y.d2p(trace.y[point]) + beginOf(y),
    ],
    at: (point, left, top) => ({ x: inside(x, left), y: inside(y, top) }),
    draw(number, point) {
      moveMark(node, number, point, x.d2p(trace.x[point]), y.d2p(trace.y[point]));
    },
  };
}

// The rows of the product of a camera's matrices, which are stored by columns.
function rowsOf({ projection, view, model }) {
  const times = (a, b) => [0, 1, 2, 3].map((i) => [0, 1, 2, 3].map((j) =>
    [0, 1, 2, 3].reduce((sum, k) => sum + a[i][k] * b[k][j], 0)));
  const rows = (m) => [0, 1, 2, 3].map((i) => [m[i], m[4 + i], m[8 + i], m[12 + i]]);
  return times(times(rows(projection), rows(view)), rows(model));
}

function determinant([a, b, c]) {
  return a[0] * (b[1] * c[2] - b[2] * c[1])
    - a[1] * (b[0] * c[2] - b[2] * c[0])
    + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

function solve(rows, right) {
  const whole = determinant(rows);
  return [0, 1, 2].map((column) => determinant(rows.map((row, i) =>
    row.map((number, j) => (j === column ? right[i] : number)))) / whole);
}

// A point in 3D moves in the plane parallel to the screen, within the axes. If the
// browser cannot draw in 3D, it has no position.
function inSpace(node, trace) {
  const layout = layoutOf(node)[trace.scene ?? "scene"];
  const scene = sceneOf(layout);
  if (!scene?.glplot) return { of: () => [NaN, NaN] };
  const box = scene.container.getBoundingClientRect();
  const whole = node.getBoundingClientRect();
  const corner = [box.left - whole.left, box.top - whole.top];
  const [across, down, , depth] = rowsOf(scene.glplot.cameraParams);
  const seen = (point) => [
    ...["x", "y", "z"].map((axis, i) => trace[axis][point] * scene.dataScale[i]), 1,
  ];
  const along = (row, at) => row.reduce((sum, number, i) => sum + number * at[i], 0);
  return {
    of(point) {
      const at = seen(point);
      const [x, y] = [along(across, at), along(down, at)].map((n) => n / along(depth, at));
      return [corner[0] + (1 + x) / 2 * box.width, corner[1] + (1 - y) / 2 * box.height];
    },
    at(point, left, top) {
      const far = along(depth, seen(point));
      const x = Math.min(Math.max((left - corner[0]) / box.width, 0), 1) * 2 - 1;
      const y = 1 - Math.min(Math.max((top - corner[1]) / box.height, 0), 1) * 2;
      const rows = [across, down, depth];
      const right = [x * far, y * far, far].map((number, i) => number - rows[i][3]);
      const found = solve(rows.map((row) => row.slice(0, 3)), right);
      const inside = (axis, i) => {
        const [low, high] = layout[`${axis}axis`].range;
        return Math.min(Math.max(found[i] / scene.dataScale[i], low), high);
      };
      return { x: inside("x", 0), y: inside("y", 1), z: inside("z", 2) };
    },
    // Plotly's full redraw takes longer than a frame.
    draw(number) {
      const { x, y, z } = node.data[number];
      const drawn = drawnTrace(node, number);
      scene.traces[drawn.uid].update({ ...drawn, x, y, z });
    },
  };
}
