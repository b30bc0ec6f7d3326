"""How far smooth surrogates are from the measures they stand for."""
