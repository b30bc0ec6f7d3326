"""The one table of settings: what a link may carry, its default and its kind.

A key is a name in the link and in the session alike, shared by all pages on purpose, so
that a choice follows the visitor from page to page. Hyperparameters need no row: their
declarations make their keys, such as ``RSRank.g``. Names in a link that nobody knows
are ignored, and nonsense falls back to the default.
"""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.ui.figures_first import runs_a_part
from rankcore.hyperparameters import Hyperparameter, hyperparameters
from rankcore.insight.measure_terms import measures_with_terms
from rankcore.numbers import quoted, read_number

TERM_BY_TERM = tuple(measure.name for measure in measures_with_terms(1))


@dataclass(frozen=True)
class Setting:
    """One setting of the app.

    Attributes
    ----------
    key : str
        Its name in links and in the session.
    default : value
    kind : {str, int, float}
        The type that a value in a link is read as.
    link : bool
        Whether it travels in links; otherwise it lasts for the session only.
    bound : bool
        Whether Streamlit ties its control to the link. If not, as where a control
        shows labels but the link holds names, `put` writes the link.
    low, high : float or None
        The range of a number, both ends included; without ``high`` it has no end.
    choices : tuple
        The values there are, where they are few; empty: any.
    """

    key: str
    default: Any
    kind: Callable[[Any], Any] = str
    link: bool = True
    bound: bool = True
    low: float | None = None
    high: float | None = None
    choices: tuple[Any, ...] = ()

    def read(self, text: str) -> Any:
        """The value that ``text`` in a link stands for, or the default."""
        try:
            return self.parse(text)
        except ValueError:
            return self.default

    def parse(self, text: str) -> Any:
        """The value that ``text`` stands for.

        Raises
        ------
        ValueError
            If it stands for none; the sentence says what may be there.
        """
        try:
            value = self._value(text)
        except ValueError:
            number = "a whole number" if self.kind is int else "a number"
            raise ValueError(
                f"{self.key} must be {number}, not {quoted(text)}"
            ) from None
        if self.choices and value not in self.choices:
            offered = ", ".join(map(str, self.choices))
            raise ValueError(f"{self.key} must be one of {offered}, not {quoted(text)}")
        low = -math.inf if self.low is None else self.low
        high = math.inf if self.high is None else self.high
        if isinstance(value, int | float) and not low <= value <= high:
            raise ValueError(f"{self.key} must be {self._range()}, not {quoted(text)}")
        return value

    def _value(self, text: str) -> Any:
        if self.kind in (int, float):
            return self.kind(read_number(text, whole=self.kind is int))
        return self.kind(text)

    def _range(self) -> str:
        if self.low is None:
            return "a number"
        if self.high is None:
            return f"at least {self.low:g}"
        return f"from {self.low:g} to {self.high:g}"


