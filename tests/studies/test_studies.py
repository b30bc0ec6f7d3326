"""Studies: taken an iteration at a time, in the background and by hand."""

import math
import time

import pytest

import rankcore
from rankcore.data.catalogue import load_dataset
from rankcore.studies import Progress, Study
from rankcore.studies.jobs import JobRegistry
from rankcore.studies.paths import PathsSubject, path, path_study, paths_study
from rankcore.studies.results import Result
from rankcore.topics.approximation.end_points import (
    EndPoint,
    RestartSubject,
    restart_study,
)
from rankcore.topics.approximation.training import (
    ErrorCurve,
    SharpnessSubject,
    sharpness_study,
)
from rankcore.topics.margins.training import (
    MismatchRow,
    MismatchSubject,
    mismatch_study,
)
from rankcore.training import drive
from tests.stub_algorithm import Given, line

SOON = 60.0
TRAIN = load_dataset("toy-2d").train


def over_g():
    return path(rankcore.RSRank(max_iter=4), TRAIN, "g", [0.0, 1.0])


def margins(**settings):
    return rankcore.SVMMAP(**settings)


STUDIES = {
    "path": (lambda: path_study(over_g()), PathsSubject, Result),
    "paths": (
        lambda: paths_study({"one": over_g(), "two": over_g()}),
        PathsSubject,
        Result,
    ),
    "restarts": (
        lambda: restart_study(
            rankcore.ApproxNDCG(restart_passes=5), TRAIN, (1.0, 10.0), 2
        ),
        RestartSubject,
        EndPoint,
    ),
    "sharpness": (
        lambda: sharpness_study(rankcore.ApproxAP(), TRAIN, 3, (10.0,), (1.0,)),
        SharpnessSubject,
        ErrorCurve,
    ),
    "matrix": (
        lambda: mismatch_study({"AP": margins()}, TRAIN, TRAIN),
        MismatchSubject,
        MismatchRow,
    ),
    "matrix over folds": (
        lambda: mismatch_study(
            {"AP": margins()}, TRAIN, TRAIN, folds=[lambda: (TRAIN, TRAIN)] * 2
        ),
        MismatchSubject,
        MismatchRow,
    ),
}
each = pytest.mark.parametrize(
    ("make", "subject", "finding"), STUDIES.values(), ids=STUDIES
)


@each
def test_a_study_runs_to_its_end_as_a_job(make, subject, finding):
    study = make()
    assert isinstance(study, Study)
    assert isinstance(study.subject, subject)
    assert (study.found, study.done, study.share, study.reason) == ([], 0, 0.0, None)
    assert study.total > 0
    assert study.unit

    job = JobRegistry().submit(study, title="study", play=True)
    assert job.wait(SOON)
    assert (job.state, job.error) == ("finished", None)
    assert study.done == len(study.found) == study.total
    assert all(isinstance(item, finding) for item in study.found)
    assert (study.share, study.doing) == (1.0, "")
    assert study.iterations > 0
    assert study.reason.endswith(".")


@each
def test_a_study_can_be_stopped_and_does_not_claim_to_be_complete(
    make, subject, finding
):
    study = make()
    job = JobRegistry().submit(study, title="study")
    job.steer().step()
    deadline = time.monotonic() + SOON
    while job.state != "paused" and time.monotonic() < deadline:
        time.sleep(0.002)
    job.steer().stop()
    assert job.wait(SOON)

    assert (job.state, job.error) == ("stopped", None)
    assert study.iterations == 1
    assert study.done < study.total
    assert next(study, None) is None
    assert study.reason is None


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: restart_study(rankcore.ApproxNDCG(), TRAIN, (-1.0,), 2), "alpha"),
        (lambda: mismatch_study({"AP": margins(C=-1.0)}, TRAIN, TRAIN), "C must be"),
    ],
)
def test_what_a_study_cannot_train_is_said(make, said):
    study = make()
    job = JobRegistry().submit(study, title="study", play=True)
    assert job.wait(SOON)
    assert job.state == "failed"
    assert said in job.error
    assert next(study, None) is None
    assert study.reason is None


def records(count):
    return list(
        drive(Given(coefs=((0.0,),) * count, objectives=(0.0,) * count), line())
    )


def test_findings_and_progress_appear_before_the_next_iteration():
    first, second = records(2)

    def coming():
        yield first
        yield "a finding"
        yield Progress("the second", 0.75)
        yield second
        return "All is found."

    study = Study(coming(), 1, "findings", doing="the first")
    assert (study.doing, study.share) == ("the first", 0.0)
    assert next(study) is first
    assert (study.found, study.doing) == ([], "the first")
    assert next(study) is second
    assert (study.found, study.doing, study.share) == (
        ["a finding"],
        "the second",
        0.75,
    )
    assert next(study, None) is None
    assert (study.reason, study.doing) == ("All is found.", "")


def test_a_study_without_a_reason_of_its_own_says_how_long_it_was():
    study = Study((record for record in records(3)), 0, "")
    assert [record.iteration for record in study] == [0, 1, 2]
    assert study.reason == "Complete after 3 iterations."


def test_iterations_without_a_record_end_a_slice_once_there_is_one(monkeypatch):
    (first,) = records(1)
    monkeypatch.setattr("rankcore.studies.study.SLICE_SECONDS", -math.inf)

    def coming():
        yield None
        yield first
        yield None
        yield None

    study = Study(coming(), 0, "")
    assert list(study) == [first] * 3
    assert study.iterations == 1


def test_a_path_and_paths_are_seen_as_far_as_they_are_ready():
    study = paths_study({"one": over_g(), "two": over_g()})
    while study.done < 3:
        next(study)
    ready = study.subject.ready(study.found)
    values = {n: [p.cell.value for p in one.points] for n, one in ready.items()}
    assert values == {"one": [0.0, 1.0], "two": [0.0]}
    assert ready["two"].values == (0.0, 1.0)
    list(study)
    assert len(ready["two"].points) == 1


def test_a_study_knows_that_nothing_more_will_be_found():
    whole, closed = (mismatch_study({"AP": margins()}, TRAIN, TRAIN) for _ in range(2))
    next(closed)
    assert not whole.ended
    assert not closed.ended
    list(whole)
    closed.close()
    assert whole.ended
    assert closed.ended
    assert closed.reason is None
