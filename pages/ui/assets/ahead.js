// While a slider or a point of a figure is moved, requests the new figures from the
// server and passes each to its live figure, as the whole page takes longer. There is
// one request at a time; the next one has the latest positions. Without such a path of
// the server, which is tried once, figures change only with the page.
const LASTS = 1000;
let path, missing, next, asked, until = 0;

// Resolves to whether figures have arrived, once the first one is on the screen.
async function ask(report) {
  const here = path;
  const address = new URL(here.slice(1), document.baseURI);
  address.searchParams.set("report", JSON.stringify(report));
  const answer = await fetch(address, { signal: AbortSignal.timeout(LASTS) });
  if (answer.status === 404) missing = here;
  const { figures } = answer.ok ? await answer.json() : {};
  for (const [key, picture] of Object.entries(figures ?? {})) {
    const node = document.querySelector(`.st-key-${key} .rs-live`);
    node?.dispatchEvent(new CustomEvent("ahead", { detail: picture }));
  }
  if (figures) await painted();
  return Boolean(figures);
}

function painted() {
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}

// Streamlit may write a value twice.
async function askNext(report) {
  const text = JSON.stringify(report);
  if (asked === undefined || text !== asked) next = report;
  if (asked !== undefined) return;
  // Marks a page that still waits for its figures.
  document.documentElement.toggleAttribute("data-figures-asked", true);
  try {
    while (next && path !== missing) {
      const report = next;
      next = null;
      asked = JSON.stringify(report);
      const drawn = await ask(report);
      // The page need not wait any longer.
      if (drawn && !next) await ask({});
    }
  } catch {
    // The server is unreachable, as the page says; it may come back.
    await new Promise((resolve) => setTimeout(resolve, LASTS));
  } finally {
    asked = undefined;
    document.documentElement.toggleAttribute("data-figures-asked", false);
  }
}

function keyOf(element) {
  const { className } = element.closest('[class*="st-key-"]') ?? {};
  return className?.match(/st-key-(\S+)/)[1];
}

// A slider also changes by itself when its setting changes on the page.
for (const act of ["keydown", "pointerdown", "pointermove"]) {
  addEventListener(act, ({ target, buttons }) => {
    const slides = buttons !== 0 && target.closest?.('[data-testid="stSlider"]');
    if (slides) until = performance.now() + LASTS;
  }, { capture: true, passive: true });
}
new MutationObserver((changes) => {
  if (path === missing || performance.now() > until) return;
  const moved = changes.findLast(({ target }) => target.type === "range")?.target;
  if (moved) askNext({ control: keyOf(moved), at: Number(moved.value) });
}).observe(document, { subtree: true, attributeFilter: ["aria-valuetext"] });

// A figure itself reports to the page any change that is not handled here.
addEventListener("dragged", (event) => {
  if (path === missing) return;
  event.preventDefault();
  askNext({ figure: keyOf(event.target), ...event.detail });
});

export default function ({ data }) {
  path = data.path;
}
