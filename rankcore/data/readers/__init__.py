"""Readers: files and tables to :class:`rankcore.RankingDataset`."""

from rankcore.data.readers._columns import FILLINGS, NO_HEADER
from rankcore.data.readers._labels import Labels
from rankcore.data.readers._repairs import WORDS, Note, noted
from rankcore.data.readers._source import Limits, in_utf8, limits_of_machine
from rankcore.data.readers.division import (
    ByColumn,
    Division,
    Fold,
    Shares,
    parse_division,
)
from rankcore.data.readers.feature_log import read_feature_log
from rankcore.data.readers.folds import Splits, load_fold, load_folds, read
from rankcore.data.readers.judgements import read_judgements
from rankcore.data.readers.letor import read_letor
from rankcore.data.readers.preview import (
    FirstRows,
    Preview,
    first_rows,
    preview_table,
    reading_options,
)
from rankcore.data.readers.problems import (
    Problems,
    find_judgement_problems,
    find_problems,
    format_lines,
    parse_lines,
)
from rankcore.data.readers.table import read_table

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
