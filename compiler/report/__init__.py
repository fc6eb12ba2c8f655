"""What the compiler says: the diagnostic record, its codes and its renderers."""