SETTINGS = {
    row.key: row
    for row in (
        Setting("lesson", "", bound=False),
        Setting("step", 1, int, bound=False, low=1, high=99),
        Setting("present", 0, int, bound=False, choices=(0, 1)),
        Setting("outline", "", bound=False),
        Setting("data", "mslr10k-sample", bound=False),
        Setting("normalise", "as given", choices=("as given", "minmax", "zscore")),
        Setting("part", "train"),
        Setting("query", 1, int, bound=False, low=1),
        Setting("algorithm", "RSRank", bound=False),
        Setting("measure", "nDCG@10"),
        Setting("convention", "standard", choices=("standard", "letor3", "letor4")),
        Setting("empty", "zero", choices=("zero", "skip", "one")),
        Setting("seed", 0, int, low=0, high=9999),
        Setting("weight", 0.3, float, bound=False, low=0, high=1),
        Setting("ranking", "A0-B2-C1-D0-E1", bound=False),
        Setting("cutoff", 5, int, low=1, high=12),
        Setting("tied_to", 1, int, low=1, high=8),
        Setting("mover", "A", bound=False),
        Setting(
            "alpha", 3.0, float, choices=(0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0)
        ),
        Setting("taken_apart", "nDCG", choices=TERM_BY_TERM),
        Setting(
            "speed",
            "30 steps a second",
            choices=(
                "2 steps a second",
                "10 steps a second",
                "30 steps a second",
                "100 steps a second",
                "as fast as it goes",
            ),
        ),
        Setting("sparse", "RSRank", bound=False),
        Setting("values", 12, int, low=4, high=40),
        Setting("axis", "log", choices=("log", "linear")),
        Setting("tolerance", 3.0, float, low=0, high=10),
        Setting("sparse_view", "One path", choices=("One path", "Compare rules")),
        Setting("path_at", "", bound=False),
        Setting("path_query", "", bound=False),
        Setting("red_view", "Pairs", choices=("Pairs", "Losses", "Swaps", "Regrets")),
        Setting("red_source", "by hand", choices=("by hand", "a query of the data")),
        Setting(
            "red_gap", 0.5, float, choices=(0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0)
        ),
        Setting("red_steps", 20, int, low=0, high=60),
        Setting("red_phi", "RSRank", choices=("RSRank", "hinge", "logistic", "0-1")),
        Setting("red_curve", "loss", choices=("loss", "slope")),
        Setting("red_first", "001"),
        Setting("red_second", "110"),
        Setting("red_p", 0.6, float, low=0, high=1),
        Setting("red_order", "132", bound=False),
        Setting("red_among", "all orders", choices=("all orders", "all classifiers")),
        Setting("land_shape", "Circle", choices=("Line", "Circle", "Sphere")),
        Setting("land_measure", "nDCG", choices=("AP", "P@5", "RR", "nDCG", "nDCG@5")),
        Setting("land_first", "", bound=False),
        Setting("land_second", "", bound=False),
        Setting("land_third", "", bound=False),
        Setting("land_from", "LeastSquares", bound=False),
        Setting("land_to", "RSRank", bound=False),
        Setting("land_queries", 6, int, low=1, high=20),
        Setting("land_angle", 30.0, float, low=0, high=360),
        Setting("land_t", 0.5, float, low=-0.25, high=1.25),
        Setting("land_colour", "exact", choices=("exact", "smooth")),
        Setting("land_restarts", 20, int, low=2, high=100),
        Setting(
            "land_restarts_in",
            "these coordinates",
            choices=("these coordinates", "all features"),
        ),
        Setting(
            "approx_view",
            "One list",
            choices=("One list", "Along training", "Landscape", "What is true"),
        ),
        Setting(
            "approx_list",
            "4.20074:0, 3.12378:0, 4.40918:2, 1.55258:0, 4.1333:1",
            bound=False,
        ),
        Setting("approx_alpha", 10.0, float, low=1e-6),
        Setting("approx_beta", 10.0, float, low=1e-6),
        Setting("approx_k", 2, int, low=1, high=10),
        Setting(
            "approx_measure", "AP", choices=("nDCG", "nDCG@k", "AP", "ERR", "P@k", "RR")
        ),
        Setting(
            "approx_claim",
            "Ties",
            choices=("Ties", "Strict inequality", "Centre of the cutoff", "Long lists"),
        ),
        Setting(
            "approx_optimiser", "lbfgs", choices=("lbfgs", "stochastic", "annealing")
        ),
        Setting("approx_passes", 60, int, low=10, high=300),
        Setting("approx_run", "", bound=False),
        Setting(
            "cone_view",
            "Geometry",
            choices=("Geometry", "Any data", "Quality and K", "What is true"),
        ),
        Setting("cone_size", "2-D", choices=("2-D", "3-D")),
        Setting("cone_k", 2, int, low=1, high=8),
        Setting("cone_noise", 0.0, float, low=0, high=2),
        Setting("cone_pass", 30, int, low=0, high=30),
        Setting("cone_z", "", bound=False),
        Setting("cone_show", ["residuals", "simplex", "half-space"], lambda t: [t]),
        Setting(
            "cone_along",
            "principal directions",
            choices=("principal directions", "features"),
        ),
        Setting("cone_features", "", bound=False),
        Setting("cone_pairs", 400, int, low=100, high=1500),
        Setting("cone_most", 10, int, low=2, high=20),
        Setting(
            "cone_claim",
            "Votes and the linear score",
            choices=(
                "Votes and the linear score",
                "Clipping is a projection",
                "A cone of few vectors is proper",
                "The negative projects to zero",
            ),
        ),
        Setting("cone_documents", "", bound=False),
        Setting("cone_vectors", "", bound=False),
        Setting("cone_target", "", bound=False),
        Setting("cone_rate", 0.01, float, choices=(0.001, 0.01, 0.1)),
        Setting("cone_flat", 2, int, low=1, high=6),
    )
}


