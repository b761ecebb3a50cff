"""The plan: which nodes become which kernel, in which types."""
