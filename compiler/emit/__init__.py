"""From decided programs to what is written."""
