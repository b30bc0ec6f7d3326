"""Reduction: what ranking by pairs guarantees for NDCG, and what it does not."""

from pages.ui import frame
from pages.views import reduction

frame.show(reduction.PAGE)
