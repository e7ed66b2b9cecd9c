"""Print the results of mechanisms.py as the tables of docs/install/mechanisms.md.

python table.py results.json
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

NAMES = {"nv": "2.8.0a0+5228986c39.nv25.6", "plain": "2.8.0"}


def tables(results: dict[str, dict[str, dict[str, str]]]) -> str:
    lines: list[str] = []
    for form, number in NAMES.items():
        rows = results[form]
        columns = list(next(iter(rows.values())))
        lines += [f"## The vendor's torch is {number}", ""]
        lines.append("| project | " + " | ".join(columns) + " |")
        lines.append("|---" * (len(columns) + 1) + "|")
        lines += [
            f"| {project} | " + " | ".join(row[column] for column in columns) + " |" for project, row in rows.items()
        ]
        lines.append("")
        for column in columns:
            count = Counter(row[column][0] for row in rows.values())
            told = ", ".join(f"{count[letter]} {letter}" for letter in "KRET" if count[letter])
            shadowed = sum(1 for row in rows.values() if " tv" in row[column])
            more = f"; {shadowed} with a torchvision from the index" if shadowed else ""
            lines.append(f"* {column}: {told}{more}")
        imported = sum(1 for row in rows.values() if " imports" in row["jetproof"])
        lines += ["", f"jetproof: {imported} of {len(rows)} projects import afterwards.", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    print(tables(json.loads(Path(sys.argv[1]).read_text())))
