"""``python -m rankcore.cli`` is the same as ``rankscope``."""

from rankcore.cli import main

main()
