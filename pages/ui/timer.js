// Calls the server back after some time, once for each new number; again later where
// nothing new has come, for a call gives way to what a visitor does at the same time.
const AGAIN = 5000;
const waiting = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  const known = waiting.get(parentElement);
  if (known?.number !== data.number) {
    clearTimeout(known?.timer);
    const mine = { number: data.number };
    const call = () => {
      if (!parentElement.isConnected || waiting.get(parentElement) !== mine) return;
      setTriggerValue("due", data.number);
      mine.timer = setTimeout(call, AGAIN);
    };
    mine.timer = setTimeout(call, data.after);
    waiting.set(parentElement, mine);
  }
  return () => {
    if (!parentElement.isConnected) clearTimeout(waiting.get(parentElement)?.timer);
  };
}
