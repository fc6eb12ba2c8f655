"""What may stand in a file beyond names and types: one module per topic."""
