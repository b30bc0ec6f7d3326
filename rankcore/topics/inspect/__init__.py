"""One query under a model: order, forces, swaps, reasons."""
