// Loads what draws figures while the page is still being made: a page that names this
// script has it before the first figure comes. Plotly itself, whose start keeps the page
// busy, waits until the picture of the first figure is on the screen, or the figure there.
import { load } from "./figure.js";

const LONGEST = 10000;
const pictures = document.getElementsByClassName("rs-still");

const observer = new MutationObserver(() => {
  if (!pictures.length) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(load));
});
observer.observe(document.documentElement, { childList: true, subtree: true });
setTimeout(() => observer.disconnect(), LONGEST);
