"""Mathematics that several algorithms, studies and benchmarks share.

A module here knows data sets and measures, but no algorithm.
"""
