"""Values that are scattered to indices, and numbers that are counted."""
