// Internals of Plotly that the figures read, as it has no interface for them; the
// versions allowed in pyproject.toml have them.

export const layoutOf = (node) => node._fullLayout ?? {};
export const sceneOf = (layout) => layout._scene;
export const drawnTrace = (node, number) => node._fullData[number];
export const pixelRatioOf = (node) => node._context.plotGlPixelRatio;

// Pairs of a figure's event and its handler.
export const listenersOf = ({ _ev: events }) => events.eventNames().flatMap(
  (name) => events.listeners(name).map((listener) => [name, listener]),
);

// The pixels of an axis, from the left or upper edge of the figure.
export const beginOf = (axis) => axis._offset;
export const lengthOf = (axis) => axis._length;

// The WebGL renderer of each of a figure's scenes.
export function plotsOf(node) {
  const layout = layoutOf(node);
  const names = layout._subplots?.gl3d ?? [];
  return names.map((name) => sceneOf(layout[name])?.glplot).filter(Boolean);
}

// Moves the mark of a point and its text, if any, to a place in pixels from the corner
// of its axes, as a full redraw takes longer than a frame.
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
