"""The views of all pages: one folder per page, one file per view."""
