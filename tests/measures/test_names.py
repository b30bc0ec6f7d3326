"""Names of measures: read, printed, explained, refused."""

import re
import subprocess
import sys
from dataclasses import FrozenInstanceError, dataclass

import ir_measures
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankcore.measures import BinaryMeasure, Measure, list_measures, parse
from rankcore.measures._measure import MEASURES
from rankcore.measures._naming import _parsed
from tests.odd_texts import outcome, texts

NAMES = [
    "nDCG@10", "nDCG", "nDCG(dcg='log2')@5", "MeanNDCG", "MeanNDCG(dcg='log2')", "AP",
    "AP@10", "AP(rel=2)", "RR", "RR@10", "P@5", "P(rel=2)@5", "WTA", "AUC", "ERR",
    "ERR@20", "ERR(max_grade=2)", "DCG@10", "DCG(dcg='log2')", "R@10", "R(rel=2)@5",
    "Success@1", "RBP", "RBP(p=0.5)@10", "RBP(rel=2,p=0.5)", "Bpref", "Bpref(rel=2)",
    "Judged", "Judged@10",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_name_reads_back_from_what_it_prints(name):
    measure = parse(name)
    assert str(measure) == name
    assert parse(str(measure)) == measure
    assert parse(measure) is measure
    assert hash(parse(name)) == hash(measure)


@pytest.mark.parametrize(
    "name",
    ["AP", "AP(rel=2)@10", "RR@10", "P@5", "P(rel=2)@5", "R@10", "Success(rel=2)@5",
     "Bpref", "Judged@10"],
)  # fmt: skip
def test_names_are_those_of_ir_measures(name):
    assert str(ir_measures.parse_measure(name)) == str(parse(name))


@pytest.mark.parametrize(
    ("given", "printed"),
    [
        ("MAP", "AP"),
        ("MRR@10", "RR@10"),
        ("NDCG@3", "nDCG@3"),
        ("ndcg@3", "nDCG@3"),
        (" nDCG @ 3 ", "nDCG@3"),
        ("Precision@3", "P@3"),
        ("nDCG(dcg='exp-log2')@3", "nDCG@3"),
        ('nDCG(dcg="log2")', "nDCG(dcg='log2')"),
        ("nDCG(gain='linear')@5", "nDCG(dcg='log2')@5"),
        ("nDCG(gain='exponential')", "nDCG"),
        ("recip_rank", "RR"),
        # The gain of trec_eval is linear.
        ("ndcg_cut_10", "nDCG(dcg='log2')@10"),
        ("map_cut_10", "AP@10"),
        ("P_5", "P@5"),
        ("recall_100", "R@100"),
        ("success.5", "Success@5"),
        ("bpref", "Bpref"),
        ("Recall@3", "R@3"),
    ],
)
def test_other_spellings(given, printed):
    assert str(parse(given)) == printed


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "ndgc@10",
            "no measure 'ndgc'. Did you mean nDCG.*measures are AP, AUC, Bpref, DCG",
        ),
        ("quality", "no measure 'quality'. The measures are"),
        ("", "'' is not the name of a measure"),
        ("nDCG@", "is not the name of a measure"),
        ("nDCG@0", "cutoff of nDCG is 0; give a whole number"),
        ("nDCG@-3", "cutoff of nDCG is -3"),
        (f"nDCG@{10**20}", "a whole number from 1 to 1000000000"),
        (f"AP(rel={10**20})", "a whole number from 1 to 1000000000"),
        ("P", "P needs a cutoff: write P@10"),
        ("AUC@5", "AUC has no cutoff: write AUC alone"),
        ("nDCG(gain=2)", "nDCG has no option 'gain'; write one of dcg="),
        ("nDCG(10)", "nDCG has no option '10'"),
        ("nDCG(dcg='e')", "option dcg of nDCG is 'e'; choose 'exp-log2'"),
        ("nDCG(dcg=[1])", "option dcg of nDCG is"),
        ("AP(rel=0)", "option rel of AP is 0; give the smallest relevant grade"),
        ("RBP(p=1.0)", "option p of RBP is 1.0; give the probability"),
        ("RBP(p='x')", "option p of RBP is"),
        ("R", "R needs a cutoff: write R@10"),
        ("AP(rel=print())", "AP has no option"),
    ],
)
def test_what_is_no_name_is_refused_with_a_sentence(name, sentence):
    with pytest.raises(ValueError, match=sentence):
        parse(name)


