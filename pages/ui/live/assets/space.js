// What stands in space is drawn with four pixels for each of the screen's. While it is
// turned one is enough: without a graphics card, frames then come up to twice as often.

function plots(node) {
  const layout = node._fullLayout ?? {};
  const names = layout._subplots?.gl3d ?? [];
  return names.map((name) => layout[name]._scene?.glplot).filter(Boolean);
}

export function turnLightly(node) {
  node.addEventListener("pointerdown", () => {
    const turned = plots(node).map((plot) => [plot, plot.pixelRatio]);
    for (const [plot, ratio] of turned) {
      plot.pixelRatio = Math.min(ratio, window.devicePixelRatio);
    }
    const release = () => {
      for (const [plot, ratio] of turned) {
        plot.pixelRatio = ratio;
        plot.redraw();
      }
    };
    if (turned.length) {
      window.addEventListener("pointerup", release, { once: true, capture: true });
    }
  }, { capture: true });
}
