r"""The most violated order of each query for DORM.

To maximise

.. math:: \sum_i s_i A(\pi_i) - \frac{G_i}{N} D(\pi_i)

over orders, with A and D not rising, is a linear assignment of documents to the k ranks
that count, and to one place without limit below them. Documents of one label keep the
order of their scores in the best one, as exchanging two of them never gains (Monge's
condition), so that the label's order of ranks is known and a document only ever moves
between the ranks of its neighbours.

With two gains G the best order merges two lists, by dynamic programming: the state
(i, j) has placed i of the better and j of the worse documents. With more, the rarer
labels take the nearer gain of the two commonest ones for a start. Prices of ranks that
certify this merge are shortest distances (Bellman and Ford). Then the documents of
the rarer labels give back their ranks and are placed one after the other with their own
gain, along shortest augmenting paths (Dijkstra with reduced costs; R. Jonker and
A. Volgenant, "A shortest augmenting path algorithm for dense and sparse linear
assignment problems", Computing 38, 1987), which keep the prices certifying. That is
O(min(k, n+) k) for two labels and up to O(k^2) more for each document of the others.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.sorting import sort_descending


@kernel
def best_merge(keys, good, bad, weights, discounts, gains, best, took):
    """Dynamic programming over the ranks that count.

    Parameters
    ----------
    keys : (n,) float64
        Scores.
    good, bad : (m,), (n',) int64
        Documents, by falling score.
    weights, discounts : (depth,) float64
        A, and D over the ideal DCG, from rank 1.
    gains : tuple of 2 float
        Of good and of bad documents.
    best : (m + 1,) float64
        ``best[i]``, on exit, with i good documents in the first ``depth`` ranks.
    took : (depth + 1, m + 1) bool
        Whether a state is reached by a good document, on exit.
    """
    m, n_bad = len(good), len(bad)
    best[:] = -np.inf
    best[0] = 0.0
    for t in range(1, len(weights) + 1):
        a, d = weights[t - 1], discounts[t - 1]
        for i in range(min(m, t), -1, -1):
            with_good = with_bad = -np.inf
            if i > 0:
                with_good = best[i - 1] + a * keys[good[i - 1]] - gains[0] * d
            if 0 < t - i <= n_bad:
                with_bad = best[i] + a * keys[bad[t - i - 1]] - gains[1] * d
            took[t, i] = i > 0 and (i == t or with_good >= with_bad)
            best[i] = max(with_good, with_bad)


@kernel
def merge_places(keys, good, bad, weights, discounts, gains, places):
    """Put the rank from 0, or ``depth`` below those that count, of each document of the
    best merge into ``places`` (n,); ``good`` (m,) and ``bad`` (n',) are documents by
    falling score ``keys``, ``weights`` and ``discounts`` (depth,), ``gains`` a pair."""
    depth = len(weights)
    best = np.empty(len(good) + 1)
    took = np.empty((depth + 1, len(good) + 1), dtype=np.bool_)
    best_merge(keys, good, bad, weights, discounts, gains, best, took)
    places[:] = depth
    # Values that are not numbers must not lead outside.
    i = max(np.argmax(best), depth - len(bad))
    for t in range(depth, 0, -1):
        if took[t, i]:
            i -= 1
            places[good[i]] = t - 1
        else:
            places[bad[t - 1 - i]] = t - 1


@kernel
def lower_prices(keys, documents, gain, weights, discounts, places, prices):
    """Lower prices until none of some documents of one gain would gain by another rank.

    One pass of Bellman and Ford's method over ``documents`` (m,), by falling score;
    ``weights`` and ``discounts`` (depth + 1,) end in 0, ``prices`` (depth + 1,) change.
    Returns whether any did.
    """
    depth = len(weights) - 1
    changed = False
    previous = 0
    for k in range(len(documents)):
        document = documents[k]
        place, score = places[document], keys[document]
        following = places[documents[k + 1]] if k + 1 < len(documents) else depth
        base = prices[place] + score * weights[place] - gain * discounts[place]
        for other in range(previous, following + 1):
            price = base - score * weights[other] + gain * discounts[other]
            if other != place and price < prices[other]:
                prices[other] = price
                changed = True
        previous = place
    return changed


@kernel
def keep_in_order(begin, end, places, occupants):
    """Exchange the places of documents ``begin:end``, of one label, until they are by
    falling score: where orders tie, a shortest path may cross itself."""
    for last in range(begin + 1, end):
        low = last
        while low > begin and places[low] < places[low - 1]:
            places[low], places[low - 1] = places[low - 1], places[low]
            for document in (low - 1, low):
                if places[document] < len(occupants):
                    occupants[places[document]] = document
            low -= 1


@kernel
def insert(
    new,
    keys,
    groups,
    begins,
    ends,
    gains,
    weights,
    discounts,
    prices,
    places,
    occupants,
    room,
):
    """Place one more document along a shortest augmenting path.

    Parameters
    ----------
    new : int
        The next document of its label.
    keys, groups : (n,) float64, (n,) int64
        Score and label of each document; they go label by label, by falling score.
    begins, ends : (l,) int64
        The documents of each label that are placed; changes.
    gains : (l,) float64
    weights, discounts, prices : (depth + 1,) float64
        A, D over the ideal DCG, and prices that certify the places, which change; the
        last one of all places below the ranks that count, where A and D are 0.
    places : (n,) int64
        Rank of each document from 0, ``depth`` below those that count; changes.
    occupants : (depth,) int64
        The document at each rank, -1 at none; changes.
    room : int
        How many more documents there may be below.

    Returns
    -------
    room : int
        What is left of it; -1 if scores that are not numbers lead nowhere.
    """
    depth = len(occupants)
    distances = np.full(depth + 1, np.inf)
    origins = np.empty(depth + 1, dtype=np.int64)
    done = np.zeros(depth + 1, dtype=np.bool_)
    reached = np.empty(depth + 1, dtype=np.int64)
    n_done = n_reached = 0
    place, distance = -1, 0.0
    while True:
        # Distances by way of the document there; below, of the first of each label.
        for group in range(len(gains) if place == depth else 1):
            document = new
            if place == depth:
                document = ends[group]
                while document > begins[group] and places[document - 1] == depth:
                    document -= 1
                if document == ends[group]:
                    continue
            elif place >= 0:
                document = occupants[place]
            own = groups[document]
            key, gain = keys[document], gains[own]
            base = distance
            if place >= 0:
                base += prices[place] + key * weights[place] - gain * discounts[place]
            first = places[document - 1] if document > begins[own] else 0
            last = places[document + 1] if document + 1 < ends[own] else depth
            for other in range(first, last + 1):
                if done[other]:
                    continue
                cost = gain * discounts[other] - key * weights[other]
                by_way = base + cost - prices[other]
                if by_way < distances[other]:
                    if distances[other] == np.inf:
                        reached[n_reached] = other
                        n_reached += 1
                    distances[other], origins[other] = by_way, document
        if n_done == n_reached:
            return -1
        nearest = n_done
        for k in range(n_done + 1, n_reached):
            if distances[reached[k]] < distances[reached[nearest]]:
                nearest = k
        place = reached[nearest]
        reached[nearest], reached[n_done] = reached[n_done], place
        n_done += 1
        done[place] = True
        distance = distances[place]
        if place == depth and room > 0:
            room -= 1
            break
        if place < depth and occupants[place] < 0:
            break
    for other in reached[:n_done]:
        prices[other] -= distance - distances[other]
    ends[groups[new]] = new + 1
    document = -1
    while document != new:
        document = origins[place]
        if place < depth:
            occupants[place] = document
        place, places[document] = places[document], place
    for group in range(len(gains)):
        keep_in_order(begins[group], ends[group], places, occupants)
    return room


@kernel
def improve(keys, groups, begins, ends, gains, rough_gains, good, bad, sides, places):
    """Change the places of a best merge by rough gains to those of the best order.

    Parameters
    ----------
    keys, groups, begins, ends, gains, places
        As in `insert`, with all documents.
    rough_gains : (l,) float64
    good, bad : (m,), (n',) int64
        The merged documents, by falling score.
    sides : tuple
        A, D over the ideal DCG (depth,), and the rough gains of good and bad.
    """
    depth = len(sides[0])
    weights, discounts = np.zeros(depth + 1), np.zeros(depth + 1)
    for rank in range(depth):
        weights[rank], discounts[rank] = sides[0][rank], sides[1][rank]
    prices = np.zeros(depth + 1)
    for _ in range(depth + 2):
        if not (
            lower_prices(keys, good, sides[2][0], weights, discounts, places, prices)
            | lower_prices(keys, bad, sides[2][1], weights, discounts, places, prices)
        ):
            break
    occupants = np.full(depth, -1)
    placed, room = begins.copy(), 0
    for group in range(len(gains)):
        kept = gains[group] == rough_gains[group]
        if kept:
            placed[group] = ends[group]
        for document in range(begins[group], ends[group]):
            if places[document] == depth:
                room += not kept
            elif kept:
                occupants[places[document]] = document
    for group in range(len(gains)):
        for new in range(placed[group], ends[group]):
            room = insert(
                new,
                keys,
                groups,
                begins,
                placed,
                gains,
                weights,
                discounts,
                prices,
                places,
                occupants,
                room,
            )
            if room < 0:
                return


@kernel
def most_violated_order(
    scores,
    rows,
    order,
    groups,
    begins,
    gains,
    rough_gains,
    weights,
    discounts,
    ranks,
):
    """Put the ranks of one query's documents into ``ranks``; parameters as in
    `most_violated_orders`, those of the query."""
    n, depth, n_groups = len(rows), len(weights), len(gains)
    sorted_keys, spare = np.empty(n), np.empty(n)
    spare_order = np.empty(n, dtype=np.int64)
    keys = np.empty(n)
    for k in range(n):
        keys[k] = scores[rows[k]]
    sort_descending(keys, order, sorted_keys, spare, spare_order)
    # By label; below the first ``depth`` of its label no document counts.
    ends = begins.copy()
    documents = np.empty(n, dtype=np.int64)
    group_of = np.empty(n, dtype=np.int64)
    good, bad = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    n_good = n_bad = 0
    high = low = rough_gains[0]
    for gain in rough_gains:
        high, low = max(high, gain), min(low, gain)
    for k in range(n):
        group = groups[order[k]]
        slot = ends[group]
        if slot - begins[group] == depth:
            continue
        ends[group] = slot + 1
        documents[slot], keys[slot], group_of[slot] = (
            rows[order[k]],
            sorted_keys[k],
            group,
        )
        if rough_gains[group] == high:
            good[n_good] = slot
            n_good += 1
        else:
            bad[n_bad] = slot
            n_bad += 1
    good, bad = good[:n_good], bad[:n_bad]
    places = np.full(n, depth)
    merge_places(keys, good, bad, weights, discounts, (high, low), places)
    if n_groups > 2:
        improve(
            keys,
            group_of,
            begins,
            ends,
            gains,
            rough_gains,
            good,
            bad,
            (weights, discounts, (high, low)),
            places,
        )
    for group in range(n_groups):
        for slot in range(begins[group], ends[group]):
            if places[slot] < depth:
                ranks[documents[slot]] = places[slot] + 1


@kernel
def most_violated_orders(
    scores,
    rows,
    offsets,
    order,
    groups,
    levels,
    begins,
    gains,
    rough_gains,
    depths,
    weights,
    discounts,
    ranks,
):
    """Put the ranks of documents in the most violated orders into ``ranks``.

    Parameters
    ----------
    scores : (n,) float64
    rows : (n,) int64
        The documents, query after query; those of equal score and label keep this
        order.
    offsets : (q + 1,) int64
        Where each query begins, also in ``weights`` and ``discounts``.
    order : (n,) int64
        For each query a permutation of 0, 1, …, best the one of the last call; by
        falling score on exit.
    groups : (n,) int64
        The label of each of ``rows``, counted from 0 in each query.
    levels : (q + 1,) int64
        Where the labels of each query begin in the next three.
    begins : (l,) int64
        How many documents of the query have labels that come before.
    gains, rough_gains : (l,) float64
        Gain of each label, and the nearer one of two of these, to start with.
    depths : (q,) int64
        Ranks that count in each query.
    weights, discounts : (n,) float64
        A, and D over the ideal DCG, of each query from rank 1.
    ranks : (n,) int64
        Ranks from 1, on exit; as it was below those that count, and in queries of one
        label.
    """
    for q in range(len(depths)):
        lo, hi = offsets[q], offsets[q + 1]
        first, last = levels[q], levels[q + 1]
        if last - first > 1:
            most_violated_order(
                scores,
                rows[lo:hi],
                order[lo:hi],
                groups[lo:hi],
                begins[first:last],
                gains[first:last],
                rough_gains[first:last],
                weights[lo : lo + depths[q]],
                discounts[lo : lo + depths[q]],
                ranks,
            )
