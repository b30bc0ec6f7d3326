"""The commands of ``rankscope``, one module each."""
