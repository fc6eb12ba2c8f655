"""From the tree as written to the tree as meant: every name is looked up once, here, and every value gets its type."""

from mcpx.compiler.resolve.program import resolve

__all__ = ["resolve"]
