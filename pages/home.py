"""Home: what RankScope is, one picture, and where to go."""

import streamlit as st

from pages.ui import frame
from pages.ui.stage import heading
from pages.views import home

PYTHON = """
from rankcore import load_dataset, RSRank

train, valid, test = load_dataset("planted")
model = RSRank(g=10)
model.fit_dataset(train, valid)
print(model.coef_)
"""

ALGORITHM = """
class MyRanker(LinearRanker):
    rate: float = real(
        0.1, low=1e-4, high=1, scale="log",
        meaning="Length of a step.")

    def steps(self, dataset, rng, start=None):
        yield Step(iteration, coef, objective)
"""


def roads() -> None:
    """Ways on, for three kinds of readers."""
    st.space("small")
    explore, use, add = st.columns([2, 3, 3], gap="large")
    with explore:
        heading("Explore")
        st.write("Press Play and watch nDCG rise on real data. The defaults work.")
        link("pages/train.py", "Train live", "play_arrow")
        st.write("Or take a guided lesson (six, 15 minutes each).")
        link("pages/lessons.py", "Lessons", "school")
        st.write("Inspect the data, or upload your own.")
        link("pages/data.py", "Data", "table_chart")
    with use:
        heading("Use it from Python")
        st.write("Every algorithm is a scikit-learn estimator.")
        st.code(PYTHON.strip(), language="python")
    with add:
        heading("Add your own algorithm")
        st.write(
            "One file in `rankcore/algorithms`; its controls are generated "
            "automatically."
        )
        st.code(ALGORITHM.strip(), language="python")


def link(path: str, label: str, icon: str) -> None:
    """A link to another page; its name where this page runs without the app."""
    try:
        st.page_link(path, label=label, icon=f":material/{icon}:")
    except st.errors.StreamlitAPIException:
        st.caption(label)


frame.show(home.PAGE)
roads()
