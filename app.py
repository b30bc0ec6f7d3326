"""RankScope: page configuration and navigation; everything else is in ``pages``."""

import streamlit as st

# Processes that train for a page import this file too.
if __name__ == "__main__":
    st.set_page_config("RankScope", layout="wide", initial_sidebar_state=220)
    page = st.navigation(
        {
            "Start": [
                # Home opens at / and, as every page, at its own name.
                st.Page("pages/home.py", title="Home", url_path="start", default=True),
                st.Page("pages/home.py", title="Home", visibility="hidden"),
                st.Page("pages/lessons.py", title="Lessons"),
                st.Page("pages/data.py", title="Data"),
            ],
            "Train and compare": [
                st.Page("pages/train.py", title="Train"),
                st.Page("pages/compare.py", title="Compare"),
                st.Page("pages/explore.py", title="Explore"),
                st.Page("pages/runs.py", title="Runs"),
            ],
            "Look inside": [
                st.Page("pages/inspect.py", title="Inspector"),
                st.Page("pages/approximation.py", title="Approximation"),
                st.Page("pages/sparsity.py", title="Sparsity"),
                st.Page("pages/cones.py", title="Cones"),
                st.Page("pages/margins.py", title="Margins"),
                st.Page("pages/reduction.py", title="Reduction"),
                st.Page("pages/measures.py", title="Measures"),
                st.Page("pages/clicks.py", title="Clicks"),
            ],
            "Evidence": [st.Page("pages/papers.py", title="Papers")],
        },
        expanded=True,
    )
    page.run()
