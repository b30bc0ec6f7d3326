// A list of documents: drag a chip, or move it with the arrow keys; 0 to 4 set a label.
const lists = new WeakMap();

function write(items) {
  return items.map((item) => item.name + item.label).join("-");
}

function build(list) {
  const { root, items, data } = list;
  const focused = root.contains(root.getRootNode().activeElement)
    ? root.getRootNode().activeElement.dataset.name : null;
  root.replaceChildren(...items.map((item, place) => {
    const row = document.createElement("li");
    row.tabIndex = 0;
    row.dataset.name = item.name;
    row.setAttribute("aria-label",
      `Document ${item.name}, label ${item.label}, rank ${place + 1} of ${items.length}`);
    row.style.background = data.fills[item.label];
    row.style.color = data.inks[item.label];
    const name = document.createElement("span");
    name.textContent = `${item.name} · ${item.label}`;
    const less = button("−", `Lower the label of ${item.name}`, () => label(list, item, -1));
    const more = button("+", `Raise the label of ${item.name}`, () => label(list, item, 1));
    // They float to the right, the first one outermost.
    row.append(name, more, less);
    return row;
  }));
  if (focused) root.querySelector(`[data-name="${focused}"]`)?.focus();
}

function button(text, title, press) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.title = title;
  made.setAttribute("aria-label", title);
  made.onclick = press;
  return made;
}

function label(list, item, by) {
  const last = list.data.fills.length - 1;
  item.label = Math.min(Math.max(item.label + by, 0), last);
  changed(list);
}

function move(list, from, to) {
  if (to < 0 || to >= list.items.length || from === to) return;
  list.items.splice(to, 0, ...list.items.splice(from, 1));
  changed(list);
}

function changed(list) {
  build(list);
  clearTimeout(list.timer);
  list.timer = setTimeout(() => {
    list.timer = null;
    list.asked.push(write(list.items));
    list.send("ranking", list.asked.at(-1));
  }, 60);
}

function listen(list) {
  const { root } = list;
  const placeOf = (name) => list.items.findIndex((item) => item.name === name);
  root.addEventListener("pointerdown", (event) => {
    const row = event.target.closest("li");
    if (!row || event.target.closest("button")) return;
    list.dragged = row.dataset.name;
    root.setPointerCapture(event.pointerId);
    row.focus();
  });
  root.addEventListener("pointermove", (event) => {
    if (!list.dragged) return;
    const rows = [...root.children].map((row) => row.getBoundingClientRect());
    const below = rows.filter((box) => event.clientY > box.top + box.height / 2).length;
    const from = placeOf(list.dragged);
    move(list, from, Math.min(below > from ? below - 1 : below, list.items.length - 1));
  });
  const drop = () => (list.dragged = null);
  root.addEventListener("pointerup", drop);
  root.addEventListener("pointercancel", drop);
  root.addEventListener("keydown", (event) => {
    const row = event.target.closest("li");
    if (!row) return;
    const place = placeOf(row.dataset.name);
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const grade = "01234".indexOf(event.key);
    if (step) move(list, place, place + step);
    else if (grade >= 0 && event.key.length === 1) label(list, list.items[place],
      grade - list.items[place].label);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

export default function ({ parentElement, data, setStateValue }) {
  let list = lists.get(parentElement);
  if (!list) {
    const root = document.createElement("ol");
    root.className = "documents";
    parentElement.append(root);
    list = { root, items: [], asked: [] };
    lists.set(parentElement, list);
    listen(list);
  }
  list.send = setStateValue;
  list.data = data;
  // An answer to an older state must not undo later moves. A value that is neither that
  // nor the previous state comes from elsewhere on the page, and is used.
  const answer = list.asked.indexOf(data.ranking);
  list.asked.splice(0, answer + 1);
  const older = list.asked.length && (answer >= 0 || data.ranking === list.shown);
  list.shown = data.ranking;
  if (list.dragged || list.timer || older) return;
  list.items = data.documents.map((one) => ({ ...one }));
  list.asked = [];
  build(list);
}
