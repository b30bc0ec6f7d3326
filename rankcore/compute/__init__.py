"""Where sums and whole runs are computed: threads, processes, the workers of Dask."""
