// Lines that are brushed on parallel axes stand out in other figures, without a request.
// The meta of the trace with the axes has the name of a group; that of a trace with the
// same models as points, in the same order, has it too.
const groups = new Map();

function inside(value, ranges) {
  const each = Array.isArray(ranges[0]) ? ranges : [ranges];
  return each.some(([low, high]) => low <= value && value <= high);
}

// The numbers of the models that all axes with a brush let through; null without one.
function brushed({ dimensions }) {
  const axes = dimensions.filter(({ constraintrange }) => constraintrange?.length);
  if (!axes.length) return null;
  return Array.from(axes[0].values, (_, number) => number).filter((number) => (
    axes.every(({ values, constraintrange }) => inside(values[number], constraintrange))
  ));
}

function show(view, chosen) {
  const traces = view.node.data.flatMap(({ meta }, trace) => (meta?.brushed ? [trace] : []));
  window.Plotly.restyle(view.node, { selectedpoints: traces.map(() => chosen) }, traces);
}

function tell(view) {
  const trace = view.node.data?.find(({ meta }) => meta?.brushes);
  if (!trace) return;
  const group = groups.get(trace.meta.brushes);
  group.chosen = brushed(trace);
  for (const other of group.views) {
    if (other.disposed) group.views.delete(other);
    else if (!other.drawing) show(other, group.chosen);
  }
}

// To be called after each drawing.
export function brush(view, data) {
  for (const { meta } of data) {
    const name = meta?.brushes ?? meta?.brushed;
    if (name && !groups.has(name)) groups.set(name, { views: new Set(), chosen: null });
    if (meta?.brushed) groups.get(name).views.add(view);
  }
  const own = data.find(({ meta }) => meta?.brushed)?.meta.brushed;
  if (own && groups.get(own).chosen) show(view, groups.get(own).chosen);
  if (!data.some(({ meta }) => meta?.brushes)) return;
  tell(view);
  if (view.brushes) return;
  view.brushes = true;
  view.node.on("plotly_restyle", () => tell(view));
}
