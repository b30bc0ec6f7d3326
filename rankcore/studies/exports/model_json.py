"""RankScope's own model file; see `rankcore.studies.model_file`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankcore.studies.exports._format import ExportFormat

if TYPE_CHECKING:
    import numpy as np

    from rankcore.algorithms import Ranker


class ModelJson(ExportFormat):
    """The complete model: settings, coefficients, data, measures, versions."""

    name = "json"
    title = "RankScope model"
    use = "Read it with `rankscope evaluate` or `rankcore.load_model`."
    holds_scaling = True
    holds_trees = True

    def check(self, model: "Ranker", scaled_input: bool = False) -> None:
        """Check that the model is fitted; the file contains its scaling."""
        from rankcore.studies.model_file import fitted

        fitted(model)

    def features(self, model: "Ranker") -> Sequence[int]:
        """Return all features: the file is the whole model."""
        return range(len(model.provenance_.feature_names))

    def scores(self, model: "Ranker", X: "np.ndarray") -> "np.ndarray":
        """Return the scores (n,) of the model itself."""
        return model.scores(X, model.parameters_)

    def write(self, model: "Ranker", name: str) -> str:
        from rankcore.studies.model_file import model_to_json

        return model_to_json(model)
