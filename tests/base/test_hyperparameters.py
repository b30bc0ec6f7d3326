"""Hyperparameters: one declaration drives checks, parsing and printing."""

import math
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcore.algorithms import get_algorithm, list_algorithms
from rankcore.base.grids import grid
from rankcore.base.hyperparameters import (
    check_all,
    choice,
    hyperparameters,
    in_words,
    integer,
    real,
)
from tests.odd_texts import numbers, outcome, texts


@dataclass
class Example:
    g: float = real(
        0.0, low=0.0, high=250.0, scale="log", symbol="g", meaning="Weight."
    )
    learning_rate: float | str = real(
        "auto", low=1e-6, high=1.0, special=("auto",), meaning="Step."
    )
    cutoff: int | None = integer(
        None, low=1, high=100, maximum=1000, optional=True, meaning="Cutoff."
    )
    rule: str = choice("paper", ("paper", "langford"), meaning="Shrinkage rule.")
    interval: int = integer(
        1, low=1, high=9, meaning="Interval.", shown_when={"rule": ("paper",)}
    )


DECLARED = hyperparameters(Example)
every_algorithm = pytest.mark.parametrize("name", list_algorithms())


def declared(name):
    return hyperparameters(get_algorithm(name)).values()


def test_declarations_come_in_order_with_their_details():
    assert list(DECLARED) == ["g", "learning_rate", "cutoff", "rule", "interval"]
    assert DECLARED["g"].symbol == "g"
    assert DECLARED["g"].minimum == 0.0
    assert DECLARED["g"].maximum is None
    assert DECLARED["learning_rate"].title == "Learning rate"
    assert hyperparameters(Example(g=3.0)) == DECLARED


def test_a_number_of_things_is_called_so():
    assert replace(DECLARED["cutoff"], name="n_restarts").title == "Number of restarts"
    assert replace(DECLARED["cutoff"], name="n", label="Height").title == "Height"


def test_inherited_ones_come_last_and_labels_replace_names():
    @dataclass
    class Special(Example):
        h: float = real(1.0, low=0.0, high=2.0, label="Height", meaning="Height.")

    assert list(hyperparameters(Special)) == ["h", *DECLARED]
    assert hyperparameters(Special)["h"].title == "Height"

    @dataclass
    class Narrow(Special):
        k: int = integer(1, low=1, high=2, meaning="Count.")

    assert list(hyperparameters(Narrow)) == ["k", "h", *DECLARED]

    @dataclass
    class Lower(Narrow):
        h: float = real(0.5, low=0.0, high=1.0, meaning="Height.")

    assert list(hyperparameters(Lower)) == ["k", "h", *DECLARED]
    assert hyperparameters(Lower)["h"].default == 0.5


def test_values_come_back_in_their_own_type():
    assert isinstance(DECLARED["g"].check(3), float)
    assert DECLARED["g"].check(300.0) == 300.0
    assert DECLARED["learning_rate"].check("auto") == "auto"
    assert DECLARED["cutoff"].check(None) is None
    assert DECLARED["cutoff"].check(1000) == 1000


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("g", -1.0, "a number of at least 0"),
        ("g", float("nan"), "a number of at least 0"),
        ("g", float("inf"), "a number of at least 0"),
        ("g", True, "a number of at least 0"),
        ("g", None, "a number of at least 0"),
        ("learning_rate", "fast", "a number of at least 1e-06 or 'auto'"),
        ("cutoff", 0, "a whole number from 1 to 1000 or none"),
        ("cutoff", 1001, "a whole number from 1 to 1000 or none"),
        ("cutoff", 2.5, "a whole number from 1 to 1000 or none"),
        ("rule", "other", "one of paper, langford"),
        ("rule", 1, "one of paper, langford"),
    ],
)
def test_what_is_not_permitted_gets_a_sentence(name, value, allowed):
    with pytest.raises(ValueError, match="must be") as caught:
        DECLARED[name].check(value)
    assert str(caught.value) == f"{name} must be {allowed}, not {value!r}."


def test_a_wrong_text_gets_the_same_sentence():
    with pytest.raises(ValueError, match=r"cutoff must be .*, not 'ten'\."):
        DECLARED["cutoff"].parse("ten")


@given(st.floats(min_value=0, allow_nan=False, allow_infinity=False))
def test_a_printed_number_reads_back(value):
    assert DECLARED["g"].parse(DECLARED["g"].format(value)) == value


