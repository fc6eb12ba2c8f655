"""Adapters: one module per client library. Each needs its library's extra; `mcpx.runtime` itself needs none."""
