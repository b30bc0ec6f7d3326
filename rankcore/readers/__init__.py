"""Readers: files and tables to :class:`rankcore.RankingDataset`."""

from rankcore.readers._source import Limits, limits_of_machine
from rankcore.readers.division import Division
from rankcore.readers.feature_log import read_feature_log
from rankcore.readers.folds import Splits, load_fold, load_folds, read
from rankcore.readers.judgements import read_judgements
from rankcore.readers.letor import read_letor
from rankcore.readers.table import detect_columns, read_table

__all__ = [
    "Division",
    "Limits",
    "Splits",
    "detect_columns",
    "limits_of_machine",
    "load_fold",
    "load_folds",
    "read",
    "read_feature_log",
    "read_judgements",
    "read_letor",
    "read_table",
]
