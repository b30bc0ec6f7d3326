// Calls the server back after some time, once for each new number.
const waiting = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  const known = waiting.get(parentElement);
  if (known?.number !== data.number) {
    clearTimeout(known?.timer);
    const call = () => setTriggerValue("due", data.number);
    const timer = setTimeout(call, data.after);
    waiting.set(parentElement, { number: data.number, timer });
  }
  return () => {
    if (!parentElement.isConnected) clearTimeout(waiting.get(parentElement)?.timer);
  };
}
