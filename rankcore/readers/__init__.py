"""Readers: files and tables to :class:`rankcore.RankingDataset`."""

from rankcore.readers._columns import FILLINGS, NO_HEADER
from rankcore.readers._labels import Labels
from rankcore.readers._repairs import WORDS, Note, noted
from rankcore.readers._source import Limits, in_utf8, limits_of_machine
from rankcore.readers.division import (
    ByColumn,
    Division,
    Fold,
    Shares,
    parse_division,
)
from rankcore.readers.feature_log import read_feature_log
from rankcore.readers.folds import Splits, load_fold, load_folds, read
from rankcore.readers.judgements import read_judgements
from rankcore.readers.letor import read_letor
from rankcore.readers.preview import (
    FirstRows,
    Preview,
    first_rows,
    preview_table,
    reading_options,
)
from rankcore.readers.problems import (
    Problems,
    find_judgement_problems,
    find_problems,
    format_lines,
    parse_lines,
)
from rankcore.readers.table import read_table

__all__ = [
    "FILLINGS",
    "NO_HEADER",
    "WORDS",
    "ByColumn",
    "Division",
    "FirstRows",
    "Fold",
    "Labels",
    "Limits",
    "Note",
    "Preview",
    "Problems",
    "Shares",
    "Splits",
    "find_judgement_problems",
    "find_problems",
    "first_rows",
    "format_lines",
    "in_utf8",
    "limits_of_machine",
    "load_fold",
    "load_folds",
    "noted",
    "parse_division",
    "parse_lines",
    "preview_table",
    "read",
    "read_feature_log",
    "read_judgements",
    "read_letor",
    "read_table",
    "reading_options",
]
