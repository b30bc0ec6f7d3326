"""Readers of files and tables into :class:`rankcore.RankingDataset`."""

from rankcore.data.formats import in_utf8
from rankcore.data.formats.feature_log import read_feature_log
from rankcore.data.formats.letor import read_letor
from rankcore.data.formats.parts.columns import FILLINGS, NO_HEADER
from rankcore.data.formats.parts.first_rows import FirstRows
from rankcore.data.formats.parts.labels import Labels
from rankcore.data.formats.parts.repairs import WORDS, Note, noted
from rankcore.data.formats.parts.source import Limits, limits_of_machine
from rankcore.data.formats.parts.table import read_table
from rankcore.data.judgements import read_judgements, read_judgments
from rankcore.data.readers.division import (
    ByColumn,
    Division,
    Fold,
    Shares,
    parse_division,
)
from rankcore.data.readers.folds import Splits, load_fold, load_folds, read
from rankcore.data.readers.preview import (
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
    "read_judgments",
    "read_letor",
    "read_table",
    "reading_options",
]
