"""Geometry: the cone of a toy ranking, in the plane or in space."""

from pages.views.cones import _cone
from rankcore import views
from rankcore.topics.cones import documents_figure as charts
from rankcore.topics.cones.documents import compare_documents, first_query
from rankcore.views import MORE, Number, Panel, Points, Shown, Values, View

NOISE = Number(
    "cone_noise", 0.0, "Noise",
    meaning="Added to every feature; 1 is a standard deviation of the feature.",
    low=0.0, high=2.0, step=0.05, group=MORE,
)  # fmt: skip
NAMES = {str(number): f"x{number}" for number in range(1, 8)}
CENTRE = views.Listed("cone_centre", "1", "Cone drawn at", names=NAMES, inline=True)
PLACES = Points(
    "cone_places",
    "",
    "Document",
    start=lambda values: first_query(_cone.scene(values)).X,
    names=tuple(NAMES.values()),
    inline=True,
    shown_when=lambda values: values.cone_size == "2-D",
)
STAYS = " The cone is still that of training: documents moved since do not change it."


def show(values: Values) -> Shown:
    """Return the cone; of the plane also documents and their differences."""
    shown = _cone.show(values)
    if values.cone_size != "2-D":
        return shown
    compared = compare_documents(
        _cone.scene(values),
        _cone.trained(values),
        values.cone_pass,
        PLACES.points(values),
        int(values.cone_centre) - 1,
    )
    documents = Panel(
        "query_documents",
        "Documents of one query",
        "drag one, or click it to draw the cone there",
        charts.documents_figure(compared, PLACES.begins(values), values.palette),
        _cone.moves(values, documents=PLACES),
        lambda trace, place, *_: (
            {CENTRE.key: str(place + 1)} if trace == "documents" else {}
        ),
    )
    differences = Panel(
        "query_differences",
        "Their differences, better − worse",
        "arrows: with the document that has the cone",
        charts.query_differences_figure(compared, values.palette),
    )
    said = views.Caption(compared.in_words() + STAYS * bool(values.cone_places))
    row = views.Row([[documents, said, views.Ask([CENTRE, PLACES])], [differences]])
    return shown._replace(blocks=[*shown.blocks, row])


def _scene(size: str, vectors: int) -> dict[str, object]:
    """Return a trained cone on a toy as it is, z where it begins."""
    own = {"cone_size": size, "cone_k": vectors, "cone_noise": 0.0}
    return own | {"cone_pass": _cone.ITERATION.default, "cone_z": ""}


VIEW = View(
    "Geometry",
    "The cone that ConeRank learns from two or three features.",
    [_cone.SIZE, _cone.K, NOISE, _cone.ITERATION, *_cone.DETAILS, CENTRE, PLACES],
    show,
    presets={
        "A cone in the plane": _scene("2-D", 2),
        "A cone in space": _scene("3-D", 3),
        "Six vectors in space": _scene("3-D", 6),
    },
    **_cone.PLAYED,
)
