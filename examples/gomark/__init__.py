"""The example of the README: a knowledge base that answers each call for the tenant of its run."""
