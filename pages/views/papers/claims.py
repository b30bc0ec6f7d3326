"""Claims: a mark and a card per claim, and experiments on small cases."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pages.ui import texts
from pages.ui.catalogue import pages
from pages.ui.serving import visitor
from pages.views.papers import _experiments
from pages.views.papers._experiments import ALL, EXPERIMENT
from rankcore import views
from rankcore.base.numbers import three_digits
from rankcore.studies import Study
from rankcore.topics.papers import computed, published, rules
from rankcore.topics.papers.card import Card, CardOutcome
from rankcore.topics.papers.cards import CARDS, PAPERS, card, of_paper
from rankcore.topics.papers.claims_figure import card_figure, claims_figure
from rankcore.topics.papers.results import Results
from rankcore.views.paper_data import FOLDER, data_blocks

ICONS = {
    rules.REACHED: "check_circle",
    rules.EXCEEDED: "keyboard_double_arrow_up",
    rules.MISSED: "trending_down",
    rules.FALSE: "cancel",
    rules.NOT_STRICT: "rule",
    rules.ABSENT: "folder_off",
}
COLOURS = {
    rules.REACHED: "green",
    rules.EXCEEDED: "blue",
    rules.MISSED: "orange",
    rules.FALSE: "violet",
    rules.NOT_STRICT: "violet",
    rules.ABSENT: "gray",
}
KINDS = {
    ALL: "All kinds",
    "table": "Tables",
    "figure": "Figures",
    "theorem": "Theorems",
    "claim": "Claims",
}
FIRST = "approx-worked-example"
# Number of filtered cards drawn at once.
AT_ONCE = 6

PAPER = views.Radio(
    "papers_paper",
    ALL,
    "Paper",
    names={ALL: "All papers"} | {key: one.title for key, one in PAPERS.items()},
)
KIND = views.Listed("papers_kind", ALL, "Kind", names=KINDS)
VERDICT = views.Radio(
    "papers_verdict",
    ALL,
    "Verdict",
    names={ALL: "Any verdict"} | {verdict: verdict for verdict in rules.VERDICTS},
)
FILTER = (PAPER, KIND, VERDICT)
SELECTED = views.Listed(
    "papers_card",
    FIRST,
    "Selected claim",
    meaning="A claim that matches the filter. Or click a mark.",
    names=lambda values: {
        one.key: f"{PAPERS[one.paper].title}, {one.place}: {one.title}"
        for one in _filtered(values) or CARDS
    },
    every=tuple(one.key for one in CARDS),
)
SET = views.Choice(
    "papers_set",
    "1",
    "Cards",
    meaning=f"{AT_ONCE} cards at a time.",
    names=lambda values: [
        str(i + 1) for i in range(-(-max(len(_filtered(values)), 1) // AT_ONCE))
    ],
    inline=True,
)


def settings(raw: Mapping[str, Any]) -> list[views.Setting]:
    """Return the filter and the selected claim, or the settings of an experiment."""
    if (experiment := _experiments.chosen(raw)) is not None:
        return [PAPER, EXPERIMENT, *experiment[0].settings]
    experiments = replace(EXPERIMENT, group="Experiments")
    return [*FILTER, SELECTED, SET, FOLDER, experiments]


def show(values: views.Values, study: Study | None = None) -> views.Shown:
    """Return all claims, the selected one and filtered cards; or an experiment."""
    if (experiment := _experiments.chosen(values)) is not None:
        return views.claim_shown(*experiment, values)
    results, chosen = computed.every(), card(values.papers_card)
    again = computed.of_study(study, chosen.key)
    here = _filtered(values, results)
    numbers = results.printed_values(here)
    blocks: list[views.Block] = [
        *views.errors(computed.problem()),
        views.Row(
            [
                [_overview(here, results, chosen, values)],
                _details(chosen, again, results, values),
            ],
            widths=(13, 8),
        ),
        *_cards(here, results, values),
    ]
    if numbers:
        blocks.append(
            views.Table(
                "papers_numbers",
                "Every printed value of these claims",
                f"{len(numbers)} of {len(published.every())} values",
                numbers,
                {"printed": "%.4g"},
                height=380,
            )
        )
    return views.Shown((), blocks)


def _filtered(values: views.Values, outcomes: Results | None = None) -> list[Card]:
    """Return the cards that match the filter."""
    results = outcomes or computed.every()
    return [
        one
        for one in CARDS
        if values.papers_paper in (ALL, one.paper)
        and values.papers_kind in (ALL, one.kind)
        and values.papers_verdict in (ALL, results.of(one).verdict)
    ]


def _overview(
    cards: Sequence[Card], results: Results, chosen: Card, values: views.Values
) -> views.Panel:
    groups = {
        paper.title: [(one, results.of(one).verdict) for one in of_paper(key)]
        for key, paper in PAPERS.items()
    }
    marks = {
        verdict: [one.key for row in groups.values() for one, v in row if v == verdict]
        for verdict in rules.VERDICTS
    }

    def take(trace: str, point: int, *at: float) -> views.Changes:
        if trace not in marks:
            return {}
        key = marks[trace][point]
        whole = {} if key in keys else {row.key: row.default for row in FILTER}
        return {SELECTED.key: key, **whole}

    keys = {one.key for one in cards}
    picture = claims_figure(groups, chosen.key, keys, values.palette)
    return views.Panel(
        "papers_claims",
        "Claims by verdict",
        "Click a mark to select its claim.",
        picture,
        on_click=take,
    )


def _details(
    one: Card, again: CardOutcome | None, results: Results, values: views.Values
) -> list[views.Block]:
    """Return the selected card with all details."""
    outcome = again or results.of(one)
    facts = {
        "Protocol": outcome.protocol,
        "Evaluation rules": outcome.convention,
        "Spread": outcome.spread,
        "Time": f"{three_digits(outcome.seconds)} s",
        "Computed": "now" if again is not None else outcome.made,
    }
    rule = {"Rule": one.rule.text}
    rows = rule | facts if outcome.made else rule
    text = "  \n".join(f"**{name}**: {text}" for name, text in rows.items())
    return [
        *_card(one, outcome, values, "selected", 190),
        *data_blocks(one, values, visitor.owner),
        views.Caption(text),
    ]


def _card(
    one: Card, outcome: CardOutcome, values: views.Values, key: str, height: int
) -> list[views.Block]:
    """Return the heading, figure, reason and link of a card."""
    badge = (
        f":{COLOURS[outcome.verdict]}[:material/{ICONS[outcome.verdict]}: "
        f"**{outcome.verdict}**]"
    )
    head = f"{PAPERS[one.paper].title} · {one.place} · {badge}"
    blocks: list[views.Block] = [views.Words(head, one.rule.text)]
    if outcome.values:
        picture = card_figure(one, outcome, values.palette, height)
        note = "Filled: RankScope. Hollow: paper."
        blocks.append(views.Panel(f"papers_{key}", one.title, note, picture))
    blocks.append(views.Caption(outcome.why))
    if one.scene is not None:
        here = [fold for name in one.data for fold in computed.folds_of(name)[:1]]
        data = {"data": here[0]} if here else {}
        settings, title = {**one.scene.settings, **data}, pages()[one.scene.page].title
        label = "Open the experiment" if title == "Papers" else f"Open in {title}"
        blocks.append(views.Go(label, one.scene.page, settings))
        if one.data and not here:
            note = (
                f"{' or '.join(one.data)} is not installed; the link opens other data."
            )
            blocks.append(views.Caption(note))
    return blocks


def _cards(
    cards: Sequence[Card], results: Results, values: views.Values
) -> list[views.Block]:
    """Return the filtered cards, three per row."""
    if not cards:
        return [views.Caption("No claim matches the filter: choose other values.")]
    first = (int(values.papers_set) - 1) * AT_ONCE
    part = cards[first : first + AT_ONCE]
    blocks: list[views.Block] = [views.Ask([SET])] if len(cards) > AT_ONCE else []
    for begin in range(0, len(part), 3):
        three = part[begin : begin + 3]
        columns = [
            [
                *_card(one, results.of(one), values, one.key, 180),
                views.Act(
                    "Show details",
                    f"select {one.key}",
                    partial(dict, {SELECTED.key: one.key}),
                ),
            ]
            for one in three
        ]
        columns += [[] for _ in range(3 - len(three))] if len(part) > 3 else []
        blocks.append(views.Row(columns, framed=True))
    return blocks


def _promise(values: views.Values) -> str:
    one = card(values.papers_card)
    seconds = computed.seconds(one)
    lasts = f", about {seconds:.0f} s of computing" if seconds >= 1.0 else ""
    return f"{PAPERS[one.paper].title}, {one.place}: the experiment runs here{lasts}."


WORK = views.Work(
    lambda values: computed.again(card(values.papers_card)),
    "Run again",
    _promise,
    settings=(SELECTED.key,),
    refuses=lambda values: computed.refusal(card(values.papers_card)),
    optional=True,
)
CARDS_SHOWN = {PAPER.key: ALL, EXPERIMENT.key: ""}
VIEW = views.View(
    "Claims",
    "Printed values, the results of the same experiments, and whether they agree.",
    settings,
    show,
    work=lambda values: None if _experiments.chosen(values) else WORK,
    explain=texts.tabs(__file__),
    presets={
        "False as printed": CARDS_SHOWN | {KIND.key: ALL, VERDICT.key: rules.FALSE},
        "Not reached": CARDS_SHOWN | {KIND.key: ALL, VERDICT.key: rules.MISSED},
        "Theorems": CARDS_SHOWN | {KIND.key: "theorem", VERDICT.key: ALL},
        "Ties break the formula": _experiments.preset("Ties"),
        "The bound holds with ≤": _experiments.preset("Strict inequality"),
        "Centre of the cutoff": _experiments.preset(
            "Centre of the cutoff", approx_beta=10.0
        ),
        "Why clipping is not a projection": _experiments.preset(
            "Clipping is a projection"
        ),
        "A bound that needs C ≥ 1": _experiments.preset("SVMCombo bounds every loss"),
    },
)
