"""Sparsity: what it costs to do without features."""

from pages.ui import page
from pages.views import sparsity

page.show(sparsity.PAGE)
