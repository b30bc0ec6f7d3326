"""Forms of text files with judgements or rankings, and their discovery."""

from typing import ClassVar, TypeVar

from rankcore.base.discovery import declared

F = TypeVar("F", bound="FileForm")


class FileForm:
    """A form of text files; each subclass is in a separate file.

    Attributes
    ----------
    name : str
        Its name in messages, after "Give".
    order : int
        If several forms recognise a file, the one with the lowest number reads it.
    """

    name: ClassVar[str]
    order: ClassVar[int] = 5

    def recognises(self, line: str) -> bool:
        """Return whether the first line that is not a comment has this form."""
        raise NotImplementedError


def declared_forms(package: str, kind: type[F], group: str) -> tuple[F, ...]:
    """Return the forms of a kind in the order of trial; the arguments are those of
    `rankcore.base.discovery.declared`."""
    forms = (form() for form in declared(package, kind, group))
    return tuple(sorted(forms, key=lambda form: form.order))
