"""Typed facts from a snapshot, or from a pasted report. Pure."""
