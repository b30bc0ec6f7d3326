"""Training and races: curves, bands, verdicts."""
