"""Pin a tier's runtime: find the digest of the wheel that torch came from, and write it into the policy.

An installed wheel is no longer a file, so its digest is known in two ways only: the installer noted it (a download by
URL), or somebody names the file, which must then hold exactly what is installed.
"""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

from jetproof.errors import PolicyInvalid, Undecided, UsageError
from jetproof.facts.model import Facts
from jetproof.policy.load import LARGEST, load, parse
from jetproof.policy.model import Policy, Tier
from jetproof.policy.positions import positions
from jetproof.policy.release import covers
from jetproof.target.recorded import read
from jetproof.target.write import write_atomically
from jetproof_worker.ask import noted_sha256

_IMAGE = re.compile(r"(?:^|@)(sha256:[0-9a-f]{64})$")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_MOST = 64 << 20


@dataclass(frozen=True, kw_only=True)
class Pin:
    """A digest and where it was read."""

    digest: str
    """sha256:…"""
    read_from: str


@dataclass(frozen=True, kw_only=True)
class Begun:
    """A tier that is to be pinned, and the file that says so."""

    file: Path
    data: bytes
    number: int
    tier: Tier


def begun(project: Path, policy: str | None, name: str) -> Begun:
    """Return the tier and the policy's file. Raises `UsageError` when either is not there."""
    loaded = load(project, policy)
    if loaded.built_in:
        raise UsageError(f"there is no policy in {project}", hint="jetproof init writes one", reason="policy-missing")
    number, tier = tier_of(loaded.policy, name)
    file = project / loaded.path
    return Begun(file=file, data=read(file, LARGEST), number=number, tier=tier)


def found(tier: Tier, facts: Facts, *, wheel: Path | None, image: str | None) -> Pin:
    """Return the digest of the tier's runtime. Raises `Undecided` where it cannot be known, with the reason."""
    on_the_board(tier, facts)
    if tier.runtime.kind == "image" or image is not None:
        if image is None:
            raise UsageError(
                f"the runtime of {tier.id} is an image, and none is named",
                hint=f"jetproof policy pin {tier.id} --image NAME@sha256:…",
                reason="image-not-named",
            )
        return from_image(image)
    site = torch_site(facts)
    return from_installation(site) if wheel is None else from_wheel(wheel, site)


def finished(planned: Begun, pin: Pin, *, write: bool) -> bool:
    """Write the digest into the policy's file; return whether it says anything new."""
    changed = pinned(planned.data, planned.number, pin.digest, planned.file.name)
    if write and changed != planned.data:
        write_atomically(planned.file, changed, follow=False)
    return changed != planned.data


def tier_of(policy: Policy, name: str) -> tuple[int, Tier]:
    """Return the tier of that id with its number in the file."""
    for number, tier in enumerate(policy.tiers):
        if tier.id == name:
            return number, tier
    known = ", ".join(tier.id for tier in policy.tiers) or "none"
    raise UsageError(f"the policy has no tier {name!r}", hint=f"its tiers: {known}", reason="tier-unknown")


def on_the_board(tier: Tier, facts: Facts) -> None:
    """Raise `Undecided` unless this machine is the tier's module with its L4T release."""
    platform = facts.platform
    if platform.is_jetson.value is not True:
        seen = platform.platform_class.value
        shown = seen.value if seen is not None else "not known"
        raise Undecided(
            f"a runtime is pinned on the board, and this machine is {shown}",
            hint=f"run it on the {tier.module}: jetproof policy pin {tier.id}",
            reason="not-the-board",
        )
    if platform.l4t.value is None or not covers(tier.l4t, platform.l4t.value):
        raise Undecided(
            f"the tier is for L4T {tier.l4t}, and this board has {platform.l4t.value or 'an unknown one'}",
            hint="flash that release, or mend the tier",
            reason="another-release",
        )


