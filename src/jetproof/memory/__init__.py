"""What unified memory can give, and what a model needs."""
