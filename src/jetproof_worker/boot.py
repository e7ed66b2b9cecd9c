"""Tell one start of the machine from another, without giving its boot id away. Python 3.6 and later."""

import hashlib


def boot_hash():
    # type: () -> str
    """Return 16 hex digits that change with each start of the machine; "unknown" where it cannot be told."""
    try:
        with open("/proc/sys/kernel/random/boot_id", "rb") as file:
            boot_id = file.read(64).strip()
    except OSError:
        return "unknown"
    return hashlib.sha256(b"jetproof boot " + boot_id).hexdigest()[:16]
