// Puts the picture of the first figure in its place as soon as the page has it, and lets
// Plotly, whose start keeps the page busy, begin once the picture is on the screen.
const LONGEST = 10000;
const places = document.getElementsByClassName("st-key-still_picture");

const observer = new MutationObserver(() => {
  const text = places[0]?.querySelector('[data-testid="stText"]')?.textContent;
  if (!text) return;
  observer.disconnect();
  const { body } = new DOMParser().parseFromString(text, "text/html");
  places[0].parentElement.append(...body.children);
  requestAnimationFrame(() => setTimeout(begin));
});
observer.observe(document.documentElement, { childList: true, subtree: true });
setTimeout(() => observer.disconnect(), LONGEST);

async function begin() {
  const { load } = await import("./figure.js");
  // Only figures of the plane have pictures.
  load([]);
}
