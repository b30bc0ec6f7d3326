"""Mathematics that several algorithms, studies and benchmarks share.

Modules here know neither data sets nor measures.
"""
