"""Inspector: one query under a model, document by document."""

from pages.ui import frame
from pages.ui.data import upload_model
from pages.views import inspect

frame.show(inspect.PAGE, controls=upload_model.panel)
