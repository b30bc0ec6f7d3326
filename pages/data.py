"""Data."""

import streamlit as st

from pages.ui import controls, datasets, frame

frame.page("Data", "What is in the data before anything is learnt from it?")
left, body = frame.split()
with left:
    name = controls.dataset_picker()
    a = controls.algorithm_picker()
    m = controls.measure_picker()
    controls.seed()
    v = controls.hyperparameters(a)
with body:
    splits = datasets.load_or_stop(name)
    frame.facts([frame.Fact("Queries", str(splits.train.n_queries), "in all")] * 5)
    st.write(v, m)
