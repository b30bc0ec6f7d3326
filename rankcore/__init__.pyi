# ruff: noqa: I001, RUF022
"""Public names for type checkers and editors; `make stub` writes them."""

from rankcore import algorithms as algorithms
from rankcore import base as base
from rankcore import compute as compute
from rankcore import data as data
from rankcore import mathematics as mathematics
from rankcore import measures as measures
from rankcore import plot as plot
from rankcore import reports as reports
from rankcore import studies as studies
from rankcore import topics as topics
from rankcore import training as training
from rankcore import views as views
from rankcore.algorithms import get_algorithm as get_algorithm
from rankcore.algorithms import LinearRanker as LinearRanker
from rankcore.algorithms import list_algorithms as list_algorithms
from rankcore.algorithms import Ranker as Ranker
from rankcore.algorithms import Step as Step
from rankcore.algorithms import Steps as Steps
from rankcore.algorithms.adarank import AdaRank as AdaRank
from rankcore.algorithms.approx_ap import ApproxAP as ApproxAP
from rankcore.algorithms.approx_err import ApproxERR as ApproxERR
from rankcore.algorithms.approx_ndcg import ApproxNDCG as ApproxNDCG
from rankcore.algorithms.approx_precision import ApproxPrecision as ApproxPrecision
from rankcore.algorithms.approx_rr import ApproxRR as ApproxRR
from rankcore.algorithms.cone_rank import ConeRank as ConeRank
from rankcore.algorithms.coordinate_ascent import CoordinateAscent as CoordinateAscent
from rankcore.algorithms.dorm import DORM as DORM
from rankcore.algorithms.fenchel_rank import FenchelRank as FenchelRank
from rankcore.algorithms.lambda_rank import LambdaRank as LambdaRank
from rankcore.algorithms.least_squares import LeastSquares as LeastSquares
from rankcore.algorithms.lightgbm import LightGBM as LightGBM
from rankcore.algorithms.list_mle import ListMLE as ListMLE
from rankcore.algorithms.list_net import ListNet as ListNet
from rankcore.algorithms.mcrank import McRank as McRank
from rankcore.algorithms.rank_net import RankNet as RankNet
from rankcore.algorithms.rank_svm import RankSVM as RankSVM
from rankcore.algorithms.rankboost import RankBoost as RankBoost
from rankcore.algorithms.rsrank import RSRank as RSRank
from rankcore.algorithms.single_feature import SingleFeature as SingleFeature
from rankcore.algorithms.soft_rank import SoftRank as SoftRank
from rankcore.algorithms.svm_auc import SVMAUC as SVMAUC
from rankcore.algorithms.svm_combo import SVMCombo as SVMCombo
from rankcore.algorithms.svm_map import SVMMAP as SVMMAP
from rankcore.algorithms.svm_mrr import SVMMRR as SVMMRR
from rankcore.algorithms.svm_ndcg import SVMNDCG as SVMNDCG
from rankcore.algorithms.xgboost import XGBoost as XGBoost
from rankcore.base.cancellation import cancel_point as cancel_point
from rankcore.base.errors import DataError as DataError
from rankcore.base.errors import DataWarning as DataWarning
from rankcore.base.errors import MissingQueryWarning as MissingQueryWarning
from rankcore.data.catalogue import list_datasets as list_datasets
from rankcore.data.catalogue import load_dataset as load_dataset
from rankcore.data.dataset import RankingDataset as RankingDataset
from rankcore.data.partitions import load_partitions as load_partitions
from rankcore.data.readers import load_folds as load_folds
from rankcore.data.readers import read_feature_log as read_feature_log
from rankcore.data.readers import read_letor as read_letor
from rankcore.data.readers import read_table as read_table
from rankcore.studies.exports import export as export
from rankcore.studies.extensions import register as register
from rankcore.studies.models import load_model as load_model
from rankcore.studies.models import save_model as save_model
from rankcore.training import drive as drive
from rankcore.training import History as History
from rankcore.training import Stop as Stop

__version__: str
__all__ = [
    "AdaRank",
    "ApproxAP",
    "ApproxERR",
    "ApproxNDCG",
    "ApproxPrecision",
    "ApproxRR",
    "ConeRank",
    "CoordinateAscent",
    "DORM",
    "DataError",
    "DataWarning",
    "FenchelRank",
    "History",
    "LambdaRank",
    "LeastSquares",
    "LightGBM",
    "LinearRanker",
    "ListMLE",
    "ListNet",
    "McRank",
    "MissingQueryWarning",
    "RSRank",
    "RankBoost",
    "RankNet",
    "RankSVM",
    "Ranker",
    "RankingDataset",
    "SVMAUC",
    "SVMCombo",
    "SVMMAP",
    "SVMMRR",
    "SVMNDCG",
    "SingleFeature",
    "SoftRank",
    "Step",
    "Steps",
    "Stop",
    "XGBoost",
    "cancel_point",
    "drive",
    "export",
    "get_algorithm",
    "list_algorithms",
    "list_datasets",
    "load_dataset",
    "load_folds",
    "load_model",
    "load_partitions",
    "measures",
    "read_feature_log",
    "read_letor",
    "read_table",
    "register",
    "save_model",
]
