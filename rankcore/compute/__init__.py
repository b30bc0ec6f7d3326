"""Threads, processes and the workers of Dask, where sums and runs are computed."""
