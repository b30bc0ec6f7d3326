"""What every part stands on: errors, numbers as text, arrays, cancellation, settings of
algorithms."""
