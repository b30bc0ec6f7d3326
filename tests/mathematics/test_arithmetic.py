"""A processor that computes otherwise than all others is told so."""

from rankcore.mathematics import arithmetic


def test_this_processor_computes_what_every_other_one_does():
    # Where kernels have changed, `tests.test_processors` says whether all others do.
    assert arithmetic.deviation() == "", f"the digest is {arithmetic.digest()}"


def test_another_processor_is_told_in_a_sentence(monkeypatch):
    monkeypatch.setattr(arithmetic, "digest", lambda: "of other bits")
    result = arithmetic.deviation.__wrapped__()
    assert result.startswith("This processor rounds differently")
    assert result.endswith(".")