@given(name=st.one_of(texts, texts.map("nDCG@{}".format), texts.map("AP({})".format)))
@example("nDCG@٣")
@example("nDCG@" + "9" * 5000)
@example(f"AP(rel={'9' * 5000})")
@example(f"AP({'(' * 5000}")
@example("AP(rel={[]: 1})")
def test_any_text_is_a_measure_or_is_refused_with_a_sentence(name):
    measure, sentence = outcome(parse, name)
    if sentence is None:
        assert parse(str(measure)) == measure
    else:
        assert sentence.endswith(".")
        assert len(sentence) < 300


def test_a_measure_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        parse("nDCG@10").cutoff = 5


def test_description_names_every_choice():
    assert parse("nDCG@10").describe("letor3", "zero") == (
        "nDCG@10, gain 2ʸ − 1, discount 1, 1, 1/log₂(rank), LETOR 3.0 convention, "
        "ties as in the data, "
        "queries without relevant documents count 0"
    )
    standard = parse("nDCG(dcg='log2')").describe("standard", "skip")
    assert "gain y, discount 1/log₂(1 + rank), standard convention" in standard
    assert "ties by the mean over their orders" in standard
    assert standard.endswith("queries without relevant documents are left out")
    assert "relevant and irrelevant documents count 1" in parse("AUC").describe(
        empty="one"
    )


@pytest.mark.parametrize("kind", list_measures(), ids=lambda kind: kind.name)
def test_every_measure_explains_itself(kind):
    measure = parse(kind.name + ("@5" if kind.cutoffs == "always" else ""))
    assert isinstance(measure, kind)
    assert kind.title
    assert kind.meaning.endswith((".", "?"))
    assert "\n" not in kind.meaning
    assert re.search(r"\b(19|20)\d\d\b.*\.$", kind.paper)
    assert kind.paper in " ".join(kind.__doc__.split())
    assert kind.cutoffs in ("never", "optional", "always")
    assert measure.describe().startswith(str(measure))


def test_a_declaration_is_enough_for_a_new_measure():
    @dataclass(frozen=True)
    class LastRelevant(Measure):
        """1 / rank of the last relevant document."""

        name = "LastRelevant"
        title = "Last relevant"
        meaning = "How soon the last relevant document comes."

        def values(self, lists, rules, beta):
            begins = lists.offsets[:-1]
            return 1 / np.maximum.reduceat(lists.ranks * (lists.labels > 0), begins)

    try:
        measure = parse("LastRelevant")
        assert isinstance(measure, LastRelevant)
        values = measure([1.0, 2.0, 3.0, 1.0], [1, 1, 0, 1], [0, 3, 4])
        assert values.tolist() == [1 / 2, 1]
    finally:
        del MEASURES["LastRelevant"]
        _parsed.cache_clear()


def test_families_do_not_count_as_measures():
    assert BinaryMeasure not in list_measures()
    assert [kind.name for kind in list_measures()] == [
        "AP", "AUC", "Bpref", "DCG", "ERR", "Judged", "MeanNDCG", "nDCG", "P", "R",
        "RBP", "RR", "Success", "WTA",
    ]  # fmt: skip


def test_reading_names_loads_neither_numba_nor_pandas():
    code = (
        "import sys; from rankcore import measures; measures.parse('nDCG@10');"
        "measures.parse('AP').describe();"
        "heavy = {'numba', 'pandas', 'scipy', 'sklearn'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
