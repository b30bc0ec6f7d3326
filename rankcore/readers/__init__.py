"""Readers: files and tables to :class:`rankcore.RankingDataset`."""

from rankcore.readers._source import Limits
from rankcore.readers.letor import read_letor

__all__ = ["Limits", "read_letor"]
