// What stands in space is drawn with four pixels for each of the screen's. While it is
// turned one is enough: without a graphics card, frames then come up to twice as often.

function plots(node) {
  const layout = node._fullLayout ?? {};
  const names = layout._subplots?.gl3d ?? [];
  return names.map((name) => layout[name]._scene?.glplot).filter(Boolean);
}

export function turnLightly(node) {
  const draw = (ratio) => plots(node).forEach((plot) => {
    plot.pixelRatio = ratio;
    plot.redraw();
  });
  const release = () => draw(node._context.plotGlPixelRatio);
  node.addEventListener("pointerdown", () => {
    if (!plots(node).length) return;
    draw(Math.min(window.devicePixelRatio, node._context.plotGlPixelRatio));
    for (const end of ["pointerup", "pointercancel"]) {
      window.addEventListener(end, release, { once: true, capture: true });
    }
  }, { capture: true });
}
