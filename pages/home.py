"""Home: what RankScope is, one picture, and where to go."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui import explain, frame, state
from pages.ui.toy import toy_ranking, toy_table
from rankcore.insight.toy import CUTOFF

ABOUT = """
A search engine scores documents and shows them in the order of their scores. **Learning
to rank** finds the scores from examples, and nDCG says how good the order is: 1 when
the most relevant documents come first.

nDCG sees only the order. Move the weight below: most of the time nothing happens, then
two documents change places and nDCG jumps. A staircase has no slope to follow, so every
algorithm here follows something else. RankScope shows what, live.
"""

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

READING = """
The slider weighs two features of eight documents: how well their words match, and how
often they are clicked. The **left column** is the order of the weighted sums, the
**right one** the ideal order; bluer documents are more relevant. Above stands nDCG for
every weight: **flat** while the order stays, with a **jump** where two documents change
places.

**Try.** Move the slider until nDCG is 1, then on: can you tell from a stair which way
to go? Then press Play on *Train live* and see an algorithm find its way with 136
features.
"""

PRESETS = {
    "Words only": {"weight": 0.0},
    "A long stair": {"weight": 0.15},
    "Just before a jump": {"weight": 0.399},
    "The ideal order": {"weight": 0.51},
    "Clicks only": {"weight": 1.0},
}


def readers() -> None:
    """Where each of three readers goes from here."""
    look, use, add = st.columns([2, 3, 3], gap="large")
    with look:
        frame.heading("To look")
        st.write("Press Play and watch nDCG rise on real data; no setting is needed.")
        frame.link("pages/train.py", "Train live", icon=":material/play_arrow:")
        st.write("Or be led: six lessons of a quarter of an hour each.")
        frame.link("pages/lessons.py", "Lessons", icon=":material/school:")
        st.write("See what the data holds, or bring your own.")
        frame.link("pages/data.py", "Data", icon=":material/table_chart:")
    with use:
        frame.heading("To use it from Python")
        st.write("Every algorithm is a scikit-learn estimator.")
        st.code(PYTHON.strip(), language="python")
    with add:
        frame.heading("To add an algorithm")
        st.write("One file in `rankcore/algorithms`; the controls come by themselves.")
        st.code(ALGORITHM.strip(), language="python")


def body(_: DeltaGenerator) -> None:
    """What the page shows."""
    weight = state.get("weight")
    state.put("weight", weight)
    st.markdown(ABOUT)
    toy_ranking(key="toy", weight=weight)
    with st.expander("The same as a table"):
        st.table(toy_table())
    explain.panel(
        {
            "The measure": lambda: explain.measure(f"nDCG@{CUTOFF}"),
            "How to read this": READING,
            "All algorithms": explain.all_algorithms,
        }
    )
    st.space("small")
    readers()


frame.run("Home", "How can a machine learn a measure that has no slope?", body, PRESETS)
