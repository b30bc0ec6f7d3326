"""RankScope's own model file; see `rankcore.models`."""

from typing import TYPE_CHECKING, ClassVar

from rankcore.exports._format import ExportFormat

if TYPE_CHECKING:
    from rankcore.algorithms._ranker import LinearRanker


class ModelJson(ExportFormat):
    """Everything about the model: settings, coefficients, data, measures, versions."""

    name: ClassVar[str] = "json"
    title: ClassVar[str] = "RankScope model"
    use: ClassVar[str] = "Read it with `rankscope evaluate` or `rankcore.load_model`."
    holds_scaling: ClassVar[bool] = True

    def write(self, model: "LinearRanker", name: str) -> str:
        from rankcore.models import model_to_json

        return model_to_json(model)
