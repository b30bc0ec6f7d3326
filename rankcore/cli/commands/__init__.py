"""The commands of ``rankscope``, a module each."""
