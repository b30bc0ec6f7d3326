"""The whole page is drawn again with what the browser has asked for meanwhile."""

from types import SimpleNamespace

import pytest
from streamlit.runtime.scriptrunner_utils.script_requests import (
    RerunData,
    ScriptRequests,
    ScriptRequestType,
)

from pages.ui import rerun


class GivenWayError(Exception):
    """Raised where a run lets go."""


@pytest.fixture
def context(monkeypatch):
    """A run of ``page`` with the link ``old``, and the requests that it makes."""
    requests = ScriptRequests()
    found = SimpleNamespace(script_requests=requests, query_string="old")

    def again():
        requests.request_rerun(RerunData(found.query_string, page_script_hash="page"))
        raise GivenWayError

    def gives_way():
        assert requests.on_scriptrunner_yield() is not None, "something was drawn"
        raise GivenWayError

    monkeypatch.setattr(rerun, "get_script_run_ctx", lambda: found)
    monkeypatch.setattr(rerun, "st", SimpleNamespace(rerun=again, empty=gives_way))
    return found


def asked(context):
    with pytest.raises(GivenWayError):
        rerun.whole_page()
    return context.script_requests._rerun_data


def test_the_link_is_as_it_was_where_nothing_else_was_asked_for(context):
    assert asked(context).query_string == "old"


def test_a_newer_link_is_kept_and_the_whole_page_drawn(context):
    pressed = RerunData("new", page_script_hash="page", fragment_id="a part")
    context.script_requests.request_rerun(pressed)

    request = asked(context)
    assert request.query_string == "new"
    assert request.fragment_id_queue == []


def test_another_page_is_not_called_back(context):
    context.script_requests.request_rerun(RerunData("new", page_script_hash="other"))

    assert asked(context).page_script_hash == "other"
    assert context.script_requests._state == ScriptRequestType.CONTINUE
