"""Prove what runs on a Jetson, and claim no more."""

__version__ = "0.1.0"
