"""Train live: what happens to the measure while a model learns."""

from pages.ui import page
from pages.views import train

page.show(train.PAGE)
