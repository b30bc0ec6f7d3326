// Saves the picture with a key on the page: a figure drawn by Plotly, or a ranking as
// displayed.
const RESOLUTION = { png: 2, svg: 1 };

export default function ({ data: { figure, name }, parentElement }) {
  for (const button of parentElement.querySelectorAll("button")) {
    const format = button.value;
    button.onclick = async () => {
      const node = await drawn(figure);
      const saved = node.matches("svg") ? saveRanking : saveFigure;
      const link = document.createElement("a");
      link.href = await saved(node, format);
      link.download = `${name}.${format}`;
      // A click elsewhere on the page, such as Plotly's own, closes the popover.
      parentElement.append(link);
      link.click();
      link.remove();
    };
    button.disabled = false;
  }
}

// Resolves to the picture once it is drawn, as the button may be pressed earlier.
async function drawn(figure) {
  for (;;) {
    const place = `.st-key-${figure}`;
    const node = document.querySelector(
      `${place} .rs-live-ranking > svg, ${place} .js-plotly-plot`);
    if (node && (node.matches("svg") || window.Plotly)) return node;
    await new Promise((resume) => setTimeout(resume, 50));
  }
}

function saveFigure(node, format) {
  return window.Plotly.toImage(node, { format, scale: RESOLUTION[format] });
}

async function saveRanking(svg, format) {
  const { width, height } = svg.viewBox.baseVal;
  const address = `data:image/svg+xml,${encodeURIComponent(alone(svg, width, height))}`;
  if (format === "svg") return address;
  const image = new Image();
  // Its decode() waits for a frame, which a hidden page may not draw.
  await new Promise((resolve, reject) => {
    Object.assign(image, { onload: resolve, onerror: reject, src: address });
  });
  const canvas = document.createElement("canvas");
  canvas.width = width * RESOLUTION[format];
  canvas.height = height * RESOLUTION[format];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL(`image/${format}`);
}

// The ranking as a file: the page's styles are copied into it, and every chip is at its
// final place, even during an animation.
function alone(svg, width, height) {
  const { fontFamily, fontSize } = getComputedStyle(svg);
  const copy = svg.cloneNode(true);
  for (const chip of copy.querySelectorAll(".chips > g")) {
    chip.setAttribute("transform", chip.style.transform.replaceAll("px", ""));
    chip.removeAttribute("style");
  }
  copy.removeAttribute("style");
  const own = { width, height, "font-family": fontFamily, "font-size": fontSize };
  Object.entries(own).forEach(([key, value]) => copy.setAttribute(key, value));
  return new XMLSerializer().serializeToString(copy);
}