# Where a visitor is in a lesson: not a choice, so that *Reset* leaves it.
PLACE = ("lesson", "step", "present")

# For this long after a choice a browser may still send the address from before.
SETTLING_SECONDS = 2.0


def default(key: str) -> Any:
    """The value a setting has when nobody has chosen one."""
    return SETTINGS[key].default


def widget(key: str) -> dict[str, Any]:
    """The arguments that tie a widget to a setting: ``st.slider(…, **widget(key))``."""
    if key in SETTINGS and (not SETTINGS[key].link or _drops_no_number(key)):
        return {"key": key, "persist_state": "session"}
    return {"key": key, "bind": "query-params"}


def _drops_no_number(key: str) -> bool:
    """Whether the link held what is no number, such as 1e999, and has been rid of it.

    Streamlit fails on some of that, so the control is tied to the link from the next
    run on.
    """
    if SETTINGS[key].kind not in (int, float) or key not in st.query_params:
        return False
    try:
        read_number(st.query_params[key])
    except ValueError:
        del st.query_params[key]
        return True
    return False


def get(key: str) -> Any:
    """A setting's value, also on pages that do not show its control."""
    setting = SETTINGS[key]
    if not setting.bound:
        _follow_link(key)
    if key in st.session_state:
        return st.session_state[key]
    if setting.link and key in st.query_params:
        return setting.read(st.query_params[key])
    return setting.default


def put(key: str, value: Any) -> None:
    """Set an unbound setting, and write it into the link unless it is the default."""
    st.session_state[key] = value
    st.session_state[_noted(key)] = (str(value), time.monotonic())
    if value == SETTINGS[key].default:
        st.query_params.pop(key, None)
    elif st.query_params.get(key) != str(value):
        st.query_params[key] = str(value)


def _follow_link(key: str) -> None:
    """Take over an unbound setting from an address that has just been opened.

    That draws the whole page. A part may be asked for with the address from before.
    """
    asked = st.query_params.get(key)
    known, since = st.session_state.get(_noted(key), (None, -SETTLING_SECONDS))
    settled = time.monotonic() - since > SETTLING_SECONDS and not runs_a_part()
    if asked is not None and asked != known and (settled or known is None):
        st.session_state[key] = SETTINGS[key].read(asked)
        st.session_state[_noted(key)] = (asked, -SETTLING_SECONDS)


def _noted(key: str) -> str:
    return f"{key} in the link"


def apply(values: Mapping[str, Any]) -> None:
    """Set settings in a callback, or before their controls are drawn."""
    for key, value in values.items():
        st.session_state[key] = value


def matches(values: Mapping[str, Any]) -> bool:
    """Whether the settings have these values now."""
    return all(_current(key) == value for key, value in values.items())


def reset() -> None:
    """Put everything the visitor has chosen back to its default."""
    for key in [str(key) for key in st.session_state]:
        if key in PLACE:
            continue
        if key in SETTINGS:
            st.session_state[key] = SETTINGS[key].default
        elif (declared := declaration(key)) is not None:
            st.session_state[key] = declared.default


def hyperparameter_key(algorithm: type, name: str) -> str:
    """The key of a hyperparameter: ``RSRank.g``."""
    return f"{algorithm.__name__}.{name}"


def declaration(key: str) -> Hyperparameter | None:
    """The hyperparameter whose key this is, or None."""
    from rankcore.algorithms import get_algorithm, list_algorithms

    algorithm, _, name = key.partition(".")
    if algorithm not in list_algorithms():
        return None
    return hyperparameters(get_algorithm(algorithm)).get(name)


def scenario(algorithm: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that choose an algorithm with ``values``, the rest by default."""
    settings = {
        hyperparameter_key(algorithm, name): values.get(name, declared.default)
        for name, declared in hyperparameters(algorithm).items()
        if name != "random_state"
    }
    return {"algorithm": algorithm.__name__, **settings}


def _current(key: str) -> Any:
    if key in SETTINGS:
        return get(key)
    if key in st.session_state:
        return st.session_state[key]
    declared = declaration(key)
    if declared is None:
        return None
    try:
        return declared.parse(st.query_params[key])
    except (KeyError, ValueError):
        return declared.default
