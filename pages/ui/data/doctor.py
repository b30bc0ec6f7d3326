"""The findings of an upload, each with its remedies, and a button to apply all."""

from collections.abc import Sequence

import streamlit as st

from pages.ui import session, texts
from pages.ui.data import datasets
from pages.ui.data.datasets import Files
from rankcore.topics.datasets.findings import KINDS, Finding, chosen_options

# The files whose remedies are applied, and the remedy of each finding.
_APPLIED = "remedies of the upload"
_ICONS = {"error": "error", "warning": "warning", "note": "info"}
MOST_OPEN, HEIGHT = 3, 400


def applied(files: str) -> dict[str, str]:
    """Return the remedies that a visitor applied to files, given by their ids."""
    ids, remedies = st.session_state.get(_APPLIED, ("", {}))
    return remedies if ids == files else {}


def show(findings: Sequence[Finding], files: str) -> None:
    """Draw the findings on files, given by their ids, as a table with a menu of
    remedies each."""
    if not findings:
        return
    count = "1 finding" if len(findings) == 1 else f"{len(findings)} findings"
    st.markdown(f"**{count}**")
    with st.container(
        border=True,
        height=HEIGHT if len(findings) > MOST_OPEN else "content",
        key="upload_findings",
    ):
        for finding in findings:
            _row(finding, files)
    chosen = _chosen(findings, files)
    st.button(
        "Apply all",
        key="upload_apply",
        icon=":material/healing:",
        help="Read the files again with these remedies.",
        disabled=not chosen or chosen == applied(files),
        on_click=_apply,
        args=(findings, files),
    )


def _row(finding: Finding, files: str) -> None:
    """Draw a row of the table."""
    kind, remedies = KINDS[finding.kind], finding.remedies
    st.markdown(f":material/{_ICONS[kind.weight]}: **{kind.title}**", help=kind.meaning)
    st.caption(texts.literal(finding.place))
    if remedies:
        default = applied(files).get(finding.key, "")
        st.selectbox(
            f"Remedy of {kind.title}: {texts.literal(finding.place)}",
            list(remedies),
            list(remedies).index(default) if default in remedies else 0,
            format_func=lambda remedy: remedies[remedy].title,
            key=_key(finding, files),
            label_visibility="collapsed",
        )


def _key(finding: Finding, files: str) -> str:
    return f"upload_remedy {files} {finding.key}"


def _chosen(findings: Sequence[Finding], files: str) -> dict[str, str]:
    """Return the remedies in the menus."""
    chosen = {one.key: st.session_state.get(_key(one, files)) for one in findings}
    return {key: remedy for key, remedy in chosen.items() if remedy is not None}


def _apply(findings: Sequence[Finding], files: str) -> None:
    chosen = _chosen(findings, files)
    st.session_state[_APPLIED] = files, chosen
    if any(finding.kind == "scales" for finding in findings):
        scaling = chosen_options(findings, chosen).get("normalise", datasets.AS_GIVEN)
        session.put({"normalise": scaling})


def recipe(files: Files, normalise: str) -> None:
    """Draw how the data is read, as a command and as Python."""
    scaling = datasets.scaling(normalise)
    with st.popover("Recipe", key="upload_recipe", icon=":material/receipt_long:"):
        st.caption("A command and Python that read the same data:")
        st.code(files.command(scaling), language="bash", wrap_lines=True)
        st.code(files.splits(scaling), language="python", wrap_lines=True)
