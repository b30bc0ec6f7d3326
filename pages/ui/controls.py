"""Controls made from declarations: one widget a setting, the same on every page."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from pages.ui import choice, datasets, state
from rankcore.hyperparameters import Hyperparameter
from rankcore.hyperparameters import hyperparameters as declared_by
from rankcore.measures import Rules

CUTOFFS = (10, 5, 3, 1)
EMPTY = {"zero": "it counts 0", "skip": "it is left out", "one": "it counts 1"}


class MeasureChoice(NamedTuple):
    """A measure, and the two conventions on which its value depends."""

    name: str
    convention: str
    empty: str

    def __str__(self) -> str:
        return f"{self.name}, {self.convention}"

    @property
    def rules(self) -> Rules:
        """The evaluation rules."""
        return Rules(self.convention, self.empty)


def dataset_picker() -> str:
    """Choose a data set; returns its name, which `datasets.load` takes."""
    name = choice.select(
        "Data",
        "data",
        datasets.titles(),
        help="Type to search. The Data page describes each set and takes your own "
        "files.",
    )
    st.caption(datasets.describe(name))
    return name


def normalisation_picker() -> str:
    """Choose how features are scaled within each query."""
    return st.selectbox(
        "Normalise features",
        datasets.NORMALISATIONS,
        help="`minmax` maps each feature to 0 to 1 within each query, as LETOR's "
        "QueryLevelNorm does; `zscore` gives it mean 0 and standard deviation 1.",
        **state.widget("normalise"),
    )


def part_picker(parts: Sequence[str]) -> str:
    """Choose a part of the data: training, validation or test."""
    return st.segmented_control(
        "Part",
        parts,
        default=parts[0],
        required=True,
        label_visibility="collapsed",
        **state.widget("part"),
    )


def query_picker(n_queries: int, label_visibility: str = "visible") -> int:
    """Choose a query by its number, counted from 1."""
    return choice.number(
        "Query",
        "query",
        1,
        n_queries,
        help=f"1 to {n_queries}",
        label_visibility=label_visibility,
    )


def algorithm_picker(refusals: Mapping[str, str] | None = None) -> type:
    """Choose an algorithm, with its equation and paper; returns its class.

    Parameters
    ----------
    refusals : dict, optional
        Algorithms that cannot train on the data, and why.
    """
    from rankcore.algorithms import by_family, get_algorithm

    labels = {
        name: f"{get_algorithm(name).title} · {family}"
        + (" (not for this data)" if name in (refusals or {}) else "")
        for family, names in by_family().items()
        for name in names
    }
    name = choice.select(
        "Algorithm",
        "algorithm",
        labels,
        help="Type to search by name or family. *Explain* lists all of them.",
    )
    algorithm = get_algorithm(name)
    st.caption(algorithm.summary)
    with st.popover("Equation and paper", type="tertiary"):
        st.markdown(f"**{algorithm.title}**")
        st.latex(algorithm.equation)
        st.caption(algorithm.paper)
    return algorithm


def chosen_algorithm() -> type:
    """The class of the algorithm that `algorithm_picker` shows."""
    from rankcore.algorithms import get_algorithm, list_algorithms

    chosen = state.get("algorithm")
    known = chosen in list_algorithms()
    return get_algorithm(chosen if known else state.default("algorithm"))


def presets(algorithm: type) -> dict[str, dict[str, Any]]:
    """An algorithm's instructive settings, as presets for `frame.page`."""
    return {
        title: state.scenario(algorithm, values)
        for title, values in algorithm.presets.items()
    }


def hyperparameters(
    algorithm: type, *without: str, names: Sequence[str] = ()
) -> dict[str, Any]:
    """One control for each hyperparameter that matters; returns all their values.

    Advanced ones are folded away until one of them differs from its default.

    Parameters
    ----------
    algorithm : type
    *without : str
        Names of those to leave out; the seed has a control of its own, `seed`.
    names : sequence of str
        What to offer where a name is a value too: the features of the data.
    """
    values: dict[str, Any] = {}
    declared = declared_by(algorithm)
    left_out = ("random_state", *without)
    offered = {name: p for name, p in declared.items() if name not in left_out}
    main = {name: p for name, p in offered.items() if not p.advanced}
    more = {name: p for name, p in offered.items() if p.advanced}
    _draw(algorithm, main, values, names)
    if any(parameter.applies(values) for parameter in more.values()):
        with st.expander(
            "More settings", expanded=_opened(algorithm, more), type="compact"
        ):
            _draw(algorithm, more, values, names)
    return {name: values.get(name, p.default) for name, p in offered.items()}


def hyperparameter(
    parameter: Hyperparameter, key: str, names: Sequence[str] = ()
) -> Any:
    """The control of one hyperparameter, with its symbol, range and meaning."""
    if parameter.words:
        return _named(parameter, key, names)
    options = parameter.stops(*_wanted(parameter, key))
    shared = {
        "options": options,
        "format_func": parameter.short,
        "help": _help(parameter),
        **state.widget(key),
    }
    if parameter.kind == "choice":
        position = _position(options, parameter.default)
        return st.selectbox(_label(parameter), index=position, **shared)
    value = st.select_slider(_label(parameter), value=parameter.default, **shared)
    st.caption(_range(parameter))
    return value


