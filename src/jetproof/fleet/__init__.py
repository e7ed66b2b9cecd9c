"""Many boards at once, and what they say together."""
