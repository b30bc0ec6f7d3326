"""What can be taken away: reports, links, commands and Python."""
