"""The views of every page: a folder a page, a file a view."""
