"""Distributions of SciPy and Optuna in the `over` of sweeps and searches."""

import pytest
from optuna import distributions
from scipy import stats

from rankcore.algorithms.rsrank import RSRank
from rankcore.studies.searches import search
from rankcore.studies.searches.space import space_of
from rankcore.studies.sweeps import sweep
from rankcore.training import Stop


def dimension(name, given):
    (result,) = space_of(RSRank(), {name: given})
    return result


@pytest.mark.unit
@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (stats.uniform(1, 4), distributions.FloatDistribution(1, 5)),
        (stats.uniform(loc=1, scale=4), distributions.FloatDistribution(1, 5)),
        (stats.loguniform(1, 50), distributions.FloatDistribution(1, 50, log=True)),
        (stats.reciprocal(a=1, b=50), distributions.FloatDistribution(1, 50, log=True)),
        (
            distributions.FloatDistribution(0, 1, step=0.25),
            distributions.CategoricalDistribution((0.0, 0.25, 0.5, 0.75, 1.0)),
        ),
        # Whole numbers for a hyperparameter that is none.
        (stats.randint(1, 4), distributions.CategoricalDistribution((1.0, 2.0, 3.0))),
    ],
)
def test_a_number_is_searched_as_its_distribution_says(given, wanted):
    assert dimension("g", given).distribution() == wanted


@pytest.mark.unit
@pytest.mark.parametrize(
    "given",
    [
        distributions.FloatDistribution(2, 30),
        distributions.FloatDistribution(2, 30, log=True),
        distributions.CategoricalDistribution((0.0, 7.0)),
    ],
)
def test_a_distribution_of_optuna_is_searched_as_it_is(given):
    assert dimension("g", given).distribution() == given


@pytest.mark.unit
def test_a_whole_number_is_searched_by_whole_numbers():
    name = "truncation_interval"
    wanted = distributions.IntDistribution(2, 6)
    assert dimension(name, stats.randint(2, 7)).distribution() == wanted
    assert dimension(name, stats.randint(0, 5, loc=2)).distribution() == wanted
    steps = distributions.IntDistribution(1, 9, step=4)
    assert dimension(name, steps).values == (1, 5, 9)
    by_ratio = distributions.IntDistribution(1, 64, log=True)
    assert dimension(name, by_ratio).distribution() == by_ratio


@pytest.mark.unit
@pytest.mark.parametrize(
    ("name", "given", "sentence"),
    [
        ("g", stats.norm(0, 1), "the distribution norm cannot be searched; give "),
        ("g", stats.uniform, "the distribution uniform is not frozen; give "),
        ("g", stats.loguniform(1, 2, loc=3), "loguniform distribution with loc"),
        ("g", stats.uniform(-1, 2), "g must be a number of at least 0"),
        ("truncation_interval", stats.uniform(1, 4), "takes whole numbers: give scipy"),
        ("g", stats.randint(0, 5000), "has 5,?000 values; at most 1000 can be listed"),
    ],
)
def test_what_cannot_be_searched_is_refused_in_a_sentence(name, given, sentence, small):
    for study in (search, sweep):
        with pytest.raises(ValueError, match=sentence):
            study("RSRank", small, over={name: given})


def test_a_sweep_takes_five_values_of_a_range_and_all_of_a_list(small):
    over = {
        "g": stats.loguniform(1, 16),
        "truncation_interval": distributions.CategoricalDistribution((2, 5)),
    }
    swept = sweep("RSRank", small, over=over, stop=Stop(max_iterations=1))
    values = {name: [] for name in over}
    for cell in swept.cells:
        for name, value in cell.settings:
            values[name] = list(dict.fromkeys([*values[name], value]))
    assert values["g"] == pytest.approx([1.0, 2.0, 4.0, 8.0, 16.0])
    assert values["truncation_interval"] == [2, 5]


def test_a_study_that_was_kept_is_of_one_scale(small, tmp_path):
    def again(given):
        return search(
            "RSRank", small, over={"g": given}, models=2, study=tmp_path / "study.log",
            stop=Stop(max_iterations=1),
        ).run()  # fmt: skip

    again(stats.uniform(1, 15))
    with pytest.raises(ValueError, match="another search"):
        again(stats.loguniform(1, 16))
