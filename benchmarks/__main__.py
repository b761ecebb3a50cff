"""The command `python -m benchmarks`."""

from benchmarks.command import main

main()
