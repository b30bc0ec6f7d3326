"use strict";
// Draws the figures of a report in the reader's theme, and again where the theme or a
// slider changes.
(async () => {
  if (!("DecompressionStream" in window)) {
    document.querySelector("header").append("The figures need a newer browser.");
    return;
  }
  async function unpacked(node) {
    const bytes = Uint8Array.from(atob(node.textContent), (c) => c.charCodeAt(0));
    const plain = new DecompressionStream("gzip");
    return new Response(new Blob([bytes]).stream().pipeThrough(plain)).text();
  }

  const { arrays, parts, tables } = JSON.parse(await unpacked(document.getElementById("data")));
  const library = document.getElementById("plotly");
  if (library) {
    const script = document.createElement("script");
    script.textContent = await unpacked(library);
    document.head.append(script);
  }
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const config = { displaylogo: false, responsive: true, scrollZoom: false,
    modeBarButtonsToRemove: ["select2d", "lasso2d"] };

  // A figure's description, each array in place of its name.
  function whole(value) {
    if (Array.isArray(value)) return value.map(whole);
    if (value === null || typeof value !== "object") return value;
    if ("shared" in value) return whole(arrays[value.shared]);
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, whole(v)]));
  }

  // A figure with one scale for all axes is no higher than it can be wide.
  function fit(layout, node) {
    const { height, margin, scene, xaxis, yaxis } = layout;
    if (!(scene ?? xaxis?.scaleanchor ?? yaxis?.scaleanchor) || !margin) return layout;
    const most = node.clientWidth - margin.l - margin.r + margin.t + margin.b;
    return { ...layout, height: Math.min(height, most) };
  }

  async function draw(node, figure) {
    const { data, layout } = figure[dark.matches ? "dark" : "light"];
    node.setAttribute("aria-label", figure.alt);
    const shown = fit(whole(layout), node);
    if (still.matches) delete shown.transition;
    node.style.height = `${shown.height ?? 400}px`;
    await Plotly.react(node, whole(data), { ...shown, uirevision: "kept" }, config);
    node.dataset.drawn = dark.matches ? "dark" : "light";
  }

  function show(section, part, scene) {
    const stage = section.querySelector(".stage");
    if (part.shown !== scene) {
      // Figures stay, so that their zoom does.
      const kept = new Map([...stage.querySelectorAll(".plot")]
        .map((node) => [node.dataset.key, node]));
      stage.innerHTML = scene.html;
      for (const node of stage.querySelectorAll(".plot")) {
        const before = kept.get(node.dataset.key);
        if (before) node.replaceWith(before);
      }
    }
    part.shown = scene;
    for (const node of stage.querySelectorAll(".plot")) {
      const figure = scene.figures[node.dataset.key];
      if (figure) draw(node, figure);
    }
  }

  // Components have a style of their own, which ends at the shadow root.
  for (const node of document.querySelectorAll(".component")) {
    const component = window.components?.[node.dataset.kind];
    if (!component) continue;
    const root = node.attachShadow({ mode: "open" });
    const style = document.createElement("style");
    style.textContent = component.style;
    root.append(style);
    component.draw({ parentElement: root, data: JSON.parse(node.dataset.data) });
  }

  for (const [key, part] of Object.entries(parts)) {
    const section = document.getElementById(key);
    const slider = section.querySelector(".slider input");
    const answer = part.answered && section.querySelector(".asked details");
    const states = () => answer?.open ? part.answered : part;
    const move = (at) => {
      const scene = states().scenes[at];
      if (slider) section.querySelector(".slider output").textContent = scene.label;
      show(section, part, scene);
    };
    const begin = () => {
      if (slider) slider.value = states().at;
      move(states().at);
    };
    if (slider) slider.oninput = () => move(Number(slider.value));
    if (answer) answer.ontoggle = begin;
    part.shown = part.scenes[part.at];
    begin();
    dark.addEventListener("change", () => show(section, part, part.shown));
  }
  // On paper nothing can be unfolded, and figures are less wide.
  const unfolded = [];
  function fitPaper(on) {
    document.body.classList.toggle("paper", on);
    for (const node of document.querySelectorAll(".plot[data-drawn]")) {
      Plotly.relayout(node, on ? { width: node.clientWidth } : { width: null, autosize: true });
    }
  }
  addEventListener("beforeprint", () => {
    for (const answer of document.querySelectorAll(".asked details:not([open])")) {
      unfolded.push(answer);
      answer.open = true;
      answer.ontoggle?.();
    }
    fitPaper(true);
  });
  addEventListener("afterprint", () => {
    for (const answer of unfolded.splice(0)) answer.open = false;
    fitPaper(false);
  });
  document.addEventListener("toggle", ({ target }) => {
    for (const node of target.querySelectorAll("[data-table]:empty")) {
      const { csv, html } = tables[node.dataset.table];
      node.innerHTML = html;
      const file = new Blob([csv], { type: "text/csv" });
      target.querySelector("a[download]").href = URL.createObjectURL(file);
    }
    // A figure that was folded away has its size only now.
    for (const node of target.querySelectorAll(".plot")) Plotly.Plots.resize(node);
  }, true);
})();
