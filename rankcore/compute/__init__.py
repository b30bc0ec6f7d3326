"""Execution of sums and runs in threads, processes and Dask workers."""
