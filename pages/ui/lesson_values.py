"""What only the app as it runs can say about a setting's value in a lesson."""

from collections.abc import Callable, Iterable
from typing import Any

from pages.ui import sortable
from rankcore.numbers import quoted, read_number


def check(key: str, value: Any) -> None:
    """Refuse what the page of a setting would not take.

    Raises
    ------
    ValueError
        With a sentence on what may be there.
    """
    if key in _CHECKS:
        _CHECKS[key](value)


def _algorithm(value: str) -> None:
    from rankcore.algorithms import get_algorithm

    get_algorithm(value)


def _sparse(value: str) -> None:
    _algorithm(value)
    found = _algorithms(lambda cls: bool(cls.sparsity))
    _known("algorithm that trades features against fit", value, found)


def _linear(value: str) -> None:
    from rankcore.algorithms import LinearRanker
    from rankcore.insight.model_curves import ZERO

    found = _algorithms(lambda cls: issubclass(cls, LinearRanker))
    _known("linear model", value, [ZERO, *found])


def _measure(value: str) -> None:
    from rankcore.measures import parse

    parse(value)


def _data(value: str) -> None:
    from rankcore.catalogue import list_datasets

    _known("data set", value, [info.name for info in list_datasets()])


def _part(value: str) -> None:
    from rankcore.catalogue import Splits

    _known("part of the data", value, Splits._fields)


def _letter(value: str) -> None:
    _known("document", value, sortable.LETTERS)


def _ranking(value: str) -> None:
    if sortable.read(value) is None:
        raise ValueError(
            f"{quoted(value)} is no list; write documents from the top down, each a "
            "letter and its label, such as A0-B2-C1"
        )


def _score_list(value: str) -> None:
    from pages.ui import score_list

    if score_list.read(value) is None:
        raise ValueError(f"{quoted(value)} is no list. {score_list.RULE}")


def _labels(value: str) -> None:
    from rankcore.insight.regrets import LABELS_RULE, parse_labels

    if not parse_labels(value):
        raise ValueError(f"{quoted(value)} are no labels. {LABELS_RULE}")


def _order(value: str) -> None:
    from rankcore.insight.regrets import candidate_keys

    if value not in candidate_keys():
        raise ValueError(
            f"{quoted(value)} is no order of 2 to 4 documents, such as 132, and no "
            "cycle, such as c1"
        )


def _numbers(value: str) -> None:
    """Numbers of features or documents, from 0 or 1 up; none is the default."""
    if value and not all(map(_is_place, value.split(","))):
        raise ValueError(f"{quoted(value)} is no number of a document or feature")


def _is_place(text: str) -> bool:
    try:
        return read_number(text, whole=True) >= 0
    except ValueError:
        return False


def _algorithms(wanted: Callable[[type], bool]) -> list[str]:
    from rankcore.algorithms import get_algorithm, list_algorithms

    return [name for name in list_algorithms() if wanted(get_algorithm(name))]


def _known(what: str, value: str, names: Iterable[str]) -> None:
    known = list(names)
    if value not in known:
        raise ValueError(
            f"There is no {what} '{value[:40]}' here, only {', '.join(known)}"
        )


_CHECKS: dict[str, Callable[[Any], None]] = {
    "algorithm": _algorithm,
    "sparse": _sparse,
    "land_from": _linear,
    "land_to": _linear,
    "land_first": _numbers,
    "land_second": _numbers,
    "land_third": _numbers,
    "approx_list": _score_list,
    "measure": _measure,
    "data": _data,
    "part": _part,
    "mover": _letter,
    "ranking": _ranking,
    "red_first": _labels,
    "red_second": _labels,
    "red_order": _order,
}
