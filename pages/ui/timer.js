// Calls the server back after some time, once for each new number; again later where
// nothing new has come, for a call gives way to what a visitor does at the same time.
//
// A call names the page that the browser shows. One that reaches the server while it
// goes on to another page would bring the old one back, empty. So after a click a call
// waits until the server has answered and has then been still for a moment, and where
// the server itself goes on to another page, it ends every wait before it does.
const AGAIN = 5000;
const ANSWER = 1000;
const STILL = 400;
const LOOK = 20;
const waiting = new WeakMap();
const app = document.querySelector("[data-test-script-state]");
let leaving = false;
let moved = 0;
let ended = 0;

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

addEventListener("click", clicked, true);
addEventListener("popstate", clicked, true);

export default function ({ data, parentElement, setTriggerValue }) {
  if (data.after === null) {
    ended = data.number;
    return;
  }
  const known = waiting.get(parentElement);
  if (known?.number !== data.number) {
    clearTimeout(known?.timer);
    const mine = { number: data.number };
    const call = () => {
      if (!parentElement.isConnected || waiting.get(parentElement) !== mine) return;
      if (data.number <= ended) return;
      const wait = held();
      if (!wait) setTriggerValue("due", data.number);
      mine.timer = setTimeout(call, wait ? LOOK : AGAIN);
    };
    mine.timer = setTimeout(call, data.after);
    waiting.set(parentElement, mine);
  }
  return () => {
    if (!parentElement.isConnected) clearTimeout(waiting.get(parentElement)?.timer);
  };
}
