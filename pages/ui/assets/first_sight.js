// Stored runs that draw themselves: curve, features and one ranking, at one
// iteration. The numbers are sent once; playing, scrubbing and choosing need no
// request.

const SVG = "http://www.w3.org/2000/svg";
const SECONDS = 6, LEVELS = 40, ZERO = "P".charCodeAt(0);
const CHART = { height: 240, left: 34, right: 150, narrow: 112, top: 14, bottom: 34 };
const BARS = { height: 84, middle: 46, reach: 34 };
const LIST = { width: 300, row: 25, chip: 21, left: 26, wide: 92, right: 208 };
const LABEL = 17;
const STILL = window.matchMedia("(prefers-reduced-motion: reduce)");

function element(name, attributes, parent, text) {
  const made = document.createElementNS(SVG, name);
  set(made, attributes);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

function set(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
}

const three = (thousandths) => (thousandths / 1000).toFixed(3);

// The data, decoded once.
function read(data) {
  const letters = data.query.documents.map((_, i) => String.fromCharCode(97 + i));
  const algorithms = data.algorithms.map((one) => ({
    ...one,
    runs: one.runs.map((run) => {
      const last = run.curve.length - 1;
      const frames = data.frames.filter((frame) => frame <= last);
      if (frames.at(-1) < last) frames.push(last);
      return { ...run, last, frames,
        bars: run.importances.map((row) =>
          Array.from(row, (c) => (c.charCodeAt(0) - ZERO) / LEVELS)),
        ranks: run.orders.map((order) => letters.map((c) => order.indexOf(c))) };
    }),
  }));
  const values = algorithms.flatMap((a) => a.runs.flatMap((run) => run.curve));
  return { ...data, algorithms, end: data.frames.at(-1), letters,
    low: Math.floor(Math.min(...values) / 100) * 100,
    high: Math.ceil(Math.max(...values) / 100) * 100 };
}

class Sight {
  constructor(root) {
    this.root = root;
    this.chosen = 0;
    this.at = STILL.matches ? Infinity : 0;
    this.playing = !STILL.matches;
  }

  // Draw this data, and keep the choices and the iteration.
  begin(data) {
    this.data = read(data);
    this.settings ??= this.data.algorithms.map((one) => one.first);
    this.at = Math.min(this.at, this.data.end);
    this.build();
    this.layOut();
    this.watch ??= new ResizeObserver(() => this.layOut());
    this.watch.disconnect();
    this.watch.observe(this.plot);
    this.play(this.playing);
    // From now on, changes of place are animated.
    requestAnimationFrame(() => this.root.classList.add("ready"));
  }

  get algorithm() { return this.data.algorithms[this.chosen]; }
  run(i = this.chosen) { return this.data.algorithms[i].runs[this.settings[i]]; }

  build() {
    const { measure, split, queries, data, seed, end, algorithms } = this.data;
    this.root.innerHTML = `
      <section class="left">
        <h2>Mean ${measure} of the ${queries} ${split} queries
          <small>stored runs on the data set ${data}, seed ${seed}</small></h2>
        <svg class="chart" role="img"></svg>
        <div class="bar">
          <button type="button"></button>
          <input class="scrub" type="range" min="0" max="${end}" step="1"
            aria-label="Iteration">
          <output></output>
        </div>
        <div class="choice">
          <fieldset><legend>Algorithm</legend></fieldset>
          <label><span></span>
            <input class="setting" type="range" min="0" step="1"><output></output></label>
        </div>
        <h2 class="features"><span></span> <small></small></h2>
        <svg class="bars" role="img"></svg>
        <p class="reason" aria-live="polite"></p>
      </section>
      <section class="right">
        <h2><span></span> <small></small></h2>
        <p class="heads"><span>predicted</span><span>ideal</span></p>
        <svg class="list" role="img"></svg>
        <p class="key"><span>relevance label</span></p>
      </section>`;
    const find = (selector) => this.root.querySelector(selector);
    this.plot = find(".chart");
    this.bars = find(".bars");
    this.button = find("button");
    this.scrub = find(".scrub");
    this.setting = find(".setting");
    algorithms.forEach((one, i) => this.offer(find("fieldset"), one, i));
    find(".key").prepend(...this.data.fills.map((fill, label) => {
      const box = document.createElement("b");
      box.textContent = label;
      box.style.background = fill;
      box.style.color = this.data.inks[label];
      return box;
    }));
    this.drawList(find(".list"));
    this.button.onclick = () => {
      if (!this.playing && this.at >= end) this.at = 0;
      this.play(!this.playing);
    };
    this.scrub.oninput = () => {
      this.at = Number(this.scrub.value);
      this.play(false);
    };
    this.setting.oninput = () => {
      this.settings[this.chosen] = Number(this.setting.value);
      this.show();
    };
  }

  offer(fieldset, { title, colour }, i) {
    const label = document.createElement("label");
    const input = Object.assign(document.createElement("input"),
      { type: "radio", name: "algorithm", checked: i === this.chosen });
    const name = document.createElement("span");
    name.textContent = title;
    label.style.setProperty("--run", colour);
    input.onchange = () => {
      this.chosen = i;
      this.layOut();
    };
    label.append(input, name);
    fieldset.append(label);
  }

  // Axes and empty marks, for the available width.
  layOut() {
    this.width = this.plot.clientWidth || 640;
    const { low, high, end, algorithms, features, causes } = this.data;
    const svg = this.plot;
    svg.replaceChildren();
    set(svg, { viewBox: `0 0 ${this.width} ${CHART.height}`, height: CHART.height });
    const right = this.width < 480 ? CHART.narrow : CHART.right;
    this.x = (i) => CHART.left + (i / end) * (this.width - CHART.left - right);
    this.y = (v) => CHART.top +
      ((high - v) / (high - low)) * (CHART.height - CHART.top - CHART.bottom);
    this.future = element("rect", { class: "future", y: this.y(high),
      height: this.y(low) - this.y(high) }, svg);
    for (let v = Math.ceil(low / 200) * 200; v <= high; v += 200) {
      element("line", { class: "grid", x1: this.x(0), x2: this.x(end), y1: this.y(v),
        y2: this.y(v) }, svg);
      element("text", { x: this.x(0) - 8, y: this.y(v) + 4, "text-anchor": "end" }, svg,
        (v / 1000).toFixed(1));
    }
    for (let i = 0; i <= end; i += 20)
      element("text", { x: this.x(i), y: CHART.height - 18, "text-anchor": "middle" },
        svg, i);
    element("text", { x: this.x(end / 2), y: CHART.height - 2, "text-anchor": "middle" },
      svg, "iteration");
    this.here = element("line", { class: "here", y1: this.y(high), y2: this.y(low) }, svg);
    const order = algorithms.map((_, i) => i).sort((i) => (i === this.chosen ? 1 : -1));
    this.lines = [];
    for (const i of order) {
      const strong = i === this.chosen ? "strong" : "faint";
      const { colour, ink } = algorithms[i];
      this.lines[i] = {
        rest: element("path", { class: `rest ${strong}`, stroke: colour }, svg),
        path: element("path", { class: `curve ${strong}`, stroke: colour }, svg),
        dot: element("circle", { r: i === this.chosen ? 4.5 : 3, fill: colour }, svg),
        name: element("text", { class: `name ${strong}`, style: `fill: ${ink}` }, svg),
      };
    }
    const bars = this.bars;
    bars.replaceChildren();
    const wide = bars.clientWidth || 640;
    set(bars, { viewBox: `0 0 ${wide} ${BARS.height}`, height: BARS.height });
    const slot = (wide - CHART.left) / features.length;
    const left = CHART.left, middle = BARS.middle;
    element("line", { class: "grid", x1: left, x2: wide, y1: middle, y2: middle }, bars);
    element("text", { x: left - 8, y: middle + 4, "text-anchor": "end" }, bars, "0");
    const parted = left + causes * slot;
    element("line", { class: "here", x1: parted, x2: parted, y1: 0, y2: BARS.height },
      bars);
    element("text", { x: parted - 6, y: 10, "text-anchor": "end" }, bars,
      wide > 500 ? `${causes} informative` : "signal");
    element("text", { x: parted + 6, y: 10 }, bars,
      wide > 500 ? `${features.length - causes} noise` : "noise");
    const { colour } = this.algorithm;
    this.columns = features.map((name, i) => {
      const x = left + (i + 0.5) * slot, width = Math.max(slot * 0.62, 2);
      const bar = element("rect", { x: x - width / 2, width, fill: colour }, bars);
      element("title", {}, bar, name);
      const gone = element("circle", { class: "gone", cx: x, cy: middle, r: 2.4 }, bars);
      element("title", {}, gone, `${name}: exactly zero`);
      return { bar, gone };
    });
    this.show();
  }

  drawList(svg) {
    const { query, fills, inks, letters } = this.data;
    set(svg, { viewBox: `0 0 ${LIST.width} ${letters.length * LIST.row}` });
    letters.forEach((_, rank) => element("text", { x: LIST.left - 8,
      y: this.middle(rank) + 4, "text-anchor": "end" }, svg, rank + 1));
    const order = (group) => query.labels.map((y, i) => i)
      .sort((a, b) => query.labels[a] - query.labels[b]).map(group);
    this.ties = [];
    this.chips = [];
    this.goals = [];
    const tie = (i) => (this.ties[i] = element("path",
      { class: query.labels[i] ? "tie relevant" : "tie",
        stroke: fills[query.labels[i]] }, svg));
    order(tie);
    const chip = (list, x) => (i) => {
      const label = query.labels[i];
      const made = element("g", { class: "chip" }, svg);
      element("rect", { width: LIST.wide, height: LIST.chip, rx: 4,
        y: (LIST.row - LIST.chip) / 2, fill: fills[label] }, made);
      element("text", { x: LIST.wide / 2, y: LIST.row / 2 + 4, "text-anchor": "middle",
        style: `fill: ${inks[label]}` }, made, `${query.documents[i]} · ${label}`);
      list[i] = { made, x };
    };
    order(chip(this.chips, LIST.left));
    order(chip(this.goals, LIST.right));
  }

  middle(rank) { return rank * LIST.row + LIST.row / 2; }

  play(on) {
    this.playing = on;
    this.button.className = on ? "pause" : "play";
    this.button.setAttribute("aria-label", on ? "Pause the stored run" :
      "Play the stored run");
    cancelAnimationFrame(this.request);
    let before;
    const step = (now) => {
      if (!this.root.isConnected) return;
      const gone = Math.min(now - (before ?? now), 100);
      before = now;
      // Slow at first, where most changes.
      const share = Math.sqrt(this.at / this.data.end) + gone / 1000 / SECONDS;
      this.at = this.data.end * Math.min(share, 1) ** 2;
      this.show();
      if (this.at < this.data.end) this.request = requestAnimationFrame(step);
      else this.play(false);
    };
    if (on) this.request = requestAnimationFrame(step);
    else this.show();
  }

  // Draw everything at the present iteration, with the present settings.
  show() {
    if (!this.lines) return;
    this.showCurves();
    this.showFeatures();
    this.showList();
    const { end } = this.data, whole = Math.floor(this.at);
    const find = (selector) => this.root.querySelector(selector);
    this.scrub.value = whole;
    find(".bar output").textContent = `iteration ${whole} of ${end}`;
    const { title, meaning, symbol, values, colour } = this.algorithm;
    const value = values[this.settings[this.chosen]];
    this.root.style.setProperty("--run", colour);
    set(this.setting, { max: values.length - 1, "aria-valuetext": `${symbol} = ${value}`,
      "aria-label": `${meaning} ${symbol} of ${title}` });
    this.setting.value = this.settings[this.chosen];
    find(".choice > label > span").textContent = `${meaning} ${symbol}`;
    find(".choice > label > output").textContent = value;
    const { last, reason } = this.run();
    const ended = `Ended at iteration ${last}. ${reason}`;
    const said = this.at < last ? "" : ended;
    if (find(".reason").textContent !== said) find(".reason").textContent = said;
    set(this.root, { "data-iteration": whole, "data-run": `${title} ${value}`,
      "data-playing": this.playing });
  }

  showCurves() {
    const { algorithms, end, split, data, measure } = this.data;
    const ends = algorithms.map((_, i) => this.value(i));
    algorithms.forEach(({ title }, i) => {
      const { curve, last } = this.run(i), { rest, path, dot, name } = this.lines[i];
      const until = Math.min(this.at, last), whole = Math.floor(until);
      const points = curve.slice(0, whole + 1).map((v, k) => `${this.x(k)} ${this.y(v)}`);
      const tip = `${this.x(until)} ${this.y(ends[i])}`;
      set(path, { d: `M${[...points, tip].join("L")}` });
      set(rest, { d: `M${tip}H${this.x(this.at)}` });
      set(dot, { cx: this.x(this.at), cy: this.y(ends[i]),
        "fill-opacity": this.at > last ? 0.35 : 1 });
      name.textContent = `${title} ${three(ends[i])}`;
      name.setAttribute("x", this.x(this.at) + 10);
    });
    // Labels are moved apart, in the order of their values.
    const order = algorithms.map((_, i) => i).sort((a, b) => ends[b] - ends[a]);
    const places = order.map((i) => this.y(ends[i]));
    for (let k = 1; k < places.length; k++)
      places[k] = Math.max(places[k], places[k - 1] + LABEL);
    const over = places.at(-1) - (CHART.height - CHART.bottom);
    for (let k = places.length - 1, most = places.at(-1) - Math.max(over, 0); k >= 0; k--) {
      places[k] = Math.min(places[k], most);
      most = places[k] - LABEL;
    }
    order.forEach((i, k) => this.lines[i].name.setAttribute("y", places[k] + 4));
    const x = this.x(this.at);
    set(this.here, { x1: x, x2: x });
    set(this.future, { x, width: Math.max(this.x(end) - x, 0) });
    const each = algorithms.map(({ title, symbol, values }, i) =>
      `${title} (${symbol} = ${values[this.settings[i]]}) ${three(ends[i])}`);
    this.plot.setAttribute("aria-label", `Mean ${measure} of the ${split} queries of ` +
      `${data} at iteration ${Math.floor(this.at)} of ${end}: ${each.join(", ")}.`);
  }

  // The measure of an algorithm at the present iteration, in thousandths.
  value(i) {
    const { curve, last } = this.run(i), at = Math.min(this.at, last);
    const k = Math.floor(at), next = Math.min(k + 1, last);
    return curve[k] + (curve[next] - curve[k]) * (at - k);
  }

  // The shown stored frame, the next one, and the position between them.
  frame() {
    const { frames } = this.run();
    const k = frames.findLastIndex((frame) => frame <= this.at);
    const next = Math.min(k + 1, frames.length - 1), gap = frames[next] - frames[k];
    return [k, next, gap ? (this.at - frames[k]) / gap : 0];
  }

  showFeatures() {
    const { bars } = this.run(), [k, next, share] = this.frame();
    const { title } = this.algorithm, all = this.columns.length;
    this.columns.forEach(({ bar, gone }, i) => {
      const from = bars[k][i], zero = from === 0;
      const value = zero ? 0 : from + (bars[next][i] - from) * share;
      const high = Math.max(Math.abs(value) * BARS.reach, 0.6);
      set(bar, { y: value > 0 ? BARS.middle - high : BARS.middle, height: high,
        visibility: zero ? "hidden" : "visible" });
      gone.setAttribute("visibility", zero ? "visible" : "hidden");
    });
    const kept = bars[k].filter((value) => value !== 0).length;
    const said = kept < all ? `${kept} of ${all} features kept; hollow: exactly zero` :
      `all ${all} features in use`;
    this.root.querySelector(".features span").textContent = `Importance of features in ${title}`;
    this.root.querySelector(".features small").textContent = said;
    this.bars.setAttribute("aria-label", `Importance of features in ${title}: ${said}.`);
    this.root.dataset.kept = kept;
  }

  showList() {
    const run = this.run(), [k] = this.frame(), { query, measure } = this.data;
    const ranks = run.ranks[k];
    const byRank = ranks.map((_, i) => i).sort((a, b) => ranks[a] - ranks[b]);
    // Documents with equal labels keep the model's order, so only relevant changes
    // move.
    const goals = [...byRank].sort((a, b) => query.labels[b] - query.labels[a]);
    byRank.forEach((i, rank) => {
      const goal = goals.indexOf(i);
      const tie = this.tie(rank, goal);
      this.place(this.chips[i], rank);
      this.place(this.goals[i], goal);
      this.ties[i].setAttribute("d", tie);
      this.ties[i].style.setProperty("d", `path("${tie}")`);
    });
    const value = three(run.values[k]), of = ranks.length;
    const [first, ...rest] = query.name;
    this.root.querySelector(".right h2 span").textContent =
      `${first.toUpperCase()}${rest.join("")} under ${this.algorithm.title}`;
    this.root.querySelector(".right small").textContent = `${measure} ${value} · ${of} of ` +
      `its ${query.of} documents`;
    this.root.querySelector(".list").setAttribute("aria-label", `${of} documents of ` +
      `${query.name} in the order of ${this.algorithm.title}, ${measure} ${value}: ` +
      byRank.map((i) => `${query.documents[i]} label ${query.labels[i]}`).join(", ") + ".");
    this.root.dataset.order = run.orders[k];
  }

  place({ made, x }, rank) {
    made.style.transform = `translate(${x}px, ${rank * LIST.row}px)`;
  }

  tie(from, to) {
    const start = LIST.left + LIST.wide, half = (start + LIST.right) / 2;
    const [a, b] = [this.middle(from), this.middle(to)];
    return `M${start} ${a} C${half} ${a} ${half} ${b} ${LIST.right} ${b}`;
  }
}

const drawn = new WeakMap();

export default function ({ parentElement, data }) {
  const text = JSON.stringify(data);
  let known = drawn.get(parentElement);
  if (known?.text === text) return;
  if (!known) {
    const root = document.createElement("div");
    root.className = "sight";
    parentElement.append(root);
    known = { sight: new Sight(root) };
    drawn.set(parentElement, known);
  }
  known.text = text;
  known.sight.begin(data);
}
