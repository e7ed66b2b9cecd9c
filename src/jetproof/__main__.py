"""`python -m jetproof`."""

from jetproof.cli.main import script

script()
