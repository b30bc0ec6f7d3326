"""Measures: what each position adds, and what a measure does as a document moves."""

from streamlit.delta_generator import DeltaGenerator

from pages.ui import controls, explain, frame, measure_panels, query_choice, sortable

READING = """
Drag a document in the column on the right, or focus it and press the arrow keys; + and
− (or the keys 0 to 4) set its label. *Take a query of the data* puts the first
documents of a query there instead.

- **Terms**: what each position adds. They sum to the measure; the line below has the
  numbers filled in, the table those of all measures.
- **Conventions and ties**: the same list, counted in other ways. Where two systems
  disagree on a result, it is often one of these.
- **One score moves**: the measure is a staircase in every score, flat between two other
  documents. The smooth lines replace ranks by sums of sigmoids with sharpness α: small
  α has slope everywhere and is far off, large α is close and flat again.

**Try.** Which single move raises nDCG most? Does it raise AP most, too? Press *The best
document is last*, and find the measure that does not notice when the others change
places.
"""

PRESETS = {
    "Five documents": {"ranking": "A0-B2-C1-D0-E1", "tied_to": 1},
    "The ideal order": {"ranking": "B2-C1-E1-A0-D0", "tied_to": 1},
    "The best document is last": {"ranking": "A1-B1-C0-D0-E0-F4", "tied_to": 1},
    "Equal scores at the top": {"ranking": "A0-B0-C2-D1-E0", "tied_to": 4},
    "Nothing relevant": {"ranking": "A0-B0-C0-D0-E0", "tied_to": 1},
}


def body(actions: DeltaGenerator) -> None:
    """What the page shows, and its export in ``actions``."""
    settings, picture = frame.split()
    with settings:
        cutoff = measure_panels.cutoff_picker()
        convention = controls.convention_picker()
        measure_panels.count_picker()
        tied = measure_panels.tie_picker()
        alpha = measure_panels.alpha_picker()

    with picture:
        strip = measure_panels.place()
        figures, column = measure_panels.columns()
    with column:
        frame.heading("The list", "drag, or arrow keys; + and − set the label")
        documents = sortable.ranking("ranking")
        query_choice.take_picker("ranking")
    names = [document.name for document in documents]
    labels = [document.label for document in documents]
    with strip:
        measure_panels.facts(labels, cutoff, convention)
    with figures:
        measure = measure_panels.measure_picker(cutoff)
        measure_panels.terms(labels, names, measure, convention)
        measure_panels.every_term(labels, names, cutoff, convention)
        measure_panels.other_rules(labels, cutoff, tied, convention)
        measure_panels.moving_score(labels, names, measure, convention, alpha)
        explain.panel(
            {
                "The measure": lambda: explain.measure(str(measure), convention),
                "How to read this": READING,
            }
        )
    with actions:
        measure_panels.export(labels, names, cutoff, convention)


frame.run(
    "Measures",
    "What does each measure see when documents change places?",
    body,
    PRESETS,
)
