"""Edits weights that do not fit on the GPU."""
