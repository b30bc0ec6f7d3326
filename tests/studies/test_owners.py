"""Where all browsers are one person's, and what the settings may be."""

import pytest

from rankcore.studies import owners

LOCAL = ("localhost", "127.0.0.1")


@pytest.fixture(autouse=True)
def unset(monkeypatch):
    for variable in (owners.ONE_PERSON, owners.COMMON_RUNS, "RANKSCOPE_DATABASE_URL"):
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize(
    ("address", "hosts"),
    [
        ("127.0.0.1", LOCAL),
        ("localhost", LOCAL),
        ("::1", (*LOCAL, "[::1]")),
        ("127.0.0.2", (*LOCAL, "127.0.0.2")),
    ],
)
def test_a_server_of_this_computer_alone_is_one_person_s(address, hosts):
    assert owners.one_person(address, hosts, ())


@pytest.mark.parametrize(
    ("address", "hosts"),
    [
        (None, LOCAL),
        ("0.0.0.0", LOCAL),
        ("::", LOCAL),
        ("192.168.1.5", LOCAL),
        ("unix:///run/rankscope.sock", LOCAL),
        ("127.0.0.1.example.org", LOCAL),
        # Behind a proxy of this computer.
        ("127.0.0.1", (*LOCAL, "rankscope.example.org")),
        ("127.0.0.1", ("*",)),
        ("127.0.0.1", ()),
    ],
)
def test_a_server_that_others_reach_is_not(address, hosts):
    assert not owners.one_person(address, hosts, ())


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"])
def test_a_request_through_a_proxy_is_anybody_s(header):
    assert not owners.one_person("127.0.0.1", LOCAL, {header: "127.0.0.1"})
    assert not owners.one_person("0.0.0.0", LOCAL, {header: "127.0.0.1"})


def test_a_database_of_several_servers_is_not_one_person_s(monkeypatch):
    monkeypatch.setenv("RANKSCOPE_DATABASE_URL", "postgresql://db.example.org/runs")
    assert not owners.one_person("127.0.0.1", LOCAL, ())
    monkeypatch.setenv("RANKSCOPE_DATABASE_URL", "sqlite:////data/runs.sqlite")
    assert owners.one_person("127.0.0.1", LOCAL, ())


def test_the_operator_s_word_wins(monkeypatch):
    monkeypatch.setenv(owners.ONE_PERSON, "no")
    assert not owners.one_person("127.0.0.1", LOCAL, ())
    monkeypatch.setenv(owners.ONE_PERSON, "yes")
    assert owners.one_person("0.0.0.0", ("rankscope.example.org",), {"Via": "1.1 p"})


@pytest.mark.parametrize(
    ("variable", "choices"),
    [(owners.ONE_PERSON, "yes or no"), (owners.COMMON_RUNS, "editable or read-only")],
)
def test_a_setting_that_is_none_of_its_choices_is_refused(
    variable, choices, monkeypatch
):
    owners.check()
    monkeypatch.setenv(variable, "perhaps")
    with pytest.raises(ValueError, match=f"{variable} is 'perhaps': write {choices}"):
        owners.check()
