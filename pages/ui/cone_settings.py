"""The controls of the views of the Cones page that show one cone."""

from typing import Any, NamedTuple

import streamlit as st

from pages.ui import cone_training, controls, datasets, state
from pages.ui.choice import segments
from pages.ui.cone_training import FEATURES, PRINCIPAL, SIZES, TOYS, Wanted
from rankcore.algorithms.cone_rank import ConeRank
from rankcore.charts.cone import PARTS
from rankcore.hyperparameters import hyperparameters
from rankcore.insight import cone_view as insight

MOST_VECTORS = 8
MAIN = ("lambda_low", "lambda_high")
MORE = ("alpha", "rho", "folding", "basis_update", "init")


class Values(NamedTuple):
    """What the controls say."""

    wanted: Wanted
    cone: tuple[tuple[str, Any], ...]
    shown: list[str]
    at: int

    @property
    def named(self) -> dict[str, Any]:
        """ConeRank's hyperparameters by name."""
        return dict(self.cone)


def toy_settings() -> Values:
    """The controls of the view on a toy ranking."""
    size = _size_picker()
    cone = _vectors()
    noise = st.slider(
        "Noise",
        0.0,
        2.0,
        state.default("cone_noise"),
        0.05,
        help="Added to every feature; 1 is a standard deviation of the feature.",
        **state.widget("cone_noise"),
    )
    at = _pass_picker()
    cone |= _more()
    seed = int(state.get("seed"))
    wanted = Wanted(TOYS[size], noise=noise, seed=seed)
    return Values(wanted, tuple(cone.items()), _parts_picker(), at)


def data_settings() -> Values:
    """The controls of the view on any data set."""
    data = controls.dataset_picker()
    splits = datasets.load_or_stop(data)
    along = segments(
        "Seen along",
        "cone_along",
        (PRINCIPAL, FEATURES),
    )
    if along == FEATURES:
        axes = _features_picker(splits.train)
    else:
        size = min(SIZES[_size_picker()], splits.train.n_features)
        axes = (size,)
    cone = _vectors()
    at = _pass_picker()
    cone |= _more()
    with st.expander("The sample", type="compact"):
        pairs = st.slider(
            "Pairs at most",
            100,
            1500,
            state.default("cone_pairs"),
            100,
            help="Of more pairs a sample is drawn in which queries are equally likely.",
            **state.widget("cone_pairs"),
        )
    wanted = Wanted(
        data,
        along,
        axes,
        pairs=pairs,
        seed=int(state.get("seed")),
        normalise=str(state.get("normalise")),
    )
    return Values(wanted, tuple(cone.items()), _parts_picker(), at)


def _size_picker() -> str:
    return segments(
        "Dimensions",
        "cone_size",
        SIZES,
    )


def _vectors() -> dict[str, Any]:
    declared = hyperparameters(ConeRank)
    k = st.slider(
        f"{declared['n_basis'].title} &ensp;$K$",
        1,
        MOST_VECTORS,
        state.default("cone_k"),
        help=declared["n_basis"].meaning,
        **state.widget("cone_k"),
    )
    return {"n_basis": k} | _declared(MAIN)


def _more() -> dict[str, Any]:
    with st.expander("More settings", type="compact"):
        values = _declared(MORE)
        controls.seed()
    return values


def _declared(names: tuple[str, ...]) -> dict[str, Any]:
    declared = hyperparameters(ConeRank)
    return {
        name: controls.hyperparameter(
            declared[name], state.hyperparameter_key(ConeRank, name)
        )
        for name in names
    }


def _pass_picker() -> int:
    if "cone_pass" in st.session_state:
        cone_training.advance()
    at = st.slider(
        "Pass of training",
        0,
        insight.MOST_PASSES,
        state.default("cone_pass"),
        help="0 is the start. Training often ends before the last pass; what follows "
        "is then the same.",
        **state.widget("cone_pass"),
    )
    if cone_training.playing():
        st.button(
            "Pause",
            key="cone_pause",
            icon=":material/pause:",
            shortcut="P",
            on_click=cone_training.pause,
        )
    else:
        st.button(
            "Play the training",
            key="cone_play",
            icon=":material/play_arrow:",
            shortcut="P",
            on_click=cone_training.play,
        )
    return at


def _parts_picker() -> list[str]:
    return st.pills(
        "Show",
        PARTS,
        selection_mode="multi",
        default=state.default("cone_show"),
        **state.widget("cone_show"),
    )


def _features_picker(dataset: Any) -> tuple[int, ...]:
    """Two or three features, by name; the link holds their numbers, from 1."""
    leading = insight.leading_features(dataset, 2)
    box = "choose_cone_features"
    asked = str(state.get("cone_features")).split(",")
    numbers = {str(j + 1): j for j in range(dataset.n_features)}
    chosen = [numbers[n] for n in dict.fromkeys(map(str.strip, asked)) if n in numbers]
    st.session_state[box] = chosen[:3] or leading

    def picked() -> None:
        numbers = ",".join(str(j + 1) for j in st.session_state[box])
        state.put("cone_features", numbers)

    found = st.multiselect(
        "Two or three features",
        range(dataset.n_features),
        format_func=lambda j: dataset.feature_names[j],
        max_selections=3,
        key=box,
        on_change=picked,
    )
    return tuple(found)
