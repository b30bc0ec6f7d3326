"""What steers work: the panels of a training run and of a study."""
