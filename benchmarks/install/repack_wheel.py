"""Give a torch wheel the number of a vendor's build, so that a machine without a Jetson has something to protect.

    python repack_wheel.py torch-2.13.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl 2.8.0a0+5228986c39.nv25.06 OUT

The code stays what it was; only the name of the metadata folder, its Version, torch/version.py and RECORD change.
What is measured with such a wheel says what resolvers do with the number. It is no evidence about a Jetson.
"""

from __future__ import annotations

import base64
import hashlib
import re
import sys
import zipfile
from pathlib import Path


def repack(wheel: Path, number: str, folder: Path) -> Path:
    old = wheel.name.split("-")[1]
    out = folder / wheel.name.replace(old, number, 1)
    rows: list[str] = []
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED, allowZip64=True) as target:
        for entry in source.infolist():
            if entry.filename.endswith("/RECORD"):
                continue
            data = source.read(entry)
            name = entry.filename.replace(f"torch-{old}.dist-info", f"torch-{number}.dist-info", 1)
            if name.endswith(".dist-info/METADATA"):
                data = re.sub(rb"(?m)^Version: .*$", f"Version: {number}".encode(), data, count=1)
            elif name == "torch/version.py":
                data = data.replace(old.encode(), number.encode())
            target.writestr(zipfile.ZipInfo(name, entry.date_time), data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.append(f"{name},sha256={digest},{len(data)}")
        record = f"torch-{number}.dist-info/RECORD"
        target.writestr(record, "\n".join([*rows, f"{record},,", ""]))
    return out


if __name__ == "__main__":
    print(repack(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])))
