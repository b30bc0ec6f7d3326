// While a slider is moved, asks the server for the figures of each draw of the page, and
// hands each to its live figure: the page itself takes the browser longer. Without such a
// path of the server figures change with the page only.
const LASTS = 1000;
let path, asking = false, until = 0;

// Whether figures have come.
async function ask() {
  const answer = await fetch(new URL(path.slice(1), document.baseURI));
  const { figures } = answer.ok ? await answer.json() : {};
  for (const [key, picture] of Object.entries(figures ?? {})) {
    const node = document.querySelector(`.st-key-${key} .rs-live`);
    node?.dispatchEvent(new CustomEvent("ahead", { detail: picture }));
  }
  return Boolean(figures);
}

async function moved({ target, buttons }) {
  if (buttons === 0 || !target.closest?.('[data-testid="stSlider"]')) return;
  until = performance.now() + LASTS;
  if (asking) return;
  asking = true;
  try {
    while (performance.now() < until && await ask());
  } catch {
    // The server has gone, which the page says.
  } finally {
    asking = false;
  }
}

for (const act of ["keydown", "pointerdown", "pointermove"]) {
  addEventListener(act, moved, { capture: true, passive: true });
}

export default function ({ data }) {
  path = data.path;
}
