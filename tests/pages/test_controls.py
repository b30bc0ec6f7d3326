import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.state import SETTINGS, Setting, hyperparameter_key, scenario
from rankcore.algorithms import get_algorithm, list_algorithms
from rankcore.hyperparameters import hyperparameters

DECLARED = [
    pytest.param(parameter, id=f"{name}.{parameter.name}")
    for name in list_algorithms()
    for parameter in hyperparameters(get_algorithm(name)).values()
]


def form(name, values):
    import streamlit as st

    from pages.ui import controls, state
    from rankcore.algorithms import get_algorithm

    state.apply(values)
    st.session_state["values"] = controls.hyperparameters(get_algorithm(name))


def run_form(name, values=None, **link):
    test = AppTest.from_function(form, args=(name, values or {}), default_timeout=60)
    for key, value in link.items():
        test.query_params[key] = value
    return test.run()


def opened(page):
    (more,) = (e for e in page.expander if e.label == "More settings")
    return more.proto.expanded


@pytest.mark.parametrize("name", list_algorithms())
def test_untouched_controls_give_the_defaults(name):
    page = run_form(name)
    declared = hyperparameters(get_algorithm(name))

    assert not page.exception
    assert page.session_state["values"] == {
        key: parameter.default
        for key, parameter in declared.items()
        if key != "random_state"
    }


@pytest.mark.parametrize("name", list_algorithms())
def test_presets_reach_the_values(name):
    algorithm = get_algorithm(name)
    for values in algorithm.presets.values():
        page = run_form(name, scenario(algorithm, values))

        assert not page.exception
        shown = page.session_state["values"]
        for key, parameter in hyperparameters(algorithm).items():
            if key in values and parameter.applies(shown):
                assert shown[key] == values[key]


def test_a_link_may_hold_a_value_between_two_stops():
    page = run_form("RSRank", **{"RSRank.g": "33.3"})

    assert not page.exception
    assert page.session_state["values"]["g"] == 33.3


def test_a_link_may_hold_a_name_where_names_are_values():
    page = run_form("SingleFeature", **{"SingleFeature.feature": "BM25"})

    assert not page.exception
    assert page.session_state["values"]["feature"] == "BM25"


@pytest.mark.parametrize("nonsense", ["-1", "nan", "much", ""])
def test_nonsense_in_a_link_gives_the_default(nonsense):
    page = run_form("RSRank", **{"RSRank.g": nonsense})

    assert not page.exception
    default = hyperparameters(get_algorithm("RSRank"))["g"].default
    assert page.session_state["values"]["g"] == default


def test_controls_carry_meaning_and_range():
    page = run_form("RSRank")
    parameter = hyperparameters(get_algorithm("RSRank"))["g"]
    control = page.select_slider(key=hyperparameter_key(get_algorithm("RSRank"), "g"))

    assert parameter.meaning in control.help
    assert parameter.range_text in control.help
    assert parameter.symbol in control.label


def read_back(row):
    """A setting's default, written into a link and read from it."""
    if isinstance(row.default, list):
        return [one for part in row.default for one in row.read(part)]
    return row.read(str(row.default))


def test_a_key_is_in_the_table_once_and_defaults_read_back():
    assert all(key == row.key for key, row in SETTINGS.items())
    assert all(read_back(row) == row.default for row in SETTINGS.values())
    assert Setting("n", 7, int).read("seven") == 7


@pytest.mark.parametrize("name", list_algorithms())
def test_few_controls_are_shown_and_none_of_them_depends_on_a_folded_one(name):
    declared = hyperparameters(get_algorithm(name))
    main = [p for p in declared.values() if not p.advanced]

    assert len(main) <= 9
    assert not any(declared[other].advanced for p in main for other in p.shown_when)


def test_more_settings_open_where_one_differs_and_stay_open():
    assert not opened(run_form("ConeRank"))
    page = run_form("ConeRank", {"ConeRank.alpha": 2.0})
    assert opened(page)


@pytest.mark.parametrize("parameter", DECLARED)
def test_labels_are_words_and_say_more_than_the_symbol(parameter):
    symbol = parameter.symbol.strip("\\").lower()

    assert len(parameter.title) >= 4
    assert parameter.title.lower() != symbol
    assert not parameter.title.lower().startswith("init")


def queries(count):
    import streamlit as st

    from pages.ui import controls

    st.session_state["chosen"] = controls.query_picker(count)


def run_queries(count, **link):
    page = AppTest.from_function(queries, args=(count,))
    page.query_params.update(link)
    return page.run()


def box(page, key):
    """The number in the only box, which has this key."""
    (number,) = page.number_input
    assert number.key == key
    return number.value


def test_a_typed_number_stays_in_its_box_and_is_in_the_link():
    page = run_queries(9, query="4")
    page.number_input[0].set_value(7).run()

    assert box(page, "choose_query_0") == page.session_state["chosen"] == 7
    assert page.query_params["query"] == "7"


def test_a_number_that_the_program_sets_gets_a_new_box():
    page = run_queries(9, query="4")
    page.session_state["query"] = 2
    page.run()

    assert box(page, "choose_query_1") == page.session_state["chosen"] == 2
    page.number_input[0].set_value(3).run()
    assert box(page, "choose_query_1") == page.session_state["chosen"] == 3


def test_a_box_that_has_gone_changes_nothing_any_more():
    page = run_queries(9, query="4")
    told_before = page._tree.get_widget_states()
    page.session_state["query"] = 2
    page.run()
    page._run(told_before)

    assert box(page, "choose_query_1") == page.session_state["chosen"] == 2


@pytest.mark.parametrize("number", ["0", "10", "1.5", "second"])
def test_a_number_that_is_none_of_a_query_becomes_the_first(number):
    page = run_queries(9, query=number)

    assert box(page, "choose_query_0") == page.session_state["chosen"] == 1
    assert "query" not in page.query_params
