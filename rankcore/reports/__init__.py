"""Results to take away: tables for papers, files of other programs, whole pages."""

from rankcore.reports.app import open_view
from rankcore.reports.tables import Cell, Column, ReportTable

__all__ = ["Cell", "Column", "ReportTable", "open_view"]
