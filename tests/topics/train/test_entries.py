"""Algorithms with settings as texts."""

import pytest

from rankcore import get_algorithm, list_algorithms
from rankcore.base.hyperparameters import check_all, hyperparameters
from rankcore.topics.train.entries import (
    Entry,
    main_hyperparameter,
    offered_entries,
    read_entry,
)

pytestmark = pytest.mark.unit


def test_an_entry_is_an_algorithm_with_settings():
    entry = read_entry(" rsrank : g = 30 :learning_rate=0.5")

    assert entry.algorithm is get_algorithm("RSRank")
    assert entry.settings == {"g": 30.0, "learning_rate": 0.5}
    assert entry.text == "RSRank:g=30:learning_rate=0.5"
    assert entry.title == "RSRank, g = 30, learning rate = 0.5"
    ranker = entry.ranker(random_state=4, max_iter=7)
    assert (ranker.g, ranker.random_state, ranker.max_iter) == (30.0, 4, 7)


def test_defaults_are_left_out():
    default = hyperparameters(get_algorithm("RSRank"))["g"].default

    assert read_entry(f"RSRank:g={default}").text == "RSRank"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("RSRang", "Did you mean"),
        ("RSRank:h=3", "not a setting of RSRank"),
        ("RSRank:g", "not a setting of RSRank"),
        ("RSRank:g=-1", "g must be"),
        ("RSRank:max_iter=5", "not a setting of RSRank"),
        ("RSRank:random_state=5", "not a setting of RSRank"),
    ],
)
def test_what_is_no_entry_is_refused_with_a_sentence(text, said):
    with pytest.raises(ValueError, match=said):
        read_entry(text)


def test_every_offered_entry_reads_back_and_can_be_trained():
    offered = offered_entries()

    assert set(list_algorithms()) <= set(offered)
    assert len(set(offered.values())) == len(offered)
    for text, title in offered.items():
        entry = read_entry(text)
        assert (entry.text, entry.title) == (text, title)
        assert "," not in text
        check_all(entry.ranker())


def test_the_main_hyperparameter_is_the_one_of_sparsity():
    assert main_hyperparameter(get_algorithm("RSRank")) == "g"
    for name in list_algorithms():
        algorithm = get_algorithm(name)
        main = main_hyperparameter(algorithm)
        assert main is None or hyperparameters(algorithm)[main].sweep
        assert Entry(algorithm, {}).text == name
