"""Train: what happens to the measure while a model learns."""

from pages.ui import frame
from pages.views import train

frame.show(train.PAGE)
