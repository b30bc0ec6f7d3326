// The model's order of one query as a column of chips, the ideal order beside it, lines
// between. Texts come from data and are only ever set as text.

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 256;
const ROW = 27;
const CHIP = 21;
const LEFT = { x: 22, width: 88 };
const RIGHT = { x: 172, width: 84 };

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
  view.layers = { numbers: layer("numbers"), lines: layer("lines"), chips: layer("chips") };
  view.parts = new Map();
}

export function drawRanking(view, content) {
  if (!view.svg) start(view);
  const { rows, documents } = content;
  view.svg.setAttribute("viewBox", `0 0 ${WIDTH} ${rows * ROW}`);
  drawNumbers(view.layers.numbers, rows, content.note);
  const wanted = new Set();
  const part = (key, draw) => {
    wanted.add(key);
    const known = view.parts.get(key);
    view.parts.set(key, draw(known));
  };
  for (const document of documents) {
    part(`${document.id}/line`, (known) => drawLine(view, known, document, content));
    if (document.model < rows) {
      const text = `${document.short} · ${document.label}`;
      part(`${document.id}/model`, (known) =>
        drawChip(view, known, document, LEFT, document.model, text));
    }
    if (document.ideal < rows) {
      part(`${document.id}/ideal`, (known) =>
        drawChip(view, known, document, RIGHT, document.ideal, document.short));
    }
  }
  for (const [key, element] of view.parts) {
    if (!wanted.has(key)) {
      element.remove();
      view.parts.delete(key);
    }
  }
  view.node.dataset.order = documents
    .filter((document) => document.model < rows)
    .map((document) => document.id)
    .join(" ");
  view.node.dataset.frames = 1 + Number(view.node.dataset.frames);
}

function drawNumbers(layer, rows, colour) {
  while (layer.childElementCount > rows) layer.lastChild.remove();
  for (let row = layer.childElementCount; row < rows; row++) {
    const place = { x: LEFT.x - 6, y: row * ROW + 14, "text-anchor": "end" };
    make("text", place, layer).textContent = row + 1;
  }
  layer.setAttribute("fill", colour);
}

function drawChip(view, known, document, column, row, text) {
  const chip = known ?? make("g", {}, view.layers.chips);
  if (!known) {
    make("title", {}, chip);
    make("rect", { width: column.width, height: CHIP, rx: 4 }, chip);
    make("text", { x: column.width / 2, y: 14.5, "text-anchor": "middle" }, chip);
  }
  const [title, box, words] = chip.children;
  title.textContent = document.title;
  box.setAttribute("fill", document.colour);
  words.setAttribute("fill", document.ink);
  words.textContent = text;
  chip.style.transform = `translate(${column.x}px, ${row * ROW}px)`;
  return chip;
}

function drawLine(view, known, document, { rows, hairline }) {
  const line = known ?? make("path", { fill: "none" }, view.layers.lines);
  const middle = (row) => Math.min(row, rows + 0.5) * ROW + CHIP / 2;
  const from = LEFT.x + LEFT.width;
  const [a, b] = [middle(document.model), middle(document.ideal)];
  const bend = (from + RIGHT.x) / 2;
  line.setAttribute("d", `M${from} ${a}C${bend} ${a} ${bend} ${b} ${RIGHT.x} ${b}`);
  line.setAttribute("stroke", document.label > 0 ? document.colour : hairline);
  line.setAttribute("stroke-width", document.label > 0 ? 1.6 : 0.8);
  return line;
}
