"""Six float32 operations on 16 million elements, and how fast the same bytes can move."""
