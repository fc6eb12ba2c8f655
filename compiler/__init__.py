"""The compiler: `.mcpx` and `.cedar` files in, a routing table out. `pipeline` is the way through it."""
