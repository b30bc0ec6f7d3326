const SVG = "http://www.w3.org/2000/svg";
const ROW = 30, CHIP = 24, WIDE = 74, LEFT = 28, RIGHT = 190;
const PLOT = { width: 460, height: 220, left: 40, right: 12, top: 12, bottom: 38 };
const FLOOR = 0.4;

function element(name, attributes, parent, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

const x = (w) => PLOT.left + w * (PLOT.width - PLOT.left - PLOT.right);
const y = (v) =>
  PLOT.top + ((1 - v) / (1 - FLOOR)) * (PLOT.height - PLOT.top - PLOT.bottom);
const middle = (rank) => rank * ROW + ROW / 2;

function drawStairs(svg, pieces) {
  for (const v of [0.4, 0.6, 0.8, 1]) {
    element("line", { class: "grid", x1: x(0), x2: x(1), y1: y(v), y2: y(v) }, svg);
    element("text", { class: "tick", x: x(0) - 6, y: y(v) + 4, "text-anchor": "end" },
      svg, v.toFixed(1));
  }
  for (const w of [0, 0.25, 0.5, 0.75, 1])
    element("text", { class: "tick", x: x(w), y: PLOT.height - 20, "text-anchor":
      w === 1 ? "end" : "middle" }, svg, w === 0.25 || w === 0.75 ? w.toFixed(2) : w);
  element("text", { class: "tick", x: x(0.5), y: PLOT.height - 2, "text-anchor":
    "middle" }, svg, "weight of clicks");
  for (const piece of pieces)
    element("line", { class: "stair", x1: x(piece.start), x2: x(piece.end),
      y1: y(piece.ndcg), y2: y(piece.ndcg) }, svg);
  element("line", { class: "here", y1: PLOT.top, y2: y(FLOOR) }, svg);
  element("circle", { class: "here", r: 6 }, svg);
}

function chip(svg, doc, column, rank) {
  const group = element("g", { class: "chip" }, svg);
  element("rect", { x: column, y: (ROW - CHIP) / 2, width: WIDE, height: CHIP, rx: 5,
    fill: doc.fill }, group);
  element("text", { x: column + WIDE / 2, y: ROW / 2 + 4, "text-anchor": "middle",
    fill: doc.ink }, group, doc.name);
  group.style.transform = `translateY(${rank * ROW}px)`;
  return group;
}

function drawRanking(svg, { documents, ideal }) {
  documents.forEach((_, rank) => element("text", { class: "tick", x: 18,
    y: middle(rank) + 4, "text-anchor": "end" }, svg, rank + 1));
  const lines = documents.map((doc) => element("path",
    { class: doc.relevant ? "tie relevant" : "tie", stroke: doc.fill }, svg));
  const chips = documents.map((doc) => chip(svg, doc, LEFT, 0));
  ideal.forEach((i, rank) => chip(svg, documents[i], RIGHT, rank));
  return { lines, chips };
}

function tie(from, to) {
  const start = LEFT + WIDE, half = (start + RIGHT) / 2;
  const [a, b] = [middle(from), middle(to)];
  return `M${start} ${a} C${half} ${a} ${half} ${b} ${RIGHT} ${b}`;
}

function build(root, data) {
  root.innerHTML = `
    <div class="plot">
      <p class="value"><strong></strong> <span></span></p>
      <svg viewBox="0 0 ${PLOT.width} ${PLOT.height}" role="img"></svg>
      <label>Weight of clicks against matching words
        <input type="range" min="0" max="1" step="0.005"></label>
      <p class="note" aria-live="polite"></p>
    </div>
    <figure>
      <figcaption><span>model</span><span>ideal</span></figcaption>
      <svg viewBox="0 0 ${RIGHT + WIDE + 4} ${data.documents.length * ROW}"
        role="img"></svg>
    </figure>`;
  const [stairs, ranking] = root.querySelectorAll("svg");
  drawStairs(stairs, data.pieces);
  const { lines, chips } = drawRanking(ranking, data);
  const find = (selector) => root.querySelector(selector);
  const input = find("input");

  function show() {
    const w = Number(input.value);
    const piece = data.pieces.find((p) => w <= p.end) ?? data.pieces.at(-1);
    const value = piece.ndcg.toFixed(3);
    find("strong").textContent = value;
    find(".value span").textContent = data.measure;
    find("line.here").setAttribute("x1", x(w));
    find("line.here").setAttribute("x2", x(w));
    find("circle").setAttribute("cx", x(w));
    find("circle").setAttribute("cy", y(piece.ndcg));
    piece.order.forEach((i, rank) => {
      const to = data.ideal.indexOf(i);
      chips[i].style.transform = `translateY(${rank * ROW}px)`;
      lines[i].setAttribute("d", tie(rank, to));
      lines[i].style.setProperty("d", `path("${tie(rank, to)}")`);
    });
    find(".note").textContent =
      `From ${piece.start.toFixed(2)} to ${piece.end.toFixed(2)} the order stays the ` +
      "same: the slope is zero, and it says nothing about where to go.";
    input.setAttribute("aria-valuetext", `${w}, ${data.measure} ${value}`);
    stairs.setAttribute("aria-label", `${data.measure} is a staircase in the weight; ` +
      `at ${w} it is ${value}`);
    ranking.setAttribute("aria-label", "Order of the model: " +
      piece.order.map((i) => data.documents[i].name).join(", "));
  }
  input.value = data.start;
  input.addEventListener("input", show);
  show();
}

const drawn = new WeakMap();

export default function ({ parentElement, data }) {
  const seen = JSON.stringify(data);
  if (drawn.get(parentElement) === seen) return;
  drawn.set(parentElement, seen);
  let root = parentElement.querySelector(".toy");
  if (!root) {
    root = document.createElement("div");
    root.className = "toy";
    parentElement.append(root);
  }
  build(root, data);
}
