"""Who asks, and which device nodes that user may open."""

from __future__ import annotations

from collections.abc import Sequence

from jetproof.facts.fact import Fact, known, unknown
from jetproof.facts.model import DeviceNode, Permissions
from jetproof.target.snapshot import Snapshot
from jetproof.target.snapshot_model import User


def _groups(name: str, groups: Sequence[str] | None, place: str) -> Fact[tuple[str, ...]]:
    return unknown(name, read_from=place) if groups is None else known(name, tuple(groups), place)


def permissions(snapshot: Snapshot) -> Permissions:
    """Return the user's groups and the device nodes as they were found."""
    user = snapshot.user or User()
    return Permissions(
        is_root=unknown("user.is_root") if user.is_root is None else known("user.is_root", user.is_root, "the process"),
        groups=_groups("user.groups", user.groups, "the process"),
        groups_on_file=_groups("user.groups_on_file", user.groups_on_file, "the user database"),
        nodes=tuple(
            DeviceNode(
                path=path,
                owner=node.owner or "",
                group=node.group or "",
                mode=node.mode or "",
                usable=node.usable,
            )
            for path, node in sorted(snapshot.nodes.items())
            if node is not None
        ),
    )