def measure_picker() -> MeasureChoice:
    """Choose or type the measure to draw, and the conventions it follows."""
    from rankcore.measures import parse

    offered = measures()
    typed = st.selectbox(
        "Measure",
        offered,
        _position(offered, state.default("measure")),
        accept_new_options=True,
        help="Choose one, or type any other: `nDCG@20`, `P(rel=2)@5`, `AP@100`.",
        **state.widget("measure"),
    )
    try:
        name = str(parse(typed))
    except ValueError as error:
        name = state.default("measure")
        st.warning(f"{error} Until then it is {name}.", icon=":material/info:")
    with st.popover("How it is counted", type="tertiary"):
        convention = convention_picker()
        empty = st.selectbox(
            "A query without relevant documents",
            tuple(EMPTY),
            help=" ".join(f"`{rule}`: {words}." for rule, words in EMPTY.items()),
            **state.widget("empty"),
        )
    return MeasureChoice(name, convention, empty)


def convention_picker() -> str:
    """Choose the convention of measures."""
    from rankcore.measures import CONVENTIONS

    return st.selectbox(
        "Convention",
        tuple(CONVENTIONS),
        help="`standard` discounts by 1 / log2(1 + rank) from the first rank on; "
        "`letor3` and `letor4` count as the evaluation scripts of LETOR 3.0 and 4.0 "
        "do.",
        **state.widget("convention"),
    )


def measures() -> list[str]:
    """Measures to suggest: every kind there is, nDCG first, at a few cutoffs."""
    from rankcore.measures import list_measures

    kinds = sorted(list_measures(), key=lambda kind: kind.name != "nDCG")
    names = []
    for kind in kinds:
        few = CUTOFFS if kind.name == "nDCG" else CUTOFFS[:2]
        names += [] if kind.cutoffs == "never" else [f"{kind.name}@{k}" for k in few]
        names += [] if kind.cutoffs == "always" else [kind.name]
    return names


def seed() -> int:
    """Choose the seed of everything random."""
    return st.number_input(
        "Seed",
        min_value=0,
        max_value=9999,
        value=state.default("seed"),
        help="The same seed, data and settings give the same run.",
        **state.widget("seed"),
    )


def _draw(
    algorithm: type,
    parameters: Mapping[str, Hyperparameter],
    values: dict[str, Any],
    names: Sequence[str],
) -> None:
    """Draw those that matter under the values before them, and add their values."""
    for name, parameter in parameters.items():
        shown = parameter.applies(values)
        key = state.hyperparameter_key(algorithm, name)
        values[name] = (
            hyperparameter(parameter, key, names) if shown else parameter.default
        )


def _opened(algorithm: type, advanced: Mapping[str, Hyperparameter]) -> bool:
    """Whether the rest is shown: once something differs there, for the visit."""
    flag = f"more of {algorithm.__name__}"
    defaults = {
        state.hyperparameter_key(algorithm, name): parameter.default
        for name, parameter in advanced.items()
    }
    opened = bool(st.session_state.get(flag)) or not state.matches(defaults)
    st.session_state[flag] = opened
    return opened


def _named(parameter: Hyperparameter, key: str, names: Sequence[str]) -> Any:
    """Choose a name among those offered, or type another one or a number."""
    options = [*parameter.special, *names]
    if key in st.session_state:
        st.session_state[key] = str(st.session_state[key])
    typed = st.selectbox(
        _label(parameter),
        options,
        _position(options, parameter.default),
        accept_new_options=True,
        help=_help(parameter),
        **state.widget(key),
    )
    try:
        return parameter.parse(typed)
    except ValueError as error:
        st.warning(str(error), icon=":material/info:")
        return parameter.default


def _help(parameter: Hyperparameter) -> str:
    return f"{parameter.meaning} It is {parameter.range_text}."


def _wanted(parameter: Hyperparameter, key: str) -> list[Any]:
    """The chosen value, so that one between two stops gets a stop of its own."""
    if key in st.session_state:
        candidate = st.session_state[key]
    elif key in st.query_params:
        try:
            candidate = parameter.parse(st.query_params[key])
        except ValueError:
            return []
        st.session_state[key] = candidate
    else:
        return []
    try:
        return [parameter.check(candidate)]
    except ValueError:
        return []


def _label(parameter: Hyperparameter) -> str:
    if not parameter.symbol:
        return parameter.title
    symbol = f"${parameter.symbol}$"
    return f"{parameter.title} &ensp;{symbol}"


def _range(parameter: Hyperparameter) -> str:
    scale = ", log scale" if parameter.scale == "log" else ""
    return f"{parameter.low:g} to {parameter.high:g}{scale}"


def _position(options: Sequence[Any], value: Any) -> int:
    return options.index(value) if value in options else 0
