"""The graph: nodes, the operation table, construction and canonical form."""
