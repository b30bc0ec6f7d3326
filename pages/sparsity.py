"""Sparsity: what it costs to do without features."""

from pages.ui import frame
from pages.views import sparsity

frame.show(sparsity.PAGE)
