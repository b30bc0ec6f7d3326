"""Reduction: what ranking by pairs guarantees for NDCG, and what it does not."""

from pages.ui import page
from pages.views import reduction

page.show(reduction.PAGE)
