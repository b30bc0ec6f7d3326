"""Five papers, claim by claim: what is printed, and what the same experiment gives.

`cards` declares a card for every table, figure, theorem and claim; `Bench` computes
them; `results` keeps what was found, for the app, a report and the command line.
"""
