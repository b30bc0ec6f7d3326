"""Exports of results: tables for papers, files for other programs, whole pages."""

from rankcore.reports.app import open_view
from rankcore.reports.tables import Column, MarkedValue, ReportTable

__all__ = ["Column", "MarkedValue", "ReportTable", "open_view"]
