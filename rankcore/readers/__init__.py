"""Readers: files and tables to :class:`rankcore.RankingDataset`."""
