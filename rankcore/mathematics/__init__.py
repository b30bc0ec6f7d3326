"""Mathematics that several algorithms, studies and benchmarks share.

Modules here use data sets and measures, but no algorithm.
"""
