"""Reading of files, written as a command and as equivalent Python."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from rankcore.data.formats import of_name
from rankcore.data.readers.division import Division
from rankcore.data.readers.folds import Splits
from rankcore.data.readers.problems import format_lines


@dataclass(frozen=True)
class Files:
    """Data files and their reading options, written as a command or Python.

    Attributes
    ----------
    names : mapping
        The name of each split's file.
    options : mapping
        Options of the reader, such as the column of a role, the judgements of a feature
        log, or a tuple of lines to skip.
    division : Division or None
        How the queries of one file are split.
    shared : "drop", optional
        Whether queries of an earlier split are left out of later ones.
    weights : str, optional
        The name of a file with the weights of queries.
    document_weights : str, optional
        The name of a file with the weights of documents.
    """

    names: Mapping[str, str]
    options: Mapping[str, Any] = field(default_factory=dict)
    division: Division | None = None
    shared: str | None = None
    weights: str | None = None
    document_weights: str | None = None

    @property
    def weights_files(self) -> dict[str, str]:
        """Names of the files with weights, by argument of `read`."""
        files = {"weights": self.weights, "document_weights": self.document_weights}
        return {role: name for role, name in files.items() if name}

    @property
    def title(self) -> str:
        """Name of the file, with the fold if it is one of several."""
        fold = "" if self.division is None else self.division.title
        return ", ".join(filter(None, (PurePath(self.names["train"]).name, fold)))

    @property
    def skipping(self) -> str:
        """The skipped lines as a sentence after a space; empty without any."""
        lines = self.options.get("skip_lines", ())
        if not lines:
            return ""
        count = "1 line" if len(lines) == 1 else f"{len(lines):,} lines"
        return f" {count} skipped: {format_lines(lines)}."

    def words(self) -> list[str]:
        """Return the arguments that name the data on a command line: a file, then
        options."""
        options: dict[str, Any] = {
            split: name for split, name in self.names.items() if split != "train"
        }
        options |= self.options
        if self.division is not None:
            options["divide"] = self.division
            if self.division.seed is not None:
                options["divide_seed"] = self.division.seed
        if self.shared:
            options["shared"] = self.shared
        options |= self.weights_files
        words = [self.names["train"]]
        if options.pop("header", None):
            words.append("--no-header")
        for option, value in options.items():
            for one in value if isinstance(value, list) else [value]:
                text = format_lines(one) if isinstance(one, tuple) else str(one)
                words += [f"--{option.replace('_', '-')}", text]
        return words

    def python(self, split: str) -> str:
        """Return the Python expression that reads a split of one file; "" for several,
        which may differ in their last features or share queries, or with a file of
        weights."""
        if len(self.names) > 1 or self.shared or self.weights_files:
            return ""
        name = self.names["train"]
        kind = of_name(name)
        beyond = {"encoding", "weights", "document_weights", *kind.afterwards}
        of_read = beyond & self.options.keys()
        reader = "read" if of_read else kind.function
        read = f"{reader}({name!r}{self._arguments})"
        if self.division is None:
            return read
        return f"{read}.{self.division.call}[{Splits._fields.index(split)}]"

    def command(self, normalise: str | None = None) -> str:
        """Return a command that trains on the data, for POSIX shells."""
        file, *options = self.words()
        scaled = ["--normalise", normalise] if normalise else []
        words = ["rankscope", "train", file, "RSRank", *options, *scaled]
        return shlex.join(words)

    def splits(self, normalise: str | None = None) -> str:
        """Return Python code that reads every split as ``data``.

        Parameters
        ----------
        normalise : str, optional
            Scaling of features within each query.
        """
        path = "from pathlib import Path\n\n" * bool(self.weights_files)
        more = ".distinct()" * bool(self.shared)
        more += f".normalise({normalise!r})" if normalise else ""
        if len(self.names) == 1:
            read = f"read({self.names['train']!r}{self._arguments})"
            data = f"{read}.{self.division.call}" if self.division else f"({read},)"
            if not more:
                return f"{path}from rankcore.data.readers import read\n\ndata = {data}"
            imported = f"{path}from rankcore.data.readers import Splits, read\n\n"
            return f"{imported}data = Splits(*{data}){more}"
        every = "".join(
            f"    {split!r}: read({name!r}{self._arguments}),\n"
            for split, name in self.names.items()
        )
        return (
            f"{path}from rankcore.data.readers import Splits, read\n"
            "from rankcore.data.readers.folds import same_features\n\n"
            f"files = {{\n{every}}}\n"
            f"data = Splits(**same_features(files, {self.names['train']!r})){more}"
        )

    @property
    def _arguments(self) -> str:
        """The arguments of a reader after the file."""
        arguments = "".join(f", {name}={of!r}" for name, of in self.options.items())
        files = self.weights_files.items()
        return arguments + "".join(f", {role}=Path({name!r})" for role, name in files)
