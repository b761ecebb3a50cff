"""The plan: where a graph is cut into kernels, and what each kernel inlines, rolls and stores."""
