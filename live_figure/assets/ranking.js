// Orders of one query's documents as columns of chips, with the ideal order last and
// lines between neighbours. Texts come from data and are only ever set as text.

import { join } from "./follow.js";

const SVG = "http://www.w3.org/2000/svg";
const LEFT = 22;
const STEP = 150;
const ROW = 27;
const CHIP = { width: 88, height: 21 };
const HEAD = 36;
const WIDEST = 180;
// Space beside the first column, for the forces.
const ROOM = 14;
const ARROW = "-4,9 4,9 0,-9";

function make(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, value);
  }
  parent.append(element);
  return element;
}

function start(view) {
  const svg = make("svg", { width: "100%" }, view.node);
  const layer = (name) => make("g", { class: name }, svg);
  view.svg = svg;
  view.layers = {
    numbers: layer("numbers"),
    heads: layer("heads"),
    lines: layer("lines"),
    chips: layer("chips"),
  };
  view.parts = new Map();
}

export function drawRanking(view, content) {
  view.follows = content.follows ? content : null;
  if (!content.follows) {
    draw(view, content);
    return;
  }
  join(view, content.follows, (state) => {
    if (view.follows) draw(view, ordered(view.follows, state ?? view.follows.at));
  });
  draw(view, ordered(content, content.at));
}

// The content with the documents of one of its rankings.
function ordered(content, asked) {
  const { documents, heads, orders, rows, values } = content;
  // A growing map may refer to a ranking that has not been sent yet.
  const state = asked in orders ? asked : content.at;
  const places = documents.map(() => [rows, rows]);
  orders[state].forEach((numbers, column) => numbers.forEach((number, row) => {
    places[number][column] = row;
  }));
  const shown = documents.map((document, number) => ({
    ...document,
    places: places[number],
    titles: places[number].map(() => `${document.id}: label ${document.label}`),
  }));
  return {
    ...content,
    heads: heads.map((head) => ({ ...head, value: values[state] })),
    documents: shown.filter((document) => Math.min(...document.places) < rows),
  };
}

function draw(view, content) {
  if (!view.svg) start(view);
  const { rows, columns, documents, heads } = content;
  const top = heads.length ? HEAD : 0;
  const left = LEFT + (documents.some(pushed) ? ROOM : 0);
  const place = { ...content, view, top, left };
  const width = left + (columns - 1) * STEP + CHIP.width;
  view.svg.setAttribute("viewBox", `0 0 ${width} ${top + rows * ROW}`);
  view.svg.style.maxWidth = `${columns * WIDEST}px`;
  view.node.setAttribute("role", content.clicks ? "group" : "img");
  drawNumbers(view.layers.numbers, place);
  drawHeads(view.layers.heads, place);
  const wanted = new Set();
  const part = (key, draw) => {
    wanted.add(key);
    view.parts.set(key, draw(view.parts.get(key)));
  };
  for (const document of documents) {
    document.places.forEach((row, column) => {
      if (column > 0) {
        part(`${document.id}/line ${column}`, (known) =>
          drawLine(known, document, column, place));
      }
      if (row < rows) {
        part(`${document.id}/${column}`, (known) => drawChip(known, document, column, place));
      }
    });
  }
  for (const [key, element] of view.parts) {
    if (!wanted.has(key)) {
      element.remove();
      view.parts.delete(key);
    }
  }
  view.node.dataset.order = documents
    .filter(({ places }) => places[0] < rows)
    .map(({ id }) => id)
    .join(" ");
  view.node.dataset.frames = 1 + Number(view.node.dataset.frames);
}

function pushed(document) {
  return document.force !== undefined;
}

function drawNumbers(layer, { rows, note, top }) {
  while (layer.childElementCount > rows) layer.lastChild.remove();
  for (let row = layer.childElementCount; row < rows; row++) {
    make("text", { x: LEFT - 6, "text-anchor": "end" }, layer).textContent = row + 1;
  }
  [...layer.children].forEach((text, row) => text.setAttribute("y", top + row * ROW + 14));
  layer.setAttribute("fill", note);
}

function drawHeads(layer, { heads, columns, note, left }) {
  const all = heads.length ? [...heads, { name: "ideal", value: "", colour: note }] : [];
  layer.replaceChildren();
  all.slice(0, columns).forEach(({ name, value, colour }, column) => {
    const middle = { x: left + column * STEP + CHIP.width / 2, "text-anchor": "middle" };
    const attributes = { ...middle, y: 12, fill: colour, "font-weight": 600 };
    make("text", attributes, layer).textContent = name;
    make("text", { ...middle, y: 27, fill: note }, layer).textContent = value;
  });
}

function drawChip(known, document, column, { view, top, left, columns, clicks, push }) {
  const chip = known ?? make("g", {}, view.layers.chips);
  if (!known) {
    make("title", {}, chip);
    make("rect", { ...CHIP, rx: 4 }, chip);
    make("text", { x: CHIP.width / 2, y: 14.5, "text-anchor": "middle" }, chip);
    if (clicks) listen(chip, view, document.id, column);
  }
  const [title, box, words] = chip.children;
  title.textContent = document.titles[column];
  box.setAttribute("fill", document.colour);
  words.setAttribute("fill", document.ink);
  const ideal = column === columns - 1;
  words.textContent = ideal ? document.short : `${document.short} · ${document.label}`;
  if (column === 0 && pushed(document)) drawForce(chip, document.force, push);
  else chip.querySelector("polygon")?.remove();
  const row = document.places[column];
  chip.style.transform = `translate(${left + column * STEP}px, ${top + row * ROW}px)`;
  return chip;
}

// A triangle beside the chip, as tall as the share of the largest force; down if negative.
function drawForce(chip, force, colour) {
  const arrow = chip.querySelector("polygon") ?? make("polygon", { points: ARROW }, chip);
  arrow.setAttribute("fill", colour);
  arrow.style.transform = `translate(${-ROOM / 2}px, ${CHIP.height / 2}px) scale(1, ${force})`;
}

function listen(chip, view, document, column) {
  chip.setAttribute("role", "button");
  chip.setAttribute("tabindex", "0");
  const tell = () => view.tell("clicked", { trace: document, point: column });
  chip.addEventListener("click", tell);
  chip.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    tell();
  });
}

function drawLine(known, document, column, { view, rows, top, left, hairline }) {
  const line = known ?? make("path", { fill: "none" }, view.layers.lines);
  const middle = (row) => top + Math.min(row, rows + 0.5) * ROW + CHIP.height / 2;
  const to = left + column * STEP;
  const from = to - STEP + CHIP.width;
  const [a, b] = [middle(document.places[column - 1]), middle(document.places[column])];
  const bend = (from + to) / 2;
  line.setAttribute("d", `M${from} ${a}C${bend} ${a} ${bend} ${b} ${to} ${b}`);
  line.setAttribute("stroke", document.label > 0 ? document.colour : hairline);
  line.setAttribute("stroke-width", document.label > 0 ? 1.6 : 0.8);
  return line;
}
