"""The content of data, and what is doubtful in it."""
