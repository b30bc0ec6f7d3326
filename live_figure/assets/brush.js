// Lines brushed on parallel axes are highlighted in other figures, without a request.
// The meta of the trace with the axes names a group, as does that of a trace with the
// same models as points, in the same order. Once a brush has been released, its ranges
// are sent to the server, for drawings that only the server can update.
const REST = 250;
const groups = new Map();

function rangesOf({ constraintrange: ranges }) {
  if (!ranges?.length) return [];
  return Array.isArray(ranges[0]) ? ranges : [ranges];
}

function inside(value, ranges) {
  return ranges.some(([low, high]) => low <= value && value <= high);
}

// The numbers of the models within the brushes of all axes; null without a brush.
export function brushed({ dimensions }) {
  const axes = dimensions
    .map((axis) => ({ values: axis.values, ranges: rangesOf(axis) }))
    .filter(({ ranges }) => ranges.length);
  if (!axes.length) return null;
  return Array.from(axes[0].values, (_, number) => number).filter((number) => (
    axes.every(({ values, ranges }) => inside(values[number], ranges))
  ));
}

function axesOf(data) {
  return data?.find(({ meta }) => meta?.brushes);
}

function show(view, chosen) {
  const traces = view.node.data.flatMap(({ meta }, trace) => (meta?.brushed ? [trace] : []));
  view.plotly.restyle(view.node, { selectedpoints: traces.map(() => chosen) }, traces);
}

function showAll(view) {
  const trace = axesOf(view.node.data);
  if (!trace) return;
  const group = groups.get(trace.meta.brushes);
  group.chosen = brushed(trace);
  for (const other of group.views) {
    if (other.disposed) group.views.delete(other);
    else if (!other.drawing) show(other, group.chosen);
  }
}

function rest(view) {
  clearTimeout(view.resting);
  view.resting = setTimeout(tell, REST, view);
}

function tell(view) {
  if (view.held) {
    rest(view);
    return;
  }
  view.resting = null;
  const trace = axesOf(view.node.data);
  if (!trace || !view.brushes || view.disposed) return;
  const named = trace.dimensions.map((axis) => [axis.name, rangesOf(axis)]);
  view.tell("brushed", { ranges: Object.fromEntries(named) });
  view.rested = view.told;
}

// Drawings of the server lag behind the brush until it has received the final ranges.
export function keepBrush(view, data, heard = 0) {
  const [own, next] = [axesOf(view.node.data), axesOf(data)];
  if (!own || !next || !(view.resting || heard < view.rested)) return;
  const known = new Map(own.dimensions.map((axis) => [axis.name, axis.constraintrange]));
  for (const axis of next.dimensions) axis.constraintrange = known.get(axis.name);
}

// Call this after each drawing.
export function brush(view, data) {
  for (const { meta } of data) {
    const name = meta?.brushes ?? meta?.brushed;
    if (name && !groups.has(name)) groups.set(name, { views: new Set(), chosen: null });
    if (meta?.brushed) groups.get(name).views.add(view);
  }
  const own = data.find(({ meta }) => meta?.brushed)?.meta.brushed;
  if (own && groups.get(own).chosen) show(view, groups.get(own).chosen);
  if (!axesOf(data)) return;
  showAll(view);
  if (view.brushed) return;
  view.brushed = true;
  view.node.on("plotly_restyle", () => {
    showAll(view);
    rest(view);
  });
}
