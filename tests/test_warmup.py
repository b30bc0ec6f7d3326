import pytest

from rankcore.algorithms import list_algorithms
from rankcore.warmup import warm_up


def test_warm_up_runs_every_part():
    told = []
    warm_up(lambda *progress: told.append(progress))

    assert set(list_algorithms()) < {name for name, _, _ in told}


@pytest.mark.parametrize("workers", [1, 2])
def test_warm_up_tells_of_each_part_once(workers):
    told = []
    parts = ["the measures", *list_algorithms()[:2]]
    warm_up(lambda *progress: told.append(progress), workers, parts)

    names = [name for name, _, _ in told]
    assert sorted(names) == sorted(parts)
    assert [done for _, done, _ in told] == list(range(len(names)))
    assert {total for _, _, total in told} == {len(names)}
