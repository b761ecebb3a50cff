"""Single functions of mathematics, on one thread."""
