"""Every distribution on an interpreter's site paths, with what it asks for, read from metadata alone. Python >= 3.8."""

import os
from importlib import metadata
from typing import Any, Dict, Iterable, List

from jetproof_worker.names import normalised


def installed(site_paths: Iterable[str]) -> List[Dict[str, Any]]:
    """List every distribution on these paths; the first of a name is the one that an import finds."""
    found: List[Dict[str, Any]] = []
    seen = set()
    folders = set()
    for site in site_paths:
        real = os.path.realpath(site)
        if real in folders:
            continue
        folders.add(real)
        for dist in metadata.distributions(path=[site]):
            # a folder that was left half deleted has metadata without a name
            name = dist.metadata["Name"] if "Name" in (dist.metadata or ()) else None
            if not name:
                continue
            normal = normalised(name)
            found.append(
                {
                    "name": normal,
                    "release": dist.version,
                    "location": site,
                    "active": normal not in seen,
                    "requires": [str(line) for line in dist.requires or ()],
                }
            )
            seen.add(normal)
    return found
