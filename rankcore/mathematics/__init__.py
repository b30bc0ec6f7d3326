"""Mathematics that several algorithms, studies and benchmarks share.

These modules depend neither on data sets nor on measures.
"""
