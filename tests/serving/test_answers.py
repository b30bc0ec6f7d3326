"""The safety of answers: who may frame the app, and which cookies are the server's."""

import json
import re
import stat
import urllib.request
from urllib.error import HTTPError

import pytest

from pages.ui.serving import secret, visitor
from pages.ui.serving.answers import headers
from pages.ui.serving.visitor import COOKIE, SECURE_COOKIE, digest, token_of
from rankcore.views import past
from tests.streamlit_client import cookie_of

OLD = "A" * 43


def answer(url, path="/", **sent):
    return urllib.request.urlopen(urllib.request.Request(url + path, headers=sent))


@pytest.mark.parametrize("path", ["/", "/healthz", "/_stcore/health", "/news"])
def test_every_answer_says_what_a_browser_may_do_with_it(url, path):
    with answer(url, path) as result:
        value = result.headers
    assert value["Content-Security-Policy"] == (
        "frame-ancestors 'self' https://courses.example.org"
    )
    assert value["X-Content-Type-Options"] == "nosniff"
    assert value["Referrer-Policy"] == "same-origin"


def test_figures_of_the_process_are_not_for_everybody(url):
    with pytest.raises(HTTPError) as refused:
        answer(url, "/_stcore/metrics")
    with refused.value as value:
        assert value.code == 404


def test_no_other_host_may_command_the_app(url):
    with answer(url, "/_stcore/host-config") as result:
        assert json.load(result)["allowedOrigins"] == []


def test_the_key_of_cookies_is_beside_the_runs_and_its_owner_s(url, folder):
    cookie_of(url)
    file = folder / secret.FILE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert re.fullmatch("[0-9a-f]{64}", file.read_text())
    assert [other.name for other in folder.glob(f"{secret.FILE}*")] == [secret.FILE]


@pytest.mark.parametrize(
    "cookie", [OLD, f"{OLD}.", f"{OLD}.{'0' * 43}", f"{OLD}.é", "x"]
)
def test_a_cookie_that_was_never_given_is_not_taken(url, cookie):
    with answer(url, Cookie=f"{COOKIE}={cookie}".encode()) as result:
        assert OLD not in result.headers["Set-Cookie"]


def test_over_https_no_other_host_of_the_domain_can_set_it(url):
    with answer(url, **{"X-Forwarded-Proto": "https"}) as result:
        value = result.headers["Set-Cookie"]
    assert value.startswith(f"{SECURE_COOKIE}=")
    assert value.endswith("; Secure")
    token = value.partition("=")[2].partition(";")[0]
    with answer(url, Cookie=f"{SECURE_COOKIE}={token}; {COOKIE}=other") as again:
        assert token in again.headers["Set-Cookie"]


def test_a_visitor_of_before_cookies_were_signed_keeps_the_runs(monkeypatch):
    monkeypatch.setattr(past, "has_visitor", {digest(OLD)}.__contains__)
    assert token_of({COOKIE: OLD}) == OLD
    assert token_of({COOKIE: "B" * 43}) == ""
    signed = visitor._cookie(OLD, "http").partition("=")[2].partition(";")[0]
    monkeypatch.setattr(past, "has_visitor", lambda visitor: False)
    assert token_of({COOKIE: signed}) == OLD


def test_servers_of_one_secret_know_each_other_s_cookies(monkeypatch):
    written = []
    for key in ("a" * 16, "b" * 16, "a" * 16):
        monkeypatch.setenv(secret.VARIABLE, key)
        secret._key.cache_clear()
        secret.signature.cache_clear()
        written.append(secret.signature(OLD))
    secret._key.cache_clear()
    secret.signature.cache_clear()
    assert written[0] == written[2] != written[1]


def test_a_secret_that_can_be_guessed_is_refused(monkeypatch):
    monkeypatch.setenv(secret.VARIABLE, "short")
    with pytest.raises(ValueError, match="needs at least 16"):
        secret.check()


@pytest.mark.parametrize(
    "wrong", ["courses.example.org", "https://a.example/x", "*", "https://a;b"]
)
def test_what_is_no_origin_is_refused(wrong):
    with pytest.raises(ValueError, match="not an origin"):
        headers(f"https://right.example {wrong}")
