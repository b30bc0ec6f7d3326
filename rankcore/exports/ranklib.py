"""The text of a RankLib model whose score is a weighted sum, Coordinate Ascent.

RankLib takes the first line for the kind of model, skips further lines that begin with
``##``, and reads one line of ``feature:weight`` in ASCII, where features have the
numbers of a LETOR file, from 1. The plugins of Elasticsearch and OpenSearch read the
same text as ``model/ranklib``.
"""

from typing import TYPE_CHECKING, ClassVar

from rankcore.exports._format import ExportFormat, used

if TYPE_CHECKING:
    from rankcore.algorithms import LinearRanker


class RankLib(ExportFormat):
    """``## Coordinate Ascent``, comments that name the features, and the weights."""

    name: ClassVar[str] = "ranklib"
    title: ClassVar[str] = "RankLib"
    use: ClassVar[str] = (
        "Score with `java -jar RankLib.jar -load FILE -rank DATA -score SCORES`; with "
        "minmax-scaled input and features that are not negative, `-norm linear` there "
        "scales alike."
    )
    ending: ClassVar[str] = ".txt"
    mime: ClassVar[str] = "text/plain"

    def write(self, model: "LinearRanker", name: str) -> str:
        names = model.provenance_.feature_names
        pairs = used(model)
        comments = [f"## {i + 1} is {_one_line(names[i])}\n" for i, _ in pairs]
        weights = " ".join(f"{i + 1}:{weight!r}" for i, weight in pairs)
        head = f"## Coordinate Ascent\n## Model = {_one_line(name)}\n"
        return f"{head}{''.join(comments)}{weights}\n"


def _one_line(text: str) -> str:
    """Printable ASCII without line breaks."""
    return " ".join(text.split()).encode("ascii", "backslashreplace").decode()
