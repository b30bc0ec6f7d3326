// The line about preparing the app, updated from a route of the server until the app is
// ready. Without the route, as in an app of another server, it is shown once.
const LOOK = 1000;

export default function ({ data, parentElement }) {
  const line = parentElement.querySelector("p");
  let timer;
  const look = async () => {
    const from = new URL(data.path.slice(1), document.baseURI);
    try {
      line.textContent = (await (await fetch(from)).json()).text;
    } catch {
      line.textContent = "";
    }
    if (line.textContent) timer = setTimeout(look, LOOK);
  };
  line.textContent = data.text;
  timer = setTimeout(look, LOOK);
  return () => clearTimeout(timer);
}
