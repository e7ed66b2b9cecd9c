"""A gate's plan, its run, its journal and its verdict."""
