"""Names of measures, such as ``nDCG@10`` or ``nDCG(dcg='log2')@5``, and parsing."""

import ast
import re
from dataclasses import fields
from difflib import get_close_matches
from functools import lru_cache

from rankcore.base.discovery import of_others
from rankcore.base.numbers import quoted
from rankcore.measures._measure import MEASURES, Measure

_NAME = re.compile(r"\s*(\w+)\s*(?:\((.*)\))?\s*(?:@\s*(-?[0-9]+))?\s*")
# Measures that trec_eval prints with a cutoff, as ndcg_cut_10, and takes as
# ndcg_cut.10.
_OF_TREC_EVAL = re.compile(
    r"\s*(ndcg_cut|map_cut|p|recall|success)[_.]([0-9]+)\s*", re.IGNORECASE
)
_TREC_EVAL_NAMES = {
    "ndcg_cut": "nDCG(dcg='log2')",
    "map_cut": "AP",
    "p": "P",
    "recall": "R",
    "success": "Success",
}
# Other programs' names of an option and its values.
_GAINS = {"linear": "log2", "exponential": "exp-log2", "exp": "exp-log2"}
# No name is longer, and Python's parser, which reads the options, fails on some longer
# ones.
_LONGEST = 100


def list_measures() -> tuple[type[Measure], ...]:
    """Every declared kind of measure, by name; other packages declare theirs when
    loaded."""
    of_others("measures")
    return tuple(MEASURES[name] for name in sorted(MEASURES, key=str.lower))


def parse(name: str | Measure) -> Measure:
    """Return the measure called ``name``; it can parse its own string form.

    Parameters
    ----------
    name : str or Measure
        As `ir_measures` writes it: ``nDCG@10``, ``AP``, ``P(rel=2)@5``, or as
        trec_eval does: ``ndcg_cut_10``, ``recip_rank``. Case is ignored.

    Raises
    ------
    ValueError
        With a message about the error and the known names.

    Notes
    -----
    ``nDCG`` alone has the exponential gain 2^y - 1, as in the literature on learning
    to rank. In `ir_measures` and trec_eval it means the linear gain y, which is
    ``nDCG(dcg='log2')``, or ``nDCG(gain='linear')``, here; the default here is
    ``nDCG(dcg='exp-log2')`` there.

    Examples
    --------
    >>> str(parse("ndcg@10"))
    'nDCG@10'
    >>> parse("nDCG(dcg='log2')@5").cutoff
    5
    >>> str(parse("ndcg_cut_5"))
    "nDCG(dcg='log2')@5"
    """
    return name if isinstance(name, Measure) else _parsed(name)


@lru_cache(maxsize=1024)
def _parsed(name: str) -> Measure:
    if trec := _OF_TREC_EVAL.fullmatch(name):
        return parse(f"{_TREC_EVAL_NAMES[trec[1].lower()]}@{trec[2]}")
    match = _NAME.fullmatch(name) if len(name) <= _LONGEST else None
    if match is None:
        raise ValueError(f"{quoted(name)} is not the name of a measure. {_all_names()}")
    word, options, cutoff = match.groups()
    kind = _kind(word)
    keywords = _options(kind, options or "")
    return kind(cutoff=None if cutoff is None else int(cutoff), **keywords)


def _kind(word: str) -> type[Measure]:
    kinds = {
        alias.lower(): kind
        for kind in list_measures()
        for alias in (kind.name, *kind.aliases)
    }
    if word.lower() in kinds:
        return kinds[word.lower()]
    near = get_close_matches(word.lower(), kinds, n=2, cutoff=0.5)
    meant = " or ".join(dict.fromkeys(kinds[n].name for n in near))
    hint = f" Did you mean {meant}?" if meant else ""
    raise ValueError(f"There is no measure {word!r}.{hint} {_all_names()}")


def _all_names() -> str:
    examples = [
        f"{kind.name}@k" if kind.cutoffs == "always" else kind.name
        for kind in list_measures()
    ]
    return f"The measures are {', '.join(examples)}."


def _options(kind: type[Measure], text: str) -> dict[str, object]:
    allowed = [field.name for field in fields(kind) if field.name != "cutoff"]
    options = _keywords(text)
    if "dcg" in allowed and (gain := options.get("gain")) in _GAINS:
        del options["gain"]
        options["dcg"] = _GAINS[str(gain)]
    for name in options:
        if name not in allowed:
            raise ValueError(
                f"{kind.name} has no option {name!r}; write one of "
                f"{', '.join(f'{option}=…' for option in allowed) or 'none'}."
            )
    return options


def _keywords(text: str) -> dict[str, object]:
    """Read ``name=literal, …``; any other text becomes an option name itself."""
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        if isinstance(call, ast.Call) and not call.args:
            return {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
    except (SyntaxError, TypeError, ValueError):
        pass
    return {text: None}
