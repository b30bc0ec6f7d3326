"""The folder of the scripts, styles and HTML of the app."""

from pathlib import Path

ASSETS = Path(__file__).parent
