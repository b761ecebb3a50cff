"""Emitters: they write a program as text for one target and import nothing of that target."""
