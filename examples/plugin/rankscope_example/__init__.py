"""An example of a package that adds to RankScope."""
