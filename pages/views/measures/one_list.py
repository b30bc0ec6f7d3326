"""One list: contributions of ranks to measures, and measures against a score."""

from collections.abc import Mapping, Sequence

from pages.ui import shared, texts
from pages.ui.data.take_query import ORDER, QUERY_OF_DATA, take_query
from rankcore import views
from rankcore.measures import Measure
from rankcore.plot.numbers import decimals
from rankcore.topics.measuring import hand_list
from rankcore.topics.measuring import terms as insight
from rankcore.topics.measuring.terms_figure import (
    score_figure,
    terms_figure,
    terms_table,
)

CUTOFF = views.Number(
    "cutoff",
    5,
    "Cutoff",
    "k",
    "nDCG and P count the first k ranks.",
    low=1,
    high=hand_list.MOST,
    whole=True,
)
TIED = views.Number(
    "n_tied",
    1,
    "Tied documents at the top",
    meaning="Number of documents at the top with equal scores; 1 means no tie.",
    low=1,
    high=insight.MOST_TIED,
    whole=True,
)
SHARPNESS = views.Number(
    "alpha",
    3.0,
    "Sharpness",
    r"\alpha",
    "Sharpness of the smooth ranks in the last figure, for a score gap of 1.",
    stops=(0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0),
)
TERMS_OF = views.Choice(
    "terms_of",
    "nDCG",
    "Measure",
    names=lambda values: tuple(_measures(values)),
    bare=True,
    inline=True,
)
MOVING = views.Choice(
    "moved_document",
    "A",
    "Document whose score moves",
    names=lambda values: [d.name for d in hand_list.read(values.ranking) or []],
    every=tuple(hand_list.LETTERS),
    inline=True,
)

EVERY = "contribution of each rank to each measure"
PRESETS = {
    "Five documents": {"ranking": "A0-B2-C1-D0-E1", "n_tied": 1},
    "The ideal order": {"ranking": "B2-C1-E1-A0-D0", "n_tied": 1},
    "The best document is last": {"ranking": "A1-B1-C0-D0-E0-F4", "n_tied": 1},
    "Tied documents at the top": {"ranking": "A0-B0-C2-D1-E0", "n_tied": 4},
    "No relevant document": {"ranking": "A0-B0-C0-D0-E0", "n_tied": 1},
}


def show(values: views.Values) -> views.Shown:
    """Return terms, evaluation rules, and one moving score of the list."""
    documents = hand_list.read(values.ranking) or []
    names = [document.name for document in documents]
    labels = [document.label for document in documents]
    measures = _measures(values)
    sums = {
        str(measure): insight.measure_terms(labels, measure, values.convention)
        for measure in measures.values()
    }
    name = str(measures[values.terms_of])
    shown_terms = sums[name]
    terms = terms_figure(shown_terms, labels, names, name, values.palette)
    note = "area: contribution of a rank; bluer: more relevant"
    figure: list[views.Block] = [
        views.Ask([TERMS_OF]),
        views.Panel("terms", f"Terms of {name}", note, terms),
        views.Words(shown_terms.filled),
    ]
    column: list[views.Block] = [
        views.Ask([shared.RANKING]),
        take_query(shared.RANKING, values),
    ]
    return views.Shown(
        [views.Fact(measure, decimals(each.value)) for measure, each in sums.items()],
        [
            views.Row([figure, column], widths=(9, 4)),
            views.Ask([MOVING]),
            _moving_score(labels, names, measures[values.terms_of], values),
            views.Table(
                "every_term", "Every term", EVERY, terms_table(labels, names, sums)
            ),
            _other_rules(labels, measures, values),
        ],
        {"Terms of each measure": insight.term_rows(labels, names, sums)},
    )


def _measures(values: views.Values) -> dict[str, Measure]:
    """Return the measures shown, by kind, nDCG first as in every list."""
    offered = sorted(
        insight.measures_with_terms(values.cutoff), key=lambda m: m.name != "nDCG"
    )
    return {measure.name: measure for measure in offered}


def _other_rules(
    labels: Sequence[int], measures: Mapping[str, Measure], values: views.Values
) -> views.Table:
    last = min(values.n_tied, len(labels))
    rows = []
    for measure in measures.values():
        by_rule = insight.by_rule(labels, last, measure, values.convention)
        shown = {rule: decimals(value) for rule, value in by_rule.items()}
        rows.append({"measure": str(measure)} | shown)
    note = (
        f"the first {last} tied, under {values.convention}"
        if last > 1
        else "tie documents at the top to see how the rules differ"
    )
    return views.Table("rules", "Conventions and ties", note, rows)


def _moving_score(
    labels: Sequence[int], names: Sequence[str], measure: Measure, values: views.Values
) -> views.Panel:
    name, alphas = values.moved_document, sorted({1.0, values.alpha})
    curve = insight.along_score(
        labels, names.index(name), measure, values.convention, alphas
    )
    picture = score_figure(curve, name, str(measure), values.palette)
    title = f"{measure} while one score moves"
    return views.Panel("moving", title, "score gap 1 between documents", picture)


def _explain(values: views.Values) -> dict[str, str]:
    measure = _measures(values)[values.terms_of]
    return {
        "The measure": texts.measure(str(measure), values.convention),
        **texts.tabs(__file__),
    }


VIEW = views.View(
    "One list",
    "The contribution of each rank to a measure.",
    [
        shared.RANKING,
        CUTOFF,
        shared.CONVENTION,
        shared.DOCUMENTS,
        TIED,
        SHARPNESS,
        TERMS_OF,
        MOVING,
        *QUERY_OF_DATA,
        ORDER,
    ],
    show,
    presets=PRESETS,
    explain=_explain,
)
