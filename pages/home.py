"""Home: what RankScope is, one picture, and where to go."""

from pages.ui import frame

frame.page("Home", "How does a machine learn to put the best documents first?")
