"""Papers: what five papers claim, and what the same experiments give here."""

from pages.ui import frame
from pages.views import papers

frame.show(papers.PAGE)
