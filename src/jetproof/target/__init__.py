"""Where the worker runs: on this machine, over SSH, in a container, or not at all (recorded)."""
