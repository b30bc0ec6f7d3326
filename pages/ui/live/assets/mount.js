// Sent along with every frame, so it is short. A component that is given by its path
// instead would wait for its script to load again before every frame.
let live;

export default async function (component) {
  const { href } = component.parentElement.querySelector("link");
  live ??= await import(new URL("live.js", href));
  return live.default(component);
}
