"""The part of jetproof that travels to the board: standard library only, nothing of the controller.

Python 3.8 and later; `collect` and what it imports also on 3.6, JetPack 4's interpreter. So no
`from __future__ import annotations`, no `capture_output`, no assignment expressions here.
"""

RELEASE = "0.1.0"
"""The release of jetproof that this worker belongs to; it stands here too since the worker travels alone."""
