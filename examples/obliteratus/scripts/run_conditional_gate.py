#!/usr/bin/env python3
# written by jetproof init, sha256 b91c7c2941f28d4aa465350b91194b67e7a4cabb95b58d0a989e125104ff19bc
"""Run one conditional gate of this project: python scripts/run_conditional_gate.py GATE [options of jetproof run]."""

from __future__ import annotations

import sys


def main() -> int:
    """Hand over to `jetproof run`."""
    try:
        from jetproof.cli.main import main as jetproof
    except ImportError:
        print("error: jetproof is not installed in this Python\nhint: pip install jetproof", file=sys.stderr)
        return 2
    return jetproof(["run", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
