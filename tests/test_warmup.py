from rankcore.algorithms import list_algorithms
from rankcore.warmup import warm_up


def test_warm_up_runs_every_part_and_tells():
    told = []
    warm_up(lambda *progress: told.append(progress))

    names = [name for name, _, _ in told]
    assert names[2:] == list_algorithms()
    assert [done for _, done, _ in told] == list(range(len(names)))
    assert {total for _, _, total in told} == {len(names)}
