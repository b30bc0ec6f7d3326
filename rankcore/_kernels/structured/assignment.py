r"""The most violated order of each query for DORM.

To maximise

.. math:: \sum_i s_i A(\pi_i) - \frac{G_i}{N} D(\pi_i)

over orders, with A and D nonincreasing, is a linear assignment of documents to the k
ranks that count, and to one unlimited place below. Documents of one label keep the
order of their scores in the optimum, because exchanging two of them never gains
(Monge's condition), so the label's order of ranks is known and a document moves only
between the ranks of its neighbours.

With two gains G the best order merges two lists, by dynamic programming: the state
(i, j) has placed i of the better and j of the worse documents. With more, the rarer
labels start with the closer one of the gains of the two most frequent labels. Prices of
ranks that certify this merge are shortest distances (Bellman and Ford). Then the
documents of the rarer labels release their ranks and are placed one after the other
with their own gain, along shortest augmenting paths (Dijkstra with reduced costs; R.
Jonker and A. Volgenant, "A shortest augmenting path algorithm for dense and sparse
linear assignment problems", Computing 38, 1987), which preserve the certificate. This
takes O(min(k, n+) k) for two labels and up to O(k^2) more for each further document.
"""

from typing import Any, NamedTuple

import numpy as np

from rankcore._kernels import borrowing_kernel, kernel
from rankcore._kernels.ordering.sorting import sort_descending


