"""Data: what is in it, what to know before training, and your own files."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui import controls, data_panels, datasets, explain, frame, state, upload
from rankcore.insight import data as insight

READING = """
- **Labels** are grades of relevance. Where nearly all are 0, few documents decide
  everything, and measures jump.
- **List lengths** differ: a query with many documents has many pairs, and algorithms
  that do not weigh them let it drown the short ones.
- **Feature spread**: a hollow mark cannot change any order, for it has one value within
  each query. Where lines differ by powers of ten, normalise.
- The **column on the right** is one query in the order of the file.

**Try.** Compare *Web search* with *The same on raw scales*, then train RSRank on both.
"""

SCALING = r"""
Per query and feature, with its lowest, highest, mean and standard deviation there:

$$
\text{minmax: } x' = \frac{x - x_{\min}}{x_{\max} - x_{\min}}, \qquad
\text{zscore: } x' = \frac{x - \bar x}{\sigma_x}
$$

A feature that is constant within the query becomes 0. Documents must be scaled alike
before a model scores them; LETOR's *QueryLevelNorm* files are minmax-scaled already.
"""

OWN = """
**A file** on this page: LETOR or SVMlight text, CSV or Parquet, divided by query 60 :
20 : 20. Or **up to three files at once** whose names say what they are, such as
`train.txt`, `vali.txt`, `test.txt`. They stay in memory until the server stops.

**For good:** put LETOR folders under `data/letor/<name>/Fold1` …, or name the folder
that holds them in the environment variable `RANKSCOPE_DATA`; they are then listed with
the others here and for `rankscope train`.
"""

PRESETS = {
    "Web search": {"data": "mslr10k-sample", "normalise": "as given"},
    "The same on raw scales": {"data": "mslr10k-sample-raw", "normalise": "as given"},
    "A known truth": {"data": "planted", "normalise": "as given"},
    "Two features": {"data": "toy-2d", "normalise": "as given"},
}


def body(actions: DeltaGenerator) -> None:
    """What the page shows, and its export in ``actions``."""
    settings, picture = frame.split()
    with settings:
        name = controls.dataset_picker()
        controls.normalisation_picker()
        st.divider()
        upload.panel()

    with picture:
        splits = datasets.load_or_stop(name)
        parts = insight.parts(splits)
        data_panels.about(name)
        part = controls.part_picker(list(parts))
        dataset = parts[part]
        spread = datasets.spread(name, part, str(state.get("normalise")))
        data_panels.size_facts(insight.size(part, dataset))
        figures, case = st.columns([4, 1], gap="medium")

    with figures:
        left, right = st.columns(2, gap="medium")
        with left:
            data_panels.labels(dataset)
        with right:
            data_panels.lengths(dataset)
        data_panels.features(spread)
        data_panels.notes(dataset, spread)
        data_panels.size_table(splits)

    with case:
        query = dataset.query(controls.query_picker(dataset.n_queries) - 1)
        frame.heading(f"Query {query.id}", "in the order of the file")
        data_panels.query_chips(query, int(dataset.y.max()))
    with figures:
        data_panels.query_table(query, dataset.feature_names)
        explain.panel(
            {"How to read this": READING, "Scaling": SCALING, "Your own data": OWN}
        )
    with actions:
        data_panels.export(name, part, dataset)


frame.run(
    "Data", "What is in the data before anything is learnt from it?", body, PRESETS
)
