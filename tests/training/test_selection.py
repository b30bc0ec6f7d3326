"""Which model of a run is meant: best, last or an iteration, for run and store."""

import pytest

from rankcore import RSRank, load_dataset
from rankcore.studies.models import model_to_json, read_model
from rankcore.studies.store import open_store
from rankcore.training import Stop, drive, selection


@pytest.fixture(scope="module")
def run():
    train, valid, _ = load_dataset("planted")
    result = drive(RSRank(g=200.0), train, valid, stop=Stop(max_iterations=60))
    list(result)
    assert 0 < result.best.iteration < 50
    return result


def model(run, at):
    return RSRank(g=200.0).load_run(run, at)


def test_a_word_or_a_number_names_a_model(run):
    best = run.best
    assert selection.select(run).record is best
    assert selection.select(run, "last").record is run.history[-1]
    assert selection.select(run, "50").record is run.history[50]
    assert selection.select(run, 50).record is run.history[50]
    assert selection.select(run, run.history[50]).record is run.history[50]


def test_how_it_was_chosen_is_said(run):
    best = run.best.iteration
    words = f"iteration {best}, best on validation"
    assert selection.select(run).text == words
    assert selection.select(run, best).text == words
    assert selection.select(run, "last").text == "iteration 60, last"
    assert selection.select(run, 60).text == "iteration 60, last"
    assert selection.select(run, 50).text == "iteration 50, as asked"


def test_without_validation_the_objective_chooses():
    train, _, _ = load_dataset("planted")
    result = drive(RSRank(), train, stop=Stop(max_iterations=3))
    list(result)
    text = f"iteration {result.best.iteration}, best by the training objective"
    assert selection.select(result).text == text


def test_an_iteration_that_there_is_not_is_named_with_what_to_do(run):
    with pytest.raises(ValueError, match="no iteration 61: the run has those up to 60"):
        selection.select(run, 61)
    with pytest.raises(ValueError, match="write best, last, or the number"):
        selection.select(run, "newest")
    assert selection.select(run, 61, nearest=True).record is run.history[60]


def test_a_model_file_says_how_its_model_was_chosen(run):
    for at in ("best", "last", 50):
        fitted = model(run, at)
        origin = read_model(model_to_json(fitted).encode(), "a file").provenance_
        assert origin == fitted.provenance_
        assert origin.text == selection.select(run, at).text


def test_a_model_file_of_before_says_the_iteration_alone(run):
    text = model_to_json(model(run, 50)).replace('  "chosen_by": "hand",\n', "")
    assert "chosen_by" not in text
    origin = read_model(text.encode(), "a file").provenance_
    assert origin.text == "iteration 50"


def test_best_and_last_are_side_by_side(run):
    best, last = run.best, run.history[-1]
    assert selection.best_and_last(run, "nDCG@10") == (
        f"best ({best.iteration}): {best.nonzeros} features, "
        f"{best.valid['nDCG@10']:.3f}; "
        f"last (60): {last.nonzeros}, {last.valid['nDCG@10']:.3f}"
    )


def test_a_stored_run_gives_the_models_it_keeps_and_names_them(run, tmp_path):
    train, valid, _ = load_dataset("planted")
    with open_store(f"sqlite:///{tmp_path / 'runs.db'}") as store:
        again = drive(RSRank(g=200.0), train, valid, stop=Stop(max_iterations=60))
        recorder = store.record(again, "RSRank")
        list(again)
        recorder.end()
        stored = store.load(recorder.id)
        recalled = stored.recalled(train, valid)
        assert stored.best_and_last == selection.best_and_last(run, "nDCG@10")
        # Every second iteration is kept, the best and the last.
        for at in ("best", "last", 50):
            wanted = model(run, at)
            assert stored.model(at).provenance_ == wanted.provenance_
            assert (stored.model(at).coef_ == wanted.coef_).all()
            assert selection.select(recalled, at).text == wanted.provenance_.text
        odd = next(k for k in (51, 53) if k != run.best.iteration)
        sentence = f"iteration {odd} is not kept; the nearest that are: {odd - 1} and"
        with pytest.raises(KeyError, match=sentence):
            stored.model(odd)
        near = selection.select(recalled, odd, nearest=True)
        assert near.record.iteration == odd - 1
        with pytest.raises(ValueError, match=sentence):
            stored.scored(load_dataset("planted"), at=odd)