@pytest.mark.parametrize(
    ("name", "value"),
    [("cutoff", None), ("cutoff", 7), ("learning_rate", "auto"), ("rule", "langford")],
)
def test_other_printed_values_read_back(name, value):
    assert DECLARED[name].parse(DECLARED[name].format(value)) == value


def test_one_hyperparameter_can_depend_on_another():
    assert DECLARED["interval"].applies({"rule": "paper"})
    assert not DECLARED["interval"].applies({"rule": "langford"})
    assert DECLARED["g"].applies({})


def test_all_are_checked_at_once():
    check_all(Example())
    with pytest.raises(ValueError, match="rule must be one of"):
        check_all(Example(rule="none"))


ANYTHING = st.one_of(
    st.none(), st.booleans(), numbers, texts, st.lists(numbers), st.decimals()
)


@pytest.mark.parametrize("name", list(DECLARED))
@given(text=texts, value=ANYTHING)
def test_anything_is_permitted_or_gets_the_sentence(name, text, value):
    declared = DECLARED[name]
    for read, given_value in ((declared.parse, text), (declared.check, value)):
        permitted, sentence = outcome(read, given_value)
        if sentence is None:
            assert declared.check(permitted) == permitted
        else:
            assert sentence.startswith(f"{name} must be {declared.range_text}, not ")
            assert len(sentence) < 250


def test_a_whole_number_has_a_maximum_if_none_is_declared():
    assert DECLARED["interval"].range_text == "a whole number from 1 to 1000000000"
    assert DECLARED["interval"].check(10**9) == 10**9
    with pytest.raises(ValueError, match="interval must be a whole number from 1 to"):
        DECLARED["interval"].check(10**9 + 1)


@every_algorithm
def test_every_stop_is_permitted_and_its_short_text_reads_back(name):
    for parameter in declared(name):
        for value in parameter.stops():
            assert parameter.check(value) == value, parameter.name
            assert parameter.parse(parameter.short(value)) == value, parameter.name


@every_algorithm
def test_stops_reach_both_ends_and_hold_the_default(name):
    for parameter in declared(name):
        offered = parameter.stops()

        assert parameter.default in offered, parameter.name
        assert len(offered) == len(set(offered)) <= 200, parameter.name
        if parameter.kind != "choice":
            assert {parameter.low, parameter.high} <= set(offered), parameter.name


@every_algorithm
def test_named_values_come_first_and_numbers_rise(name):
    for parameter in declared(name):
        offered = parameter.stops()
        if parameter.kind == "choice":
            assert offered == list(parameter.choices), parameter.name
            continue
        named = [*parameter.special, *([None] if parameter.optional else [])]
        numbers = offered[len(named) :]

        assert offered[: len(named)] == named, parameter.name
        assert numbers == sorted(numbers), parameter.name
        assert all(math.isfinite(number) for number in numbers), parameter.name


def test_wanted_values_get_a_stop_of_their_own():
    offered = DECLARED["g"].stops(33.3, None)

    assert 33.3 in offered
    assert offered == sorted({*DECLARED["g"].stops(), 33.3})
    assert DECLARED["learning_rate"].stops("auto") == DECLARED["learning_rate"].stops()


def test_a_grid_has_round_numbers_and_both_ends():
    assert grid(0.0, 1.0) == [i / 100 for i in range(101)]
    assert grid(0.0, 2.5) == [i / 20 for i in range(51)]
    assert grid(0.5, 4.0, "log") == [0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0]
    assert grid(0.0, 3.0, "log", whole=True) == [0.0, 1.0, 1.5, 2.0, 3.0]
    assert grid(0.0, 1.0, "log")[:2] == [0.0, 1e-4]


@pytest.mark.parametrize(
    ("value", "text"), [(1e-3, "0.001"), (0.1 + 0.2, repr(0.1 + 0.2)), (None, "none")]
)
def test_short_texts_lose_no_digit(value, text):
    assert replace(DECLARED["g"], optional=True).short(value) == text


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"g": 0.0, "learning_rate": "auto", "cutoff": None}, ""),
        ({"interval": 3, "g": 30, "unknown": 1}, "g = 30, interval = 3"),
        ({"rule": "langford", "interval": 3}, "rule = langford"),
        ({"learning_rate": 0.1, "cutoff": 5}, "learning rate = 0.1, cutoff = 5"),
    ],
)
def test_settings_are_told_where_they_are_not_as_by_default(settings, words):
    assert in_words(Example, settings) == words
