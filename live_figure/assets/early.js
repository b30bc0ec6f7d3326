// Puts the picture of the first figure in its place as soon as the page has it, and lets
// Plotly, whose start keeps the page busy, begin once the picture is on the screen. A
// visitor who changes a setting meanwhile sees the picture change.
const LONGEST = 10000;
const places = document.getElementsByClassName("st-key-still_picture");
const observer = new MutationObserver(show);
let sent, picture;

observer.observe(document.documentElement, { childList: true, subtree: true });
setTimeout(() => observer.disconnect(), LONGEST);
// What is there already changes nothing any more.
show();

function show() {
  const [place] = places;
  const text = place?.querySelector('[data-testid="stText"]')?.textContent;
  if (!text || text === sent) return;
  observer.disconnect();
  observer.observe(place, { characterData: true, childList: true, subtree: true });
  sent = text;
  picture?.remove();
  picture = new DOMParser().parseFromString(text, "text/html").body.firstElementChild;
  place.after(picture);
  requestAnimationFrame(() => setTimeout(begin));
}

async function begin() {
  const { load } = await import("./figure.js");
  // Only figures of the plane have pictures.
  load([]);
}
