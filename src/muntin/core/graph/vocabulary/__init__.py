"""The rows of the vocabulary, a module a topic."""
