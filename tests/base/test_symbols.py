import re

import pytest

from rankcore.algorithms import get_algorithm, list_algorithms
from rankcore.base.hyperparameters import hyperparameters
from rankcore.base.symbols import plain


@pytest.mark.parametrize(
    ("symbol", "text"),
    [
        ("g", "g"),
        (r"\eta", "η"),
        (r"\lambda", "λ"),
        (r"\varepsilon", "ε"),
        (r"\lambda_u", "λᵤ"),
        (r"\varepsilon^-", "ε⁻"),
        (r"C_\ell", "Cₗ"),
        ("w_0", "w₀"),
        (r"\phi_{\mathrm{MRR}}", "φ MRR"),
    ],
)
def test_a_symbol_is_written_without_latex(symbol, text):
    assert plain(symbol) == text


@pytest.mark.parametrize("name", list_algorithms())
def test_nothing_of_latex_is_left_in_any_declared_symbol(name):
    for row in hyperparameters(get_algorithm(name)).values():
        assert not re.search(r"[\\_{}^$]", plain(row.symbol))
