"""Controls of background work: the panels of a training run and of a study."""
