// Saves the figure that the page draws under a key, as Plotly draws it.
export default function ({ data: { figure, name }, parentElement }) {
  for (const button of parentElement.querySelectorAll("button")) {
    const format = button.value;
    const scale = format === "png" ? 2 : 1;
    button.onclick = async () => {
      const node = await drawn(`.st-key-${figure} .js-plotly-plot`);
      const link = document.createElement("a");
      link.href = await window.Plotly.toImage(node, { format, scale });
      link.download = `${name}.${format}`;
      // A click elsewhere on the page, as Plotly's own would be, closes the popover.
      parentElement.append(link);
      link.click();
      link.remove();
    };
  }
}

// The figure, as soon as it is drawn: the button may be pressed before that.
async function drawn(place) {
  for (;;) {
    const node = document.querySelector(place);
    if (node && window.Plotly) return node;
    await new Promise((resume) => setTimeout(resume, 50));
  }
}
