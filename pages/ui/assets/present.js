// Tools of a presenter: a blank screen, a halo or a spotlight around the pointer, and
// notes in a second window, which follows every step and can change it.
const TYPED = `textarea, select, [contenteditable=true], input:not([type=range],
  [type=radio], [type=checkbox], [type=button], [type=submit])`;
const BUTTONS = {
  PageDown: "next", ArrowRight: "next", " ": "next",
  PageUp: "back", ArrowLeft: "back",
  a: "show_answer",
};
// Page Up and Page Down are shortcuts of the buttons.
const TURNS = { ArrowRight: "next", " ": "next", ArrowLeft: "back" };
// Elements that use the arrows and the space bar while they have the focus.
const ARROWS = `input, textarea, select, [contenteditable=true], [role=slider],
  [role=radio], [role=tab], [role=combobox], [role=listbox], [role=grid], .rs-live`;
const PRESSED = "button, a, summary, [role=button]";
const REST = 2500;
const CHANNEL = `rankscope notes ${Math.random().toString(36).slice(2)}`;
const kept = new WeakMap();
let address;

// The window has its own page, so it stays while this page changes.
function openNotes(root) {
  const page = root.querySelector("template").innerHTML.replace("CHANNEL", CHANNEL);
  address ??= URL.createObjectURL(
    new Blob(["<!doctype html>", page], { type: "text/html" }));
  window.open(address, "rankscope-notes", "popup,width=760,height=640");
}

function press(name) {
  document.querySelector(`.st-key-lesson_${name} button:enabled`)?.click();
}

function begin(root) {
  const find = (selector) => root.querySelector(selector);
  const blank = find(".blank"), halo = find(".halo");
  const channel = new BroadcastChannel(CHANNEL);
  const view = { told: null, channel };
  let timer;
  const turnBlank = (on) => {
    if (on !== blank.matches(":popover-open")) on ? blank.showPopover() : blank.hidePopover();
  };
  // The spotlight stays where the pointer rests; a halo disappears after a while.
  const turnSpot = (on) => {
    clearTimeout(timer);
    halo.classList.toggle("spot", on);
    if (on !== halo.matches(":popover-open")) on ? halo.showPopover() : halo.hidePopover();
  };
  const keys = (key) => {
    const dark = blank.matches(":popover-open");
    if (key === "b" || key === "B" || key === ".") turnBlank(!dark);
    else if (dark && key.length > 0) turnBlank(false);
    if (key === "n" || key === "N") openNotes(root);
    if (key === "s" || key === "S") turnSpot(!halo.classList.contains("spot"));
  };
  const listen = (event) => {
    const path = event.composedPath().filter((part) => part.matches);
    const held = event.ctrlKey || event.metaKey || event.altKey;
    if (held || event.repeat || path[0]?.closest(TYPED)) return;
    keys(event.key);
    const others = event.key === " " ? `${ARROWS}, ${PRESSED}` : ARROWS;
    if (!TURNS[event.key] || path.some((part) => part.matches(others))) return;
    event.preventDefault();
    press(TURNS[event.key]);
  };
  const point = ({ clientX, clientY, pointerType }) => {
    if (pointerType !== "mouse") return;
    if (!halo.matches(":popover-open")) halo.showPopover();
    halo.style.translate = `${clientX}px ${clientY}px`;
    clearTimeout(timer);
    if (!halo.classList.contains("spot")) timer = setTimeout(() => halo.hidePopover(), REST);
  };
  channel.onmessage = ({ data }) => {
    if (data.asks) channel.postMessage(view.told);
    if (!data.key) return;
    keys(data.key);
    const name = BUTTONS[data.key] ?? BUTTONS[data.key.toLowerCase()];
    if (name) press(name);
  };
  blank.onclick = () => turnBlank(false);
  find(".blank-it").onclick = () => turnBlank(true);
  find(".note-it").onclick = () => openNotes(root);
  find(".spot-it").onclick = () => turnSpot(!halo.classList.contains("spot"));
  for (const name of [".blank-it", ".spot-it", ".note-it"]) find(name).disabled = false;
  document.addEventListener("keydown", listen);
  document.addEventListener("pointermove", point);
  view.end = () => {
    clearTimeout(timer);
    document.removeEventListener("keydown", listen);
    document.removeEventListener("pointermove", point);
    channel.close();
  };
  kept.set(root, view);
  return view;
}

// Called at every step; tools in use are removed only with their element.
export default function ({ data, parentElement }) {
  const view = kept.get(parentElement) ?? begin(parentElement);
  view.told = data;
  view.channel.postMessage(data);
  return () => setTimeout(() => {
    if (parentElement.isConnected) return;
    view.end();
    kept.delete(parentElement);
  });
}
