"""The text of a RankLib model: Coordinate Ascent for weights, LambdaMART for trees.

RankLib takes the first line for the kind of model, skips further lines that begin with
``##``, and reads one line of ``feature:weight`` in ASCII, or the lines of an XML
ensemble put together, where features have the numbers of a LETOR file, from 1, and a
document goes left where its feature, a 32-bit number, is at most the threshold. The
plugins of Elasticsearch and OpenSearch read the same text as ``model/ranklib``.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rankcore.studies.exports._format import ExportFormat, used
from rankcore.studies.exports._trees import compared, last_left, nested, single

if TYPE_CHECKING:
    from rankcore.algorithms import LinearRanker, Ranker
    from rankcore.algorithms.parts.forests import Tree


class RankLib(ExportFormat):
    """``## Coordinate Ascent`` or ``## LambdaMART``, comments that name the features,
    and the weights or trees."""

    name: ClassVar[str] = "ranklib"
    title: ClassVar[str] = "RankLib"
    use: ClassVar[str] = (
        "Score with `java -jar RankLib.jar -load FILE -rank DATA -score SCORES`; with "
        "minmax-scaled input and features that are not negative, `-norm linear` there "
        "scales alike."
    )
    ending: ClassVar[str] = ".txt"
    mime: ClassVar[str] = "text/plain"
    holds_trees: ClassVar[bool] = True

    def write_linear(self, model: "LinearRanker", name: str) -> str:
        pairs = used(model)
        weights = " ".join(f"{i + 1}:{weight!r}" for i, weight in pairs)
        comments = _comments(model, name, [i for i, _ in pairs])
        return f"## Coordinate Ascent\n{comments}{weights}\n"

    def write_trees(self, trees: "Sequence[Tree]", model: "Ranker", name: str) -> str:
        rooted = "".join(
            f'<tree id="{number}" weight="1.0">\n{_rooted(tree)}</tree>\n'
            for number, tree in enumerate(trees, start=1)
        )
        comments = _comments(model, name, compared(trees))
        return f"## LambdaMART\n{comments}<ensemble>\n{rooted}</ensemble>\n"

    def commands(self, name: str, file: str) -> str:
        return f"java -jar RankLib.jar -load {file} -rank DATA -score SCORES\n"


def _comments(model: "Ranker", name: str, numbers: Sequence[int]) -> str:
    names = model.provenance_.feature_names
    comments = [f"## {i + 1} is {_one_line(names[i])}\n" for i in numbers]
    return f"## Model = {_one_line(name)}\n{''.join(comments)}"


def _rooted(tree: "Tree") -> str:
    """Return a tree; lines have no blanks before, which would become part of the
    XML."""

    def side(text: str, where: str) -> str:
        return text.replace("<split>", f'<split pos="{where}">', 1)

    return nested(
        tree,
        lambda node: (
            f"<split>\n<output> {single(tree.value[node])!r} </output>\n</split>\n"
        ),
        lambda node, left, right: (
            f"<split>\n<feature> {int(tree.feature[node]) + 1} </feature>\n"
            f"<threshold> {single(last_left(tree.threshold[node]))!r} </threshold>\n"
            f"{side(left, 'left')}{side(right, 'right')}</split>\n"
        ),
    )


def _one_line(text: str) -> str:
    """Printable ASCII without line breaks."""
    return " ".join(text.split()).encode("ascii", "backslashreplace").decode()
