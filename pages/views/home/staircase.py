"""nDCG of a small ranking against one weight: a staircase."""

from typing import Any

from pages.ui import texts
from rankcore.topics.home import first_sight
from rankcore.topics.home.toy import CUTOFF, DOCUMENTS, ideal_order, staircase
from rankcore.views import Number, Popover, Shown, Table, Toy, Values, View, Words

ABOUT = """
A search engine scores documents and shows them in the order of their scores. **Learning
to rank** learns the scores from examples, and nDCG measures how good the order is: it
is 1 when the most relevant documents come first.

nDCG depends on the order only. Move the weight above: most of the time nothing changes,
then two documents change places and nDCG jumps. A staircase has no gradient to follow,
so every algorithm here follows a substitute. RankScope shows which, live.
"""

READING = """
The slider weights two features of eight documents: how well their words match, and how
often they are clicked. The **left column** is the order of the weighted sums, the
**right one** the ideal order; bluer documents are more relevant. Above them stands nDCG
for every weight: **flat** while the order stays the same, with a **jump** where two
documents change places.

**Try.** Move the slider until nDCG is 1, then on: can you tell from one stair which way
to go? Then press Play on *Train live* and watch an algorithm find its way with 136
features.
"""

PYTHON = """
Every algorithm is a scikit-learn estimator.

```python
from rankcore import load_dataset, RSRank

train, valid, test = load_dataset("planted")
model = RSRank(g=10)
model.fit_dataset(train, valid)
print(model.coef_)
```
"""

ALGORITHM = """
One file in `rankcore/algorithms`; its controls are generated automatically.

```python
class MyRanker(LinearRanker):
    rate: float = real(
        0.1, low=1e-4, high=1, scale="log",
        meaning="Length of a step.")

    def steps(self, dataset, rng, start=None):
        yield Step(iteration, coef, objective)
```
"""

WEIGHT = Number("weight", 0.3, "Weight of clicks", low=0.0, high=1.0, inline=True)

PRESETS = {
    "Words only": {"weight": 0.0},
    "A long stair": {"weight": 0.15},
    "Just before a jump": {"weight": 0.399},
    "The ideal order": {"weight": 0.51},
    "Clicks only": {"weight": 1.0},
}


def show(values: Values) -> Shown:
    """Return the ranking, its ideal order, and nDCG over the weight."""
    return Shown(
        blocks=[
            Toy("toy", _toy(values)),
            Words(ABOUT),
            Popover("Show as a table", "stairs", lambda: [_stairs()]),
        ],
        tables={"Staircase": lambda: _stairs().rows, "Stored runs": first_sight.table},
    )


def _toy(values: Values) -> dict[str, Any]:
    palette = values.palette
    fills = [palette.label(document.label, highest=2) for document in DOCUMENTS]
    return {
        "documents": [
            {
                "name": f"{document.name} · {document.label}",
                "relevant": document.label > 0,
                "fill": fill,
                "ink": palette.on(fill),
            }
            for document, fill in zip(DOCUMENTS, fills, strict=True)
        ],
        "pieces": [
            {"start": p.start, "end": p.end, "order": p.order, "ndcg": p.ndcg}
            for p in staircase()
        ],
        "ideal": ideal_order(),
        "measure": f"nDCG@{CUTOFF}",
        "start": values.weight,
    }


def _stairs() -> Table:
    rows = [
        {
            "Weight of clicks from": f"{piece.start:.3f}",
            "to": f"{piece.end:.3f}",
            "Order": " ".join(DOCUMENTS[i].name for i in piece.order),
            f"nDCG@{CUTOFF}": f"{piece.ndcg:.3f}",
        }
        for piece in staircase()
    ]
    return Table("stairs_table", "Staircase", "nDCG between two jumps", rows)


VIEW = View(
    "Staircase",
    "How nDCG changes with one weight.",
    [WEIGHT],
    show,
    presets=PRESETS,
    explain={
        "The measure": texts.measure(f"nDCG@{CUTOFF}"),
        "How to read this": READING,
        "All algorithms": texts.all_algorithms(),
        "Use it from Python": PYTHON,
        "Add your own algorithm": ALGORITHM,
    },
)
