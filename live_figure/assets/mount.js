// Sent along with every frame, so it is short. A component that is given by its path
// instead would wait for its script to load again before every frame.
// All calls wait for one promise, so that none overtakes the one before; a script that
// does not load is asked for again by the next frame.
let live;

export default async function (component) {
  const { href } = component.parentElement.querySelector("link");
  const load = () => import(new URL("live.js", href));
  // A request may fail once.
  live ??= load().catch(load).catch((error) => {
    live = undefined;
    throw error;
  });
  return (await live).default(component);
}
