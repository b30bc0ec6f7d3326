"""Conversion of rankings, judgements, measure names and models for other packages."""

from rankcore.studies.interop.onnx_models import to_onnx
from rankcore.studies.interop.rankings import (
    evaluate,
    measure_name,
    qrels,
    qrels_of,
    rerank,
    run,
    run_of,
    to_dict,
    to_frame,
)
from rankcore.studies.interop.trackers import mlflow_callback, wandb_callback

__all__ = [
    "evaluate",
    "measure_name",
    "mlflow_callback",
    "qrels",
    "qrels_of",
    "rerank",
    "run",
    "run_of",
    "to_dict",
    "to_frame",
    "to_onnx",
    "wandb_callback",
]
