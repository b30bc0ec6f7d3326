"""The tabs of *Explain*, the same in every view of the page."""

EXPLAIN = {
    "The reduction": r"""
Each pair of documents with $y_i > y_j$ is a question for a classifier: which of the two
is better? A wrong answer costs as much as swapping the two would change NDCG,

$$w_{ij} = \tfrac1N \, \big|(2^{y_i} - 2^{y_j})(D(\pi_i) - D(\pi_j))\big|, \qquad
L = \sum_{y_i > y_j,\ \pi_i > \pi_j} w_{ij}, \qquad D(\pi) = 1 / \log_2(1 + \pi).$$

RSRank replaces the error by a smooth loss of the margin $s_i - s_j$:

$$\ell = \sum_{y_i > y_j} w_{ij}\, \phi(s_i - s_j), \qquad
\phi(v) = \begin{cases} -4v & v < -1 \\ (v - 1)^2 & |v| \le 1 \\ 0 & v > 1
\end{cases}$$

**Paper.** Z. Sun, T. Qin, Q. Tao, J. Wang: *Robust sparse rank learning for non-smooth
ranking measures.* SIGIR 2009.
""",
    "Paper versus experiment": r"""
- **Proved and true**: $1 - \mathrm{NDCG} \le L$ for every order and all labels, with
  equality for two documents, so “less than” must read “at most”. The same holds on
  average over random labels, and with RSRank's loss on the right.
- **Lemma 1** bounds every single swap on the way to the ideal order. It is false
  already for the labels 0, 1, 2 from the top down; only the sum over all swaps is
  bounded.
- **Theorem 1** of Sun et al. (SIGIR 2009) bounds the regret in NDCG by the regret of
  the classifier, each against the best one under the same random labels:

  $$\max_{\pi'} \mathrm{E}\,\mathrm{NDCG}(\pi') - \mathrm{E}\,\mathrm{NDCG}(\pi)
  \;<\; \mathrm{E}\,L(\pi) - \min_{\pi'} \mathrm{E}\,L(\pi').$$

  It is false from three documents on: an order can be best for pairs and lose NDCG. Its
  proof assumes one order that is perfect for all labels at once.
- **Cycles**: a classifier with cyclic preferences has no wrong pair of any weight, yet
  the order that follows from it is arbitrary. The reduction needs a scoring function.
- **As in the paper**: equation (4) counts half of the pairs, the weight below equation
  (12) lacks its absolute value, and Procedure 1 trains the classifier on the opposite
  of its meaning. Each is computed below *Pairs*.
- **The hinge loss**, each pair counting the same, bounds $1 - \mathrm{NDCG}$ by its sum
  over pairs, not by its mean. Both are below *Losses*.
""",
    "How to read this": """
- **Pairs**: rows are the better documents, columns the worse ones, both by rank. Below
  the diagonal, in orange, the worse document is ranked higher; these cells sum to L.
- **Losses**: every curve is at least 1 where the margin is not positive, so each sum is
  at least L. Only RSRank's loss is smooth and zero for large margins.
- **Swaps**: if Lemma 1 were true, each filled dot would be below its hollow one.
- **Regrets**: what an order loses against the best one. Above the line Theorem 1 fails.

**Try.** Which single move lowers L and raises 1 − NDCG? In *Regrets*, drag p from 0.6
to 0.5: when does the order become optimal for pairs, and what does it still lose?
""",
}