@kernel
def best_merge(keys, good, bad, weights, discounts, gains, best, took):
    """Dynamic programming over the ranks that count.

    Parameters
    ----------
    keys : (n,) float64
        Scores.
    good, bad : (m,), (n',) int64
        Documents, by descending score.
    weights, discounts : (depth,) float64
        A, and D over the ideal DCG, from rank 1.
    gains : tuple of 2 float
        Of good and of bad documents.
    best : (m + 1,) float64
        ``best[i]``, on exit, with i good documents in the first ``depth`` ranks.
    took : (depth + 1, m + 1) bool
        On exit, whether a good document leads to a state.
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
    """Write the rank from 0, or ``depth`` below the ranks that count, of each document
    of the best merge to ``places`` (n,); ``good`` (m,) and ``bad`` (n',) are documents
    by descending score ``keys``, ``weights`` and ``discounts`` (depth,)."""
    depth = len(weights)
    best = np.empty(len(good) + 1)
    took = np.empty((depth + 1, len(good) + 1), dtype=np.bool_)
    best_merge(keys, good, bad, weights, discounts, gains, best, took)
    places[:] = depth
    # NaN must not lead to an index out of range.
    i = max(np.argmax(best), depth - len(bad))
    for t in range(depth, 0, -1):
        if took[t, i]:
            i -= 1
            places[good[i]] = t - 1
        else:
            places[bad[t - 1 - i]] = t - 1


@kernel
def lower_prices(keys, documents, gain, weights, discounts, places, prices):
    """Lower prices until no document of one gain would profit from another rank.

    One pass of the Bellman-Ford method over ``documents`` (m,), by descending score;
    ``weights`` and ``discounts`` (depth + 1,) end with 0, ``prices`` (depth + 1,) are
    modified. Returns whether any changed.
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


class Documents(NamedTuple):
    """The documents of one query, label by label, by descending score within a label.

    Attributes
    ----------
    keys, groups : (n,) float64, (n,) int64
        Score and label of each.
    places : (n,) int64
        Rank of each from 0, or ``depth`` below the ranks that count.
    begins, ends : (l,) int64
        Range of the placed documents of each label.
    gains : (l,) float64
    """

    keys: Any
    groups: Any
    places: Any
    begins: Any
    ends: Any
    gains: Any


class Ranks(NamedTuple):
    """The ranks that count, followed by one place for all ranks below.

    Attributes
    ----------
    weights, discounts : (depth + 1,) float64
        A, and D over the ideal DCG; 0 below.
    prices : (depth + 1,) float64
        The prices that certify the places.
    occupants : (depth,) int64
        The document at each rank, -1 if there is none.
    """

    weights: Any
    discounts: Any
    prices: Any
    occupants: Any


class Paths(NamedTuple):
    """Shortest paths from a new document to the places.

    Attributes
    ----------
    distances : (depth + 1,) float64
    origins : (depth + 1,) int64
        The document that moves to each place.
    done : (depth + 1,) bool
        Whether the distance is final.
    reached : (depth + 1,) int64
        The places at a finite distance, final ones first.
    """

    distances: Any
    origins: Any
    done: Any
    reached: Any


@borrowing_kernel(forceinline=True)
def relax(document, place, distance, documents, ranks, paths, n_reached):
    """Shorten distances through the document at ``place``, which is ``distance`` away,
    or through a new one, of place -1; return the number of places reached."""
    depth = len(ranks.occupants)
    group = documents.groups[document]
    key, gain = documents.keys[document], documents.gains[group]
    if place >= 0:
        distance += (
            ranks.prices[place]
            + key * ranks.weights[place]
            - gain * ranks.discounts[place]
        )
    first, last = 0, depth
    if document > documents.begins[group]:
        first = documents.places[document - 1]
    if document + 1 < documents.ends[group]:
        last = documents.places[document + 1]
    for other in range(first, last + 1):
        if paths.done[other]:
            continue
        cost = gain * ranks.discounts[other] - key * ranks.weights[other]
        by_way = distance + cost - ranks.prices[other]
        if by_way < paths.distances[other]:
            if paths.distances[other] == np.inf:
                paths.reached[n_reached] = other
                n_reached += 1
            paths.distances[other], paths.origins[other] = by_way, document
    return n_reached


@borrowing_kernel(forceinline=True)
def take_nearest(paths, n_done, n_reached):
    """Mark the nearest reached place that is not final as final; return it."""
    distances, reached = paths.distances, paths.reached
    nearest = n_done
    for k in range(n_done + 1, n_reached):
        if distances[reached[k]] < distances[reached[nearest]]:
            nearest = k
    place = reached[nearest]
    reached[nearest], reached[n_done] = reached[n_done], place
    paths.done[place] = True
    return place


@borrowing_kernel(forceinline=True)
def first_below(group, documents, depth):
    """Return the first document of a label below the ranks that count, or its end."""
    document = documents.ends[group]
    while (
        document > documents.begins[group] and documents.places[document - 1] == depth
    ):
        document -= 1
    return document


@borrowing_kernel
def keep_in_order(begin, end, places, occupants):
    """Exchange the places of documents ``begin:end``, of one label, until they are by
    descending score: where orders tie, a shortest path may cross itself."""
    for last in range(begin + 1, end):
        low = last
        while low > begin and places[low] < places[low - 1]:
            places[low], places[low - 1] = places[low - 1], places[low]
            for document in (low - 1, low):
                if places[document] < len(occupants):
                    occupants[places[document]] = document
            low -= 1


@kernel
def insert(new, documents, ranks, room):
    """Place one more document along a shortest augmenting path.

    Parameters
    ----------
    new : int
        The next document of its label to be placed.
    documents, ranks : Documents, Ranks
        Change.
    room : int
        Number of free places below the ranks that count.

    Returns
    -------
    room : int
        The remaining number; -1 if NaN scores leave no path.
    """
    depth, n_groups = len(ranks.occupants), len(documents.gains)
    paths = Paths(
        np.full(depth + 1, np.inf),
        np.empty(depth + 1, dtype=np.int64),
        np.zeros(depth + 1, dtype=np.bool_),
        np.empty(depth + 1, dtype=np.int64),
    )
    n_done = n_reached = 0
    place, distance = -1, 0.0
    while True:
        for group in range(n_groups if place == depth else 1):
            document = new
            if place == depth:
                document = first_below(group, documents, depth)
                if document == documents.ends[group]:
                    continue
            elif place >= 0:
                document = ranks.occupants[place]
            n_reached = relax(
                document, place, distance, documents, ranks, paths, n_reached
            )
        if n_done == n_reached:
            return -1
        place = take_nearest(paths, n_done, n_reached)
        n_done += 1
        distance = paths.distances[place]
        if place == depth and room > 0:
            room -= 1
            break
        if place < depth and ranks.occupants[place] < 0:
            break
    for other in paths.reached[:n_done]:
        ranks.prices[other] -= distance - paths.distances[other]
    documents.ends[documents.groups[new]] = new + 1
    document = -1
    while document != new:
        document = paths.origins[place]
        if place < depth:
            ranks.occupants[place] = document
        place, documents.places[document] = documents.places[document], place
    for group in range(n_groups):
        keep_in_order(
            documents.begins[group],
            documents.ends[group],
            documents.places,
            ranks.occupants,
        )
    return room


@kernel
def improve(documents, rough_gains, good, bad, sides):
    """Change the places of the best merge by rough gains to those of the optimal order.

    Parameters
    ----------
    documents : Documents
        All of them.
    rough_gains : (l,) float64
    good, bad : (m,), (n',) int64
        The merged documents, by descending score.
    sides : tuple
        A, D over the ideal DCG (depth,), and the rough gains of good and bad.
    """
    keys, places, depth = documents.keys, documents.places, len(sides[0])
    begins, ends, gains = documents.begins, documents.ends, documents.gains
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
        exact = gains[group] == rough_gains[group]
        if exact:
            placed[group] = ends[group]
        for document in range(begins[group], ends[group]):
            if places[document] == depth:
                room += not exact
            elif exact:
                occupants[places[document]] = document
    ranks = Ranks(weights, discounts, prices, occupants)
    inserted = Documents(keys, documents.groups, places, begins, placed, gains)
    for group in range(len(gains)):
        for new in range(placed[group], ends[group]):
            room = insert(new, inserted, ranks, room)
            if room < 0:
                return


@kernel(forceinline=True)
def group_by_label(rows, order, groups, sorted_keys, depth, documents, sorted_rows):
    """Sort the documents of a query by label and descending score; only the first
    ``depth`` of each label are kept, because no other can have a rank that counts.

    Parameters
    ----------
    rows, order, groups
        As in `most_violated_orders`; ``order`` is by descending score.
    sorted_keys : (n,) float64
        The scores in that order.
    depth : int
    documents : Documents
        Receives keys, groups and ends.
    sorted_rows : (n,) int64
        The rows of the documents, on exit.

    Returns
    -------
    slots : (m,) int64
        The places of the documents in it, all labels by descending score.
    """
    n_slots, slots = 0, np.empty(len(rows), dtype=np.int64)
    ends = documents.ends
    for k in range(len(rows)):
        group = groups[order[k]]
        slot = ends[group]
        if slot - documents.begins[group] < depth:
            ends[group] = slot + 1
            documents.keys[slot], documents.groups[slot] = sorted_keys[k], group
            sorted_rows[slot] = rows[order[k]]
            slots[n_slots] = slot
            n_slots += 1
    return slots[:n_slots]


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
    """Write the ranks of one query's documents to ``ranks``; parameters as in
    `most_violated_orders`, for this query."""
    n, depth = len(rows), len(weights)
    keys, sorted_keys, spare = np.empty(n), np.empty(n), np.empty(n)
    for k in range(n):
        keys[k] = scores[rows[k]]
    sort_descending(keys, order, sorted_keys, spare, np.empty(n, dtype=np.int64))
    sorted_rows, group_of = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    places, ends = np.full(n, depth), begins.copy()
    documents = Documents(keys, group_of, places, begins, ends, gains)
    slots = group_by_label(
        rows, order, groups, sorted_keys, depth, documents, sorted_rows
    )
    high, low = np.max(rough_gains), np.min(rough_gains)
    is_good = rough_gains[group_of[slots]] == high
    good, bad = slots[is_good], slots[~is_good]
    merge_places(keys, good, bad, weights, discounts, (high, low), places)
    if len(gains) > 2:
        improve(documents, rough_gains, good, bad, (weights, discounts, (high, low)))
    for group in range(len(gains)):
        for slot in range(begins[group], ends[group]):
            if places[slot] < depth:
                ranks[sorted_rows[slot]] = places[slot] + 1


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
    """Write the ranks of documents in the most violated orders to ``ranks``.

    Parameters
    ----------
    scores : (n,) float64
    rows : (n,) int64
        The documents, query after query; documents of equal score and label keep this
        order.
    offsets : (q + 1,) int64
        Where each query begins, also in ``weights`` and ``discounts``.
    order : (n,) int64
        For each query a permutation of 0, 1, …, ideally that of the last call; by
        descending score on exit.
    groups : (n,) int64
        The label of each of ``rows``, counted from 0 in each query.
    levels : (q + 1,) int64
        Where the labels of each query begin in the next three.
    begins : (l,) int64
        Number of documents of the query with smaller labels.
    gains, rough_gains : (l,) float64
        Gain of each label, and the gain at the start, which is one of two of these.
    depths : (q,) int64
        Number of ranks that count in each query.
    weights, discounts : (n,) float64
        A, and D over the ideal DCG, of each query from rank 1.
    ranks : (n,) int64
        Ranks from 1, on exit; unchanged below the ranks that count, and in queries of
        one label.
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
