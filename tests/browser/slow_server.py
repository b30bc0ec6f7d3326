"""The app on a server that seldom sends: ``streamlit`` with the same arguments.

What a run has drawn then still waits at the server when the next run begins.
"""

from streamlit.runtime import runtime
from streamlit.web.cli import main

SECONDS = 0.8

if __name__ == "__main__":
    runtime.MESSAGE_FLUSH_INTERVAL_SECS = SECONDS
    main(prog_name="streamlit")
