"""The key by which the server recognises its own cookies."""

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
# Fewest characters of a key that cannot be guessed.
FEWEST = 16


@lru_cache(maxsize=1024)
def signature(text: str) -> str:
    """Return the keyed signature of a text, 43 letters or digits."""
    return hmac.digest(_key(), text.encode(), "sha256").hex()[:43]


def check() -> None:
    """Raise ValueError for a guessable key in the environment, of fewer than `FEWEST`
    characters."""
    value = os.environ.get(VARIABLE, "")
    if value and len(value) < FEWEST:
        raise ValueError(
            f"{VARIABLE} has {len(value)} characters, and needs at least {FEWEST}: "
            "`openssl rand -hex 32` writes one."
        )


@lru_cache(maxsize=1)
def _key() -> bytes:
    """Return the key from the environment, otherwise from the data folder; if that
    cannot be written, a key of this process."""
    value = os.environ.get(VARIABLE, "")
    if value:
        return value.encode()
    file = _folder(os.environ) / FILE
    with suppress(OSError):
        return _key_in(file)
    return secrets.token_bytes(32)


def _folder(environment: Mapping[str, str]) -> Path:
    """Return the folder in which runs are stored, or would be by default."""
    address = urlsplit(environment.get("RANKSCOPE_DATABASE_URL", ""))
    if address.scheme.startswith("sqlite") and len(address.path) > 1:
        return Path(address.path[1:]).parent
    return user_data_path("rankscope", appauthor=False)


def _key_in(file: Path) -> bytes:
    """Return the key in a file that only its owner can read, which is made if missing.

    A new key is written beside it first, so servers that start together read one key.
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
