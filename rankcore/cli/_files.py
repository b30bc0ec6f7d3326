"""Output files of commands, checked before work begins."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rankcore.base.outputs import Output, check_apart
from rankcore.cli._failures import misuse

if TYPE_CHECKING:
    import pandas as pd


def outputs(
    options: Mapping[str, Path | None], data: str | None, read: Sequence[Path | None]
) -> list[Output | None]:
    """Return the outputs of a command in the order of its options, checked to be
    writable and distinct from the data and the other inputs.

    Raises Misused if an output is also read, or named twice, and OSError if one cannot
    be written to.
    """
    from rankcore.data.catalogue import files_of

    paths = {option: path for option, path in options.items() if path is not None}
    inputs = [path for path in read if path is not None]
    if paths and data is not None:
        inputs += files_of(Path(data).expanduser())
    with misuse():
        check_apart(paths, inputs)
    return [None if path is None else Output(path) for path in options.values()]


def beside(out: Path | None, suffix: str) -> Path | None:
    """Return the path of a file beside another; None without a path, or for a stream or
    device."""
    if out is None or not Output(out).is_file:
        return None
    return out.with_suffix(suffix)


def write_table(file: Output | None, table: "pd.DataFrame") -> None:
    """Write a table in the format of the file's suffix, CSV by default."""
    from rankcore.reports.formats import format_of

    if file is not None:
        file.write(format_of(file.path).write(table, ""))
