"""Numbers for pictures: named plain values, computed here and drawn elsewhere."""
