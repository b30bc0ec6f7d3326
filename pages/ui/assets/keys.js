// Shortcuts, wherever the focus is, except in text fields; "?" lists them. They belong
// to the visible buttons, which Streamlit marks with their keys. Streamlit handles them
// itself unless a slider or a checkbox has the focus.
const TYPED = `textarea, select, [contenteditable=true], input:not([type=range],
  [type=radio], [type=checkbox], [type=button], [type=submit])`;
const FOCUSABLE = `a[href], button:enabled, input:enabled, textarea:enabled, summary,
  [tabindex="0"]`;

// A visitor's action makes at most one entry in the browser's history. The link that a
// page writes once it is open, and those written during playback, replace the present
// entry, as Back would otherwise lead to links that were never shown.
const ACTS = ["pointerdown", "click", "keydown", "change", "drop"];

function keepOneEntryAnAct() {
  if (Object.hasOwn(history, "pushState")) return;
  let acted = false;
  for (const act of ACTS) addEventListener(act, () => (acted = true), true);
  history.pushState = (...entry) => {
    const add = acted ? History.prototype.pushState : History.prototype.replaceState;
    acted = false;
    add.apply(history, entry);
  };
}

keepOneEntryAnAct();

// The server draws figures in the colours of the theme. If the operating system changes
// the theme, the server redraws them.
let background;

function followTheme(place, setTriggerValue) {
  const now = getComputedStyle(place).getPropertyValue("--st-background-color");
  if (background && background !== now) setTriggerValue("theme", now);
  background = now;
}

function inSight(place, selector) {
  const found = [...place.querySelectorAll(selector)];
  return found.filter((element) => element.checkVisibility());
}

function shortcuts() {
  return inSight(document, "button:has(kbd)").map((button) => {
    const key = button.querySelector("kbd").textContent;
    const label = button.querySelector("[data-testid=stMarkdownContainer]");
    return { button, key, label: label.textContent };
  });
}

// Keys of movable points, which a figure handles while it has the focus.
const POINTS = [
  { key: "← →", label: "Choose a point of a figure that has the focus, or move it" },
  { key: "Enter", label: "Take the point, or place it" },
  { key: "Esc", label: "Put a point that is taken back" },
];

function list(dialog) {
  const points = document.querySelector(".rs-handles") ? POINTS : [];
  const rows = [...shortcuts(), ...points, { key: "?", label: "This list" }];
  dialog.querySelector("dl").replaceChildren(
    ...rows.flatMap(({ key, label }) =>
      [["dt", key], ["dd", label]].map(([name, text]) =>
        Object.assign(document.createElement(name), { textContent: text }))),
  );
  if (!dialog.open) dialog.showModal();
}

function press(event, dialog) {
  const [target] = event.composedPath();
  const held = event.ctrlKey || event.metaKey || event.altKey;
  if (held || event.repeat || dialog.open || target.closest?.(TYPED)) return;
  if (event.key === "?") list(dialog);
  const search = document.querySelector(".st-key-find input");
  if (event.key === "/" && search) {
    event.preventDefault();
    search.focus();
  }
  if (target.localName !== "input") return;
  const same = ({ key }) => key.toLowerCase() === event.key.toLowerCase();
  const found = shortcuts().find(same);
  if (!found) return;
  // The key would move the slider as well.
  event.preventDefault();
  found.button.click();
}

export default function ({ data, parentElement, setTriggerValue }) {
  const dialog = parentElement.querySelector("dialog");
  followTheme(dialog, setTriggerValue);
  const goTo = {
    list: () => list(dialog),
    settings: () => inSight(controls(), FOCUSABLE)[0]?.focus(),
    figures: () => {
      const figures = controls().closest("[data-testid=stColumn]").nextElementSibling;
      inSight(figures, FOCUSABLE)[0]?.focus();
    },
  };
  for (const button of parentElement.querySelectorAll("[data-to]")) {
    button.onclick = goTo[button.dataset.to];
    button.hidden = data.bare && button.onclick !== goTo.list;
  }
  const listen = (event) => press(event, dialog);
  document.addEventListener("keydown", listen);
  return () => document.removeEventListener("keydown", listen);
}

function controls() {
  return document.querySelector(".st-key-controls");
}
