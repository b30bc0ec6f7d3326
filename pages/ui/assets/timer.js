// Calls the server back after some time, once for each new number; again later if there
// is no answer, as a simultaneous action of the visitor replaces a call. A hidden page
// waits.
//
// A call names the page that the browser shows. A call that reaches the server during a
// change of pages would bring the old page back, empty. So after a click, a call waits
// until the server has answered and has been idle for a moment; if the server itself
// changes the page, it first cancels every wait.
//
// The next picture of a study waits, at most a second, while the pointer moves or has
// just stopped, so that the visitor's next action is answered first.
const AGAIN = 5000;
const ANSWER = 1000;
const STILL = 400;
const LOOK = 20;
const HAND = 300;
const MOST = 1000;
const waiting = new WeakMap();
const app = document.querySelector("[data-test-script-state]");
let leaving = false;
let moved = 0;
let ended = 0;
let acted = -MOST;

function clicked() {
  leaving = true;
  moved = performance.now() + ANSWER - STILL;
}

function held() {
  const drawing = (app?.dataset.testScriptState ?? "notRunning") !== "notRunning";
  const now = performance.now();
  if (drawing) moved = now;
  else if (now - moved >= STILL) leaving = false;
  return drawing || leaving;
}

function acts() {
  acted = performance.now();
}

addEventListener("pointermove", acts, true);
addEventListener("keydown", acts, true);
addEventListener("click", clicked, true);
addEventListener("popstate", clicked, true);

// Waits until a path of the server has news or, without such a path, for some time.
async function arrived(path, seconds, signal) {
  const from = new URL(path.slice(1), document.baseURI);
  try {
    while (!(await (await fetch(from, { signal })).json()).news);
  } catch {
    await new Promise((resolve) => setTimeout(resolve, seconds));
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  if (data.after === null) {
    ended = data.number;
    return;
  }
  const known = waiting.get(parentElement);
  if (known?.number !== data.number) {
    known?.abort.abort();
    const mine = { number: data.number, abort: new AbortController() };
    const over = () => mine.abort.signal.aborted || data.number <= ended;
    let due;
    const call = () => {
      if (!parentElement.isConnected || over()) return;
      const now = performance.now();
      due ??= now;
      const hand = data.news && now - due < MOST && now - acted < HAND;
      const wait = document.hidden || held() || hand;
      if (!wait) setTriggerValue("due", data.number);
      setTimeout(call, wait ? LOOK : AGAIN);
    };
    const ask = async () => {
      if (document.hidden) setTimeout(ask, LOOK);
      else if (!over()) {
        if (data.news) await arrived(data.news, data.after, mine.abort.signal);
        call();
      }
    };
    setTimeout(ask, data.news ? 0 : data.after);
    waiting.set(parentElement, mine);
  }
  return () => {
    if (!parentElement.isConnected) waiting.get(parentElement)?.abort.abort();
  };
}
