"""``rankscope check-export``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcore.base.numbers import counted
from rankcore.cli import _output
from rankcore.cli._failures import Failed
from rankcore.cli._options import AsJson, NumberRange

if TYPE_CHECKING:
    from rankcore.studies.exports import Checked

_WAIT = 30.0
_MOST_BYTES = 2**25
HEADS = ("query", "document", "expected", "answered", "difference", "agrees")


def check_export(
    answers: str,
    expected: Path,
    tolerance: Annotated[float, NumberRange(0.0)] = 1e-5,
    as_json: AsJson = False,
) -> None:
    """Compare a search engine's scores with the expected scores of an export.

    If the response has explain (Elasticsearch) or [features] (Solr), features are
    compared, too. The exit code is 1 if a value differs or is missing.

    Parameters
    ----------
    answers : FILE|URL
        JSON response of Solr, Elasticsearch or OpenSearch to a search with the model,
        or its URL (http, https).
    expected : CHECK
        The .check.csv of `rankscope export --check`.
    tolerance
        Largest difference allowed between scores, relative for scores above 1.
    """
    from rankcore.studies.exports import check_answers

    content = _fetched(answers) if "://" in answers else Path(answers).read_bytes()
    names = answers, str(expected)
    checked = check_answers(content, expected.read_bytes(), tolerance, names)
    if as_json:
        _output.print_json({"documents": [one._asdict() for one in checked]})
    else:
        _output.print_table(HEADS, map(_row, checked))
        _print_features(checked)
    if problem := _problem(checked):
        raise Failed(problem)
    if not as_json:
        typer.echo(f"\nAll {counted(len(checked), 'scores')} agree.")


def _row(one: "Checked") -> tuple[Any, ...]:
    difference = None if one.score is None else one.score - one.expected
    agrees = "yes" if one.agrees else "no" if one.score is not None else "not answered"
    return one.query, one.document, one.expected, one.score, difference, agrees


def _print_features(checked: "list[Checked]") -> None:
    rows = [
        (one.query, one.document, name, *values)
        for one in checked
        for name, values in one.others.items()
    ]
    if rows:
        typer.echo("\nFeatures that differ:\n")
        _output.print_table(
            ("query", "document", "feature", "expected", "answered"), rows
        )


def _problem(checked: "list[Checked]") -> str:
    """Return the problem and its remedy; empty if all scores agree."""
    absent = [one for one in checked if one.score is None]
    others = [one for one in checked if one.others]
    alike = [
        one
        for one in checked
        if not (one.agrees or one.others) and one.score is not None
    ]
    parts = []
    if absent:
        parts.append(
            f"{len(absent)} of {counted(len(checked), 'documents')} without a score in "
            "the answer: search for them by id, with as many rows"
        )
    if others:
        parts.append(
            f"{counted(len(others), 'documents')} with other features: define these in "
            "the search engine as in the data"
        )
    if alike:
        parts.append(
            f"{counted(len(alike), 'scores')} that "
            f"{'differs' if len(alike) == 1 else 'differ'} with the same features: let "
            "the model alone score (query_weight 0), and see whether it is this export"
        )
    return "".join(f"{part}. " for part in parts).strip()


def _fetched(address: str) -> bytes:
    """Return the content at a URL. Raises Failed if it is unreachable, returns an error
    or is too large."""
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import urlopen

    if not address.startswith(("http://", "https://")):
        raise Failed(f"{address} is not an http or https address.")
    try:
        with urlopen(address, timeout=_WAIT) as answer:
            content: bytes = answer.read(_MOST_BYTES + 1)
    except HTTPError as error:
        problem = f"{address} returned status {error.code}: try it in a browser."
        raise Failed(problem) from error
    except (OSError, ValueError, HTTPException) as error:
        problem = f"{address} cannot be read ({error}): check whether it is running."
        raise Failed(problem) from error
    if len(content) > _MOST_BYTES:
        raise Failed(f"{address} returns over {_MOST_BYTES} bytes: request fewer.")
    return content
