// While a slider is moved, asks the server for the figures of each draw of the page, and
// hands each to its live figure: the page itself takes the browser longer. Without such a
// path of the server, which is asked once, figures change with the page only.
const LASTS = 1000;
let path, missing, asking = false, until = 0;

// Whether figures have come.
async function ask() {
  const asked = path;
  const answer = await fetch(new URL(asked.slice(1), document.baseURI));
  if (answer.status === 404) missing = asked;
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
  if (asking || path === missing) return;
  asking = true;
  try {
    while (performance.now() < until && await ask());
  } catch {
    // The server has gone, which the page says; it may be back.
    await new Promise((resolve) => setTimeout(resolve, LASTS));
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
