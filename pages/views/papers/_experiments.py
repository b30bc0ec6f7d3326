"""Experiments on small cases that test claims of papers."""

from collections.abc import Mapping
from typing import Any

from rankcore.topics.papers.cards import PAPERS
from rankcore.views import Changes, Claim, Listed, Values, modules

ALL = "all"
PAGES = {"approx": "approximation", "conerank": "cones", "structured": "margins"}
# Name of a claim → the claim, its paper, and the page of its subject.
EXPERIMENTS: Mapping[str, tuple[Claim, str, str]] = {
    claim.name: (claim, paper, page)
    for paper, page in PAGES.items()
    for claim in modules(f"pages.views.{page}.claims", "CLAIM")
}


def _offered(values: Values) -> dict[str, str]:
    return {"": "All claims"} | {
        name: f"{PAPERS[paper].title}: {name}"
        for name, (_, paper, _) in EXPERIMENTS.items()
        if values.papers_paper in (ALL, paper)
    }


def preset(name: str, **settings: Any) -> Changes:
    """Return the settings that open an experiment, its own at their defaults: some keys
    mean different things in different experiments."""
    rows = EXPERIMENTS[name][0].settings if name else ()
    defaults = {row.key: row.default for row in rows}
    return {"papers_paper": ALL, EXPERIMENT.key: name, **defaults, **settings}


EXPERIMENT = Listed(
    "papers_experiment",
    "",
    "Experiment",
    meaning="A claim and its check on a small case, whose settings can be changed.",
    names=_offered,
    every=("", *EXPERIMENTS),
    writes=lambda values, name: {**preset(name), "papers_paper": values.papers_paper},
    studied=False,
)


def chosen(raw: Mapping[str, Any]) -> tuple[Claim, str] | None:
    """Return the selected claim and the page of its subject; None without a claim or
    with a claim of another paper than the selected one."""
    claim, paper, page = EXPERIMENTS.get(str(raw.get(EXPERIMENT.key)), (None, "", ""))
    fits = claim and raw.get("papers_paper", ALL) in (ALL, paper)
    return (claim, page) if claim and fits else None
