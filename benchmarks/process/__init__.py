"""What is measured in a process of its own: imports, first results and peak memory."""
