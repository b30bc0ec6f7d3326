// Shows a picture in place of the first figure as soon as the page has it, and starts
// Plotly, which blocks the page, once the picture is on the screen. If the visitor
// changes a setting meanwhile, the picture changes.
const LONGEST = 10000;
const places = document.getElementsByClassName("st-key-still_picture");
const observer = new MutationObserver(show);
let sent, picture;

observer.observe(document.documentElement, { childList: true, subtree: true });
setTimeout(() => observer.disconnect(), LONGEST);
// Elements that already exist are ignored.
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
  // Only two-dimensional figures have pictures.
  load([]);
}
