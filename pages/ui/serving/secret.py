"""The key by which the server knows the cookies that it has given."""

import hmac
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from platformdirs import user_data_path

VARIABLE = "RANKSCOPE_SECRET"
FILE = "visitors.key"
# As many letters as keep a key from being guessed.
FEWEST = 16


@lru_cache(maxsize=1024)
def signature(text: str) -> str:
    """Return the keyed signature of a text, 43 letters or digits."""
    return hmac.digest(_key(), text.encode(), "sha256").hex()[:43]


def check() -> None:
    """Refuse a key of the environment that could be guessed, of fewer than `FEWEST`
    letters, by a ValueError."""
    value = os.environ.get(VARIABLE, "")
    if value and len(value) < FEWEST:
        raise ValueError(
            f"{VARIABLE} has {len(value)} letters, and needs {FEWEST} at least: "
            "`openssl rand -hex 32` writes one."
        )


@lru_cache(maxsize=1)
def _key() -> bytes:
    """Return the key of the environment, else of the data folder; where that cannot be
    written, one of this process."""
    value = os.environ.get(VARIABLE, "")
    if value:
        return value.encode()
    file = _folder(os.environ) / FILE
    with suppress(OSError):
        return _key_in(file)
    return secrets.token_bytes(32)


def _folder(environment: Mapping[str, str]) -> Path:
    """Where runs are kept, or would be by default."""
    address = urlsplit(environment.get("RANKSCOPE_DATABASE_URL", ""))
    if address.scheme.startswith("sqlite") and len(address.path) > 1:
        return Path(address.path[1:]).parent
    return user_data_path("rankscope", appauthor=False)


def _key_in(file: Path) -> bytes:
    """Return the key in a file that only its owner can read, at first a new one.

    Written beside it first: of servers that start together, all read the first one's.
    """
    with suppress(FileNotFoundError):
        return file.read_bytes()
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f"{FILE}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(secrets.token_hex(32).encode())
        with suppress(FileExistsError):
            os.link(draft, file)
    finally:
        draft.unlink()
    return file.read_bytes()
