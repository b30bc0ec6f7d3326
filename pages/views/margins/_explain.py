"""The *Explain* panel of the Margins page."""

from pages.ui import texts
from rankcore.algorithms import get_algorithm
from rankcore.views import Values

EQUATION = r"""
Each query has one slack, the amount by which its margins fail:

$$\min_{w,\,\xi \ge 0} w^\top w + \sum_\ell \frac{C_\ell}{|Q|} \sum_q \xi_q^\ell
\quad\text{with}\quad
w^\top \big(\phi(x_q, y^*_q) - \phi(x_q, y)\big) \ge \Delta_\ell(y) - \xi_q^\ell
\;\text{ for every order } y.$$

There are $n!$ orders, but only the most violated one counts:
$\xi_q = \max_y\, \Delta(y) - w^\top \delta\phi(y)$. It is found exactly. For AUC,
average precision, NDCG and the reciprocal rank, the algorithm merges the relevant and
the irrelevant documents, each by falling score; for graded labels it assigns documents
to ranks. The predicted order $\hat y$ is among all orders, and the model prefers no
order to it, so $\xi_q \ge \Delta(\hat y)$: the slack is an upper bound of the loss.

The feature map $\phi_\mathrm{po}$ compares every relevant document with every
irrelevant one; $\phi_\mathrm{mrr}$ compares only the first relevant document with the
irrelevant ones above it. The paper's general scheme of merging by score does not cover
$\phi_\mathrm{mrr}$: its most violated order has the *lowest* relevant document first.
"""
SOURCES = """
S. Chakrabarti, R. Khanna, U. Sawant, C. Bhattacharyya, *Structured learning for
non-smooth ranking losses*, KDD 2008. The claims are those of its slides.

Before it: Y. Yue, T. Finley, F. Radlinski, T. Joachims, *A support vector method for
optimizing average precision*, SIGIR 2007; Q. V. Le, A. Smola, *Direct optimization of
ranking measures*, arXiv:0704.3359, 2007; T. Joachims, T. Finley, C.-N. Yu,
*Cutting-plane training of structural SVMs*, Machine Learning 77, 2009.
"""
READING = """
- **Three orders**: the order that the model predicts, the ideal order by label, and the
  order that violates its margin most. The model still loses on relevant documents that
  the last one places far down.
- **Swaps**: every inverted pair adds a part of the loss Δ and subtracts the model's
  margin for that pair. The hollow marks show the difference; they add up to the slack.
- **Staircase**: pairs left of the line are inverted. Inverting them together raises the
  sum, even where a single pair does not.
- **Rounds**: the objective falls towards the minimum and the lower bound rises to it.
  The planes form the bound: the objective is nowhere below a plane. Training ends when
  bound and objective meet.
- **Regularisation C**: with a small C the best model is nearly w = 0. As C grows,
  training reduces the objective further, and ‖w‖ grows.
- **Trained on × tested on**: ± is an error over queries, or over folds. If training for
  a measure won on it, every framed cell would be bold.
- **Paper versus experiment**: claims of the slides, each checked on a small list. Some
  do not hold as printed.

**Try.** In *By hand*, drag the lower relevant document up until the slack is 0. How far
above the others must it be? Then choose SVMmrr, and see which swaps no longer matter.
"""


def explain(values: Values) -> dict[str, str]:
    """Objective, learner, reading and sources."""
    learner = values.get("margin_maps_learner", values.get("margin_learner"))
    own = {"The learner": texts.background(get_algorithm(learner))} if learner else {}
    return {
        "What it optimises": EQUATION,
        **own,
        "How to read this": READING,
        "Sources": SOURCES,
    }
