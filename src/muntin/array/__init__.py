"""The lazy value that a user holds, the functions on it, and their evaluation."""
