"""Drawing the whole page again, whatever the browser asks for meanwhile."""

from typing import NoReturn

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType


def whole_page() -> NoReturn:
    """Stop here, and draw the whole page.

    Of two requests Streamlit makes one, with the link and the page of the later. The
    browser's that waits, as where something is pressed at this moment, is the one that
    knows them; so this takes over its link, and gives way where it is for a whole page.
    """
    context = get_script_run_ctx()
    requests = None if context is None else context.script_requests
    if context and requests and requests._state == ScriptRequestType.RERUN:
        waiting = requests._rerun_data
        context.query_string = waiting.query_string
        if not waiting.fragment_id_queue:
            st.empty()
    st.rerun()
