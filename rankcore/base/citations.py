"""Sources in docstrings."""

import textwrap


def references(paper: str) -> str:
    """Return the section *References* of a docstring, by numpydoc's rules; empty
    without a paper."""
    lines = textwrap.fill(paper, 88, break_on_hyphens=False)
    return f"References\n----------\n{lines}" if paper else ""
