// Called by Streamlit whenever the data or the theme changes, possibly twice at once:
// what has been drawn is kept per parent element.
import { drawFigure } from "./figure.js";
import { drawRanking } from "./ranking.js";

const drawers = { figure: drawFigure, ranking: drawRanking };
const mounted = new WeakMap();

export default function ({ data, parentElement }) {
  let view = mounted.get(parentElement);
  if (!view) {
    const node = document.createElement("div");
    node.className = `rs-live rs-live-${data.kind}`;
    node.setAttribute("role", "img");
    node.dataset.frames = "0";
    parentElement.append(node);
    view = { node, disposed: false };
    mounted.set(parentElement, view);
  }
  view.node.setAttribute("aria-label", data.alt);
  drawers[data.kind](view, data.content);

  return () => {
    view.disposed = true;
    mounted.delete(parentElement);
    // A drawing under way cleans up when it notices.
    if (!view.drawing) view.dispose?.();
    view.node.remove();
  };
}
