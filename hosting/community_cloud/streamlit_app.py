"""The app on Streamlit Community Cloud, which takes no environment variables.

docs/how-to/hosting.md says how to deploy it. The ``config.toml`` beside this file has
the name that it answers to.
"""

import os
import sys
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).parents[2]
# At most two cores and 2.7 GB: docs/how-to/serving.md has the figures.
LIMITS = {
    "RANKSCOPE_VISITORS": "30",
    "RANKSCOPE_THREADS": "2",
    "RANKSCOPE_ONE_PERSON": "no",
    "RANKSCOPE_LOG": "-",
}

for name, value in LIMITS.items():
    os.environ.setdefault(name, value)
# The service installs what requirements.txt names, and not the checkout.
sys.path.insert(0, str(ROOT))

from pages.ui.serving import parts  # noqa: E402

app = st.App(str(ROOT / "app.py"), **parts.begin())
