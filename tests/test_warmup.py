import pytest

from rankcore.algorithms import list_algorithms
from rankcore.warmup import warm_up


@pytest.mark.parametrize("workers", [1, 2])
def test_warm_up_runs_every_part_and_tells(workers):
    told = []
    warm_up(lambda *progress: told.append(progress), workers)

    names = [name for name, _, _ in told]
    assert set(list_algorithms()) < set(names)
    assert len(set(names)) == len(names)
    assert [done for _, done, _ in told] == list(range(len(names)))
    assert {total for _, _, total in told} == {len(names)}
