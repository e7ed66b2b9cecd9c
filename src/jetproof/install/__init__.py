"""Read what a project wants installed, judge it against a vendor's torch, and install it beside that torch."""
