// Sent along with every frame, so it is short. A component loaded by its path would
// instead load its script again before every frame. All calls wait for one promise, so
// that none overtakes its predecessor; the next frame requests a script again if
// loading failed.
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
