"""Plain text for the papers' symbols, which are declared in LaTeX."""

import re
import unicodedata
from functools import lru_cache

_UNLIKE_THEIR_NAME = {
    "ell": "ℓ",
    "epsilon": "ε",
    "lambda": "λ",
    "varepsilon": "ε",
    "varphi": "φ",
}
_BELOW = str.maketrans("0123456789ijklmnptuℓ", "₀₁₂₃₄₅₆₇₈₉ᵢⱼₖₗₘₙₚₜᵤₗ")


@lru_cache(maxsize=256)
def plain(symbol: str) -> str:
    r"""Write a symbol without LaTeX; a word as subscript follows a blank.

    Examples
    --------
    >>> plain(r"\eta"), plain(r"\lambda_u"), plain(r"C_{\mathrm{AUC}}")
    ('η', 'λᵤ', 'C AUC')
    """
    words = re.sub(r"\\mathrm\{(\w+)\}", r"\1", symbol)
    letters = re.sub(r"\\([a-z]+)", _letter, words)
    spaced = re.sub(r"_\{(\w+)\}", r" \1", letters).replace("^-", "⁻")
    return re.sub(r"_(\w)", lambda below: below[1].translate(_BELOW), spaced)


def _letter(command: re.Match[str]) -> str:
    name = command[1]
    return _UNLIKE_THEIR_NAME.get(name) or unicodedata.lookup(
        f"GREEK SMALL LETTER {name}"
    )
