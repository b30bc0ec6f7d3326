"""Compare: which algorithm is better, and whether the difference could be noise."""

from pages.ui import frame
from pages.views import compare

frame.show(compare.PAGE)
