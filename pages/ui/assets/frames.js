// Requests the current figures of a job from the server, and passes each to the live
// figure of its block, until the job stops. Without such a path of the server, figures
// change only with the page.
const PERIOD = 75;
const playing = new WeakMap();

function send(key, frame) {
  const node = document.querySelector(`.st-key-${key} .rs-live`);
  node?.dispatchEvent(new CustomEvent("frame", { detail: frame }));
}

async function ask(path, signal) {
  const asked = performance.now();
  try {
    const answer = await fetch(new URL(path.slice(1), document.baseURI), { signal });
    if (!answer.ok) return null;
    const { figures } = await answer.json();
    for (const frame of Object.values(figures ?? {})) frame.asked = asked;
    return figures;
  } catch {
    return null;
  }
}

function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

// The next figures are requested while the previous ones are drawn.
async function play(path, parentElement, mine) {
  const keys = new Set();
  const next = () => (document.hidden ? {} : ask(path, mine.signal));
  let coming = next();
  for (;;) {
    const began = performance.now();
    const figures = await coming;
    if (!figures || mine.signal.aborted || !parentElement.isConnected) break;
    coming = next();
    for (const [key, frame] of Object.entries(figures)) {
      keys.add(key);
      send(key, frame);
    }
    await pause(Math.max(PERIOD - (performance.now() - began), 10));
  }
  for (const key of keys) send(key, null);
  if (playing.get(parentElement) === mine) playing.delete(parentElement);
}

export default function ({ data, parentElement }) {
  const known = playing.get(parentElement);
  if (known && known.path === data.path) return;
  known?.abort();
  playing.delete(parentElement);
  if (!data.path) return;
  const mine = Object.assign(new AbortController(), { path: data.path });
  playing.set(parentElement, mine);
  play(data.path, parentElement, mine);
}
