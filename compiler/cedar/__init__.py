"""Everything about Cedar: the vocabulary, the gate before the engine, the decisions."""
