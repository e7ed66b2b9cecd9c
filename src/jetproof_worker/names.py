"""The one form in which names of distributions are compared. Python >= 3.6."""

import re

_BETWEEN = re.compile(r"[-_.]+")


def normalised(name: str) -> str:
    """Return the name as indexes and installers compare it, however it was spelt."""
    return _BETWEEN.sub("-", name).lower()
