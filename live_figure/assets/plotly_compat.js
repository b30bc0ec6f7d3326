// What the figures read of Plotly's own workings, for which it has no interface: the
// version that pyproject.toml bounds has them.

export const layoutOf = (node) => node._fullLayout ?? {};
export const sceneOf = (layout) => layout._scene;
export const drawnTrace = (node, number) => node._fullData[number];
export const pixelRatioOf = (node) => node._context.plotGlPixelRatio;

// Pairs of an event of a figure and what is called then.
export const listenersOf = ({ _ev: events }) => events.eventNames().flatMap(
  (name) => events.listeners(name).map((listener) => [name, listener]),
);

// The pixels of an axis, from the left or upper edge of the figure.
export const beginOf = (axis) => axis._offset;
export const lengthOf = (axis) => axis._length;

// What draws each of a figure's scenes by WebGL.
export function plotsOf(node) {
  const layout = layoutOf(node);
  const names = layout._subplots?.gl3d ?? [];
  return names.map((name) => sceneOf(layout[name])?.glplot).filter(Boolean);
}

// Moves the mark of a point, and its text, as far as there are some, to a place in pixels
// from the corner of its axes: a whole redraw takes longer than a frame.
export function moveMark(node, number, point, left, top) {
  const group = `.trace${drawnTrace(node, number).uid}`;
  const shows = ({ __data__: datum }) => datum?.i === point;
  for (const mark of node.querySelectorAll(`${group} .point`)) {
    if (!shows(mark)) continue;
    const turned = mark.getAttribute("transform").replace(/^translate\([^)]*\)/, "");
    mark.setAttribute("transform", `translate(${left},${top})${turned}`);
  }
  for (const text of node.querySelectorAll(`${group} .textpoint`)) {
    if (!shows(text)) continue;
    for (const line of text.querySelectorAll("text, tspan[x]")) {
      line.setAttribute("x", left);
      line.setAttribute("y", top);
    }
  }
}
