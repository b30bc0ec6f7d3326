"""How a structured SVM scores whole lists."""
