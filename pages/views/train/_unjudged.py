"""How far the figures of the best model can be trusted where judgements are missing."""

from pages.views.train._seen import Seen
from rankcore.insight import unjudged
from rankcore.views import Block, Notice


def blocks(seen: Seen) -> list[Block]:
    """A sentence once the run has ended, where documents have no judgement."""
    run, best = seen.watched.run, seen.best
    if seen.active or run is None or best is None:
        return []
    part, data = ("training", run.train) if run.valid is None else (
        "validation", run.valid
    )  # fmt: skip
    if data.n_judged == data.n_documents:
        return []
    scores = seen.algorithm.scores(data.X, best.coef)
    found = unjudged.report(data, scores, [str(seen.measure)], run.rules)
    (row,) = found.rows
    said = (
        f"{found.unjudged:,} of {found.documents:,} {part} documents have no judgement "
        f"and count as irrelevant. For the best model, {row.measure} is "
        f"{row.value:.3f}, and {row.condensed:.3f} on judged documents alone; "
        f"{row.judged:.0%} of the documents it looks at are judged."
    )
    return [Notice(said, "help", warns=True)]
