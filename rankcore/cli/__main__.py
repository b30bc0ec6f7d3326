"""Run ``rankscope`` as ``python -m rankcore.cli``."""

from rankcore.cli import main

main()
