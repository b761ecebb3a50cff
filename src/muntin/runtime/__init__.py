"""What allocates, runs, compiles and caches: the replaceable half of the machine."""
