// A Plotly figure redrawn in place. Frames that arrive while one is being drawn are
// joined: only the newest is drawn next.

const address = new URL("../rankscope.plotly/plotly.min.js", import.meta.url).href;

function config(Plotly) {
  return {
    displaylogo: false,
    responsive: true,
    modeBarButtonsToRemove: ["select2d", "lasso2d", "zoomIn2d", "zoomOut2d"],
    modeBarButtonsToAdd: [
      {
        name: "svg",
        title: "Download plot as SVG",
        icon: Plotly.Icons.disk,
        click: (chart) => Plotly.downloadImage(chart, { format: "svg" }),
      },
    ],
  };
}

export async function drawFigure(view, figure) {
  view.next = figure;
  if (view.drawing) return;
  view.drawing = true;
  try {
    if (!window.Plotly) await import(address);
    const Plotly = window.Plotly;
    view.dispose = () => Plotly.purge(view.node);
    while (view.next && !view.disposed) {
      const { data, layout } = view.next;
      view.next = null;
      await Plotly.react(view.node, data, layout, config(Plotly));
      view.node.dataset.frames = 1 + Number(view.node.dataset.frames);
      await new Promise(requestAnimationFrame);
    }
    if (view.disposed) view.dispose();
  } finally {
    view.drawing = false;
  }
}
