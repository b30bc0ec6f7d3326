"""An example of an export."""

from rankcore import LinearRanker
from rankcore.studies.exports import ExportFormat


class MarkdownTable(ExportFormat):
    """One row per feature that the model uses, by descending coefficient."""

    name = "markdown"
    title = "Markdown table of coefficients"
    use = "Paste it into a page that is written in Markdown."
    ending = ".md"
    mime = "text/markdown"
    holds_scaling = True

    def write_linear(self, model: LinearRanker, name: str) -> str:
        names, weights = model.provenance_.feature_names, model.coef_.tolist()
        used = [pair for pair in zip(names, weights, strict=True) if pair[1]]
        used.sort(key=lambda pair: -abs(pair[1]))
        rows = [f"| {feature} | {weight:.4g} |" for feature, weight in used]
        return "\n".join(["| feature | coefficient |", "|---|---|", *rows, ""])
