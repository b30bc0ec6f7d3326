"""Forms of text files with judgements or rankings, and which ones there are."""

from typing import ClassVar, TypeVar

from rankcore.base.discovery import declared

F = TypeVar("F", bound="FileForm")


class FileForm:
    """A form of files: a subclass in a file of its own.

    Attributes
    ----------
    name : str
        How messages call it, after "Give".
    order : int
        Of the forms that recognise a file, the one of the lowest number reads it.
    """

    name: ClassVar[str]
    order: ClassVar[int] = 5

    def recognises(self, line: str) -> bool:
        """Whether the first line that is no comment is of this form."""
        raise NotImplementedError


def declared_forms(package: str, kind: type[F], group: str) -> tuple[F, ...]:
    """Return the forms of a kind, in the order in which they are tried; the arguments
    are those of `rankcore.base.discovery.declared`."""
    forms = (form() for form in declared(package, kind, group))
    return tuple(sorted(forms, key=lambda form: form.order))
