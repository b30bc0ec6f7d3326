"""Data: what is in it, what to know before training, and your own files."""

import streamlit as st

from pages.ui import controls, data_panels, datasets, frame, state, upload
from rankcore.insight import data as insight

frame.page("Data", "What is in the data before anything is learnt from it?")
settings, body = frame.split()
with settings:
    name = controls.dataset_picker()
    controls.normalisation_picker()
    st.divider()
    upload.panel()

with body:
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