def from_wheel(wheel: Path, site: Path) -> Pin:
    """Return the digest of a wheel file whose RECORD is that of the torch installed in `site`.

    Raises `Undecided` when something else is installed, `UsageError` when the file is no wheel of torch.
    """
    inside = _wheel_record(wheel)
    installed = _rows(read(_folder(site) / "RECORD", _MOST).decode("utf-8", "replace"))
    other = sorted(path for path, digest in inside.items() if installed.get(path) != digest)
    if other:
        raise Undecided(
            f"{wheel.name} is not what is installed: {other[0]} differs, and {len(other) - 1} more",
            hint="name the wheel that was installed, or install this one",
            reason="another-wheel",
        )
    digest = hashlib.sha256()
    with wheel.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return Pin(digest=f"sha256:{digest.hexdigest()}", read_from=f"{wheel}, whose files are those installed in {site}")


def from_installation(site: Path) -> Pin:
    """Return the digest that the installer noted for torch. Raises `Undecided` when it noted none."""
    file = _folder(site) / "direct_url.json"
    try:
        noted = noted_sha256(json.loads(file.read_bytes()[:65536]))
    except (OSError, ValueError, RecursionError):
        noted = None
    if noted is None:
        raise Undecided(
            f"the installer noted no digest of the torch in {site}",
            hint="name the wheel's file: jetproof policy pin TIER --torch-wheel torch-….whl",
            reason="digest-not-noted",
        )
    return Pin(digest=f"sha256:{noted}", read_from=str(file))


def from_image(reference: str) -> Pin:
    """Return the digest of an image reference like name@sha256:…. A tag or an image id is refused."""
    match = _IMAGE.search(reference)
    if match is None:
        raise UsageError(
            f"{reference!r} holds no digest",
            hint="docker inspect --format '{{index .RepoDigests 0}}' IMAGE tells it",
            reason="image-without-digest",
        )
    return Pin(digest=match.group(1), read_from=reference)


def torch_site(facts: Facts) -> Path:
    """Return the site folder of the torch that is imported. Raises `Undecided` when there is none."""
    for row in facts.torch.installs:
        if row.name == "torch" and row.active:
            return Path(row.location)
    raise Undecided("no torch is installed for this Python", hint="name another with --python", reason="no-torch")


def pinned(data: bytes, number: int, digest: str, what: str) -> bytes:
    """Return the policy's text with the digest of one tier filled in, everything else as it was.

    Raises `PolicyInvalid` when the result would not stand.
    """
    text = data.decode("utf-8")
    places = positions(text)
    old = places.get(("tiers", number, "runtime", "digest"))
    if old is not None:
        end = _token_end(text, old)
        changed = f'{text[:old]}"{digest}"{text[end:]}'
    else:
        end = _token_end(text, places["tiers", number, "runtime", "source"])
        name = text.rindex('"source"', 0, end)
        blanks = text[text.rfind("\n", 0, name) + 1 : name]
        lead = f"\n{blanks}" if not blanks.strip() else " "
        changed = f'{text[:end]},{lead}"digest": "{digest}"{text[end:]}'
    policy, _ = parse(changed.encode(), what=what)
    if policy.tiers[number].runtime.digest != digest:
        raise PolicyInvalid(f"{what}: the digest could not be put in its place", hint="write it by hand")
    return changed.encode()


def _token_end(text: str, start: int) -> int:
    match = _STRING.match(text, start)
    return match.end() if match else start + len("null")


def _folder(site: Path) -> Path:
    folders = sorted(site.glob("torch-*.dist-info"))
    if len(folders) != 1:
        raise Undecided(f"{site} holds {len(folders)} installations of torch", reason="no-torch")
    return folders[0]


def _wheel_record(wheel: Path) -> dict[str, str]:
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if re.fullmatch(r"torch-[^/]+\.dist-info/RECORD", name)]
            if len(names) == 1 and archive.getinfo(names[0]).file_size <= _MOST:
                return _rows(archive.read(names[0]).decode("utf-8", "replace"))
    except (OSError, zipfile.BadZipFile) as error:
        raise UsageError(f"{wheel} is no wheel: {error}", reason="no-wheel") from None
    raise UsageError(f"{wheel} is no wheel of torch", reason="no-wheel")


def _rows(record: str) -> dict[str, str]:
    """Return digest by path of what a RECORD holds a digest for."""
    rows = {}
    for line in record.splitlines():
        path, _, rest = line.rpartition(",")[0].rpartition(",")
        if rest.startswith("sha256="):
            rows[path.strip('"')] = rest
    return rows
