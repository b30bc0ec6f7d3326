"""Five papers, claim by claim: printed values, and results of the same experiments.

`cards` declares a card for every table, figure, theorem and claim; `Bench` computes
them; `results` stores the outcomes for the app, a report and the command line.
"""
