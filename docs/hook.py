"""MkDocs hook: reference pages generated from the declarations, and the documents
outside ``docs``."""

import inspect
import posixpath
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
# Files outside the folder of documents that are also pages.
BESIDE = (
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "data/README.md",
    "examples/plugin/README.md",
)
LINK = re.compile(r"(\]\()([^)#:\s]+)(#[^)]*)?(\))")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; bars within cells are escaped."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(
        "| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines
    )


def _cell(text: Any) -> str:
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")


def _formula(latex: str) -> str:
    from latex2mathml.converter import convert

    return convert(latex, display="block")


def algorithms() -> str:
    """Return the page of the algorithms, by family."""
    from rankcore.algorithms import FAMILIES, by_family, get_algorithm

    parts = ["# Algorithms", "`rankscope describe NAME` prints the same."]
    for family, names in by_family().items():
        parts.append(f"## {family.capitalize()}: {FAMILIES.get(family, '')}")
        parts += [_algorithm(get_algorithm(name)) for name in names]
    return "\n\n".join(parts)


def _algorithm(algorithm: Any) -> str:
    from rankcore.base.hyperparameters import hyperparameters
    from rankcore.base.symbols import plain

    goal = "Maximises" if algorithm.maximises else "Minimises"
    rows = [
        (
            f"`{row.name}`",
            plain(row.symbol),
            row.format(row.default),
            row.range_text,
            row.meaning,
        )
        for row in hyperparameters(algorithm).values()
    ]
    heads = ("hyperparameter", "symbol", "default", "permitted", "meaning")
    return "\n\n".join(
        [
            f"### {algorithm.__name__}",
            f"{algorithm.title}. {algorithm.summary}",
            f"{goal}",
            _formula(algorithm.equation),
            f"Paper: {algorithm.paper}",
            table(heads, rows),
        ]
    )


def measures() -> str:
    """Return the page of the measures."""
    from rankcore.measures import list_measures

    rows = []
    for measure in list_measures():
        names = ", ".join(f"`{name}`" for name in (measure.name, *measure.aliases))
        cutoff = {"never": "none", "optional": "optional `@k`", "always": "`@k`"}
        options = ", ".join(f"`{name}`" for name in _options(measure)) or "–"
        rows.append(
            (
                names,
                measure.title,
                measure.meaning,
                cutoff[measure.cutoffs],
                options,
                measure.paper or "–",
            )
        )
    heads = ("name", "measure", "meaning", "cutoff", "options", "paper")
    rules = "Values also depend on the [rules](../explanation/evaluation.md)."
    return "\n\n".join(["# Measures", rules, table(heads, rows)])


def _options(measure: Any) -> list[str]:
    import dataclasses

    return [
        field.name for field in dataclasses.fields(measure) if field.name != "cutoff"
    ]


def settings() -> str:
    """Return the page of the settings of all views."""
    from rankcore.views import modules

    parts = [
        "# Settings",
        "Links, presets and lessons name settings by these keys: `PAGE?KEY=VALUE`.",
    ]
    for page in modules("pages.views", "PAGE"):
        parts.append(f"## {page.title}\n\n`{page.name}`: {page.question}")
        for view in page.views.values():
            parts.append(f"### {page.title}: {view.name}\n\n{view.question}")
            parts.append(_settings_of(view))
    return "\n\n".join(parts)


def _settings_of(view: Any) -> str:
    rows = [
        (f"`{row.key}`", row.label, row.format(row.default), row.meaning)
        for row in view.rows({})
    ]
    if not rows:
        return "This view has no settings."
    return table(("key", "label", "default", "meaning"), rows)


def command_line() -> str:
    """Return the page of the commands and their options."""
    import typer.main

    from rankcore.cli._app import HELP, application

    root = typer.main.get_command(application([]))
    named = "Hyperparameters are options of `train`, `path`, `sweep` and `search`"
    parts = ["# Command line", HELP, f"{named}: see [algorithms](algorithms.md)."]
    parts += [
        _command(words, command) for words, command in _commands(root, ("rankscope",))
    ]
    return "\n\n".join(parts)


def _commands(group: Any, words: tuple[str, ...]) -> Iterable[tuple[str, Any]]:
    for name, command in group.commands.items():
        own = (*words, name)
        if hasattr(command, "commands"):
            yield from _commands(command, own)
        else:
            yield " ".join(own), command


def _command(words: str, command: Any) -> str:
    context = command.make_context(words, [], resilient_parsing=True)
    usage = " ".join([words, *command.collect_usage_pieces(context)])
    rows = []
    for parameter in command.get_params(context):
        # Hidden options have no help record.
        if record := parameter.get_help_record(context):
            rows.append((f"`{record[0]}`", record[1]))
    about = inspect.cleandoc(command.help or "")
    parts = [f"## {words}", about, f"```\n{usage}\n```"]
    return "\n\n".join([*parts, table(("option", "meaning"), rows)])


def errors() -> str:
    """Return the page of errors, warnings and exit codes."""
    from rankcore.base import errors as raised
    from rankcore.studies.store import StoreError
    from rankcore.views.lessons import LessonError

    kinds = [
        kind
        for kind in vars(raised).values()
        if isinstance(kind, type) and issubclass(kind, Exception)
    ]
    kinds += [StoreError, LessonError]
    rows = [
        (
            f"`{kind.__module__}.{kind.__name__}`",
            f"`{kind.__mro__[1].__name__}`",
            (inspect.getdoc(kind) or "").partition("\n\n")[0],
        )
        for kind in kinds
    ]
    text = (ROOT / "docs" / "tutorials" / "command-line.md").read_text("utf-8")
    codes = text.partition("## Exit codes\n")[2].strip()
    other = (
        "Invalid arguments raise `ValueError` or `TypeError` with a message that says "
        "what to do."
    )
    heads = ("name", "is a", "when")
    return "\n\n".join(
        [
            "# Errors",
            table(heads, rows),
            other,
            "## Exit codes of the command line",
            codes,
        ]
    )


PAGES = {
    "reference/algorithms.md": algorithms,
    "reference/command-line.md": command_line,
    "reference/errors.md": errors,
    "reference/measures.md": measures,
    "reference/settings.md": settings,
}


def outward(text: str, page: str, inside: Iterable[str]) -> str:
    """Return a page with links to files outside the folder replaced by links to pages.

    Parameters
    ----------
    text : str
        Markdown.
    page : str
        Path of the page, relative to the documents, or to the project if outside.
    inside : iterable of str
        Paths of all pages, relative to the documents.
    """
    beside, known = page in BESIDE, set(inside)
    folder = posixpath.dirname(page if beside else f"docs/{page}")

    def changed(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, link[2]))
        own = target.removeprefix("docs/") if target.startswith("docs/") else target
        if own not in known:
            return link[0] if not beside else f"]({link[2]}{link[3] or ''})"
        start = posixpath.dirname(page)
        return f"]({posixpath.relpath(own, start or '.')}{link[3] or ''})"

    return LINK.sub(changed, text)


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages and the documents outside the folder."""
    from mkdocs.structure.files import File

    for path, make in PAGES.items():
        files.append(File.generated(config, path, content=make()))
    for path in BESIDE:
        text = (ROOT / path).read_text("utf-8")
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Return the page's Markdown with links to files outside the folder replaced."""
    return outward(markdown, page.file.src_uri, [file.src_uri for file in files])
