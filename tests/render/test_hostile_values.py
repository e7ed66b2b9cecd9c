"""Foreign values can neither drive a terminal, nor pass for lines of ours, nor become markup."""

from __future__ import annotations

import re

from jetproof.diagnosis.engine import diagnose
from jetproof.errors import UsageError
from jetproof.facts.from_snapshot import facts as facts_of
from jetproof.render import diagnosis as render
from jetproof.render.errors import told as error_told
from jetproof.render.facts import told
from jetproof.render.markup import escaped
from jetproof.tables import load
from jetproof.target.snapshot import parse

EVIL = "x\x1b]0;title\x07\u202e\nhealthy: forged\r\n```\nforged &#64;bob ~~gone~~"


def hostile() -> object:
    return {
        "files": {"/proc/device-tree/model": EVIL},
        "commands": {"dpkg-query -W nvidia-l4t-core": f"nvidia-l4t-core\t36.4.3{EVIL}"},
        "user": {"groups": [EVIL], "groups_on_file": [EVIL]},
        "programs": {"nvcc": EVIL},
        "python": {
            "asked": EVIL,
            "interpreter": {
                "executable": EVIL,
                "version": "3.10.12",
                "distributions": [{"name": "torch", "release": EVIL, "location": EVIL}],
            },
            "others": [{"executable": EVIL, "version": EVIL, "torch": EVIL}],
        },
        "trials": {"steps": [{"name": "import torch", "outcome": "failed", "message": EVIL}]},
    }


def test_of_a_read_out() -> None:
    tables = load()
    facts = facts_of(parse(hostile(), what="it", origin="recorded"), tables)
    diagnosis = diagnose(facts, tables)
    for text in (told(facts, everything=True), render.told(diagnosis, facts), render.markdown(diagnosis, facts)):
        assert not [char for char in text if not char.isprintable() and char not in "\n\u200b"]
        assert not [line for line in text.splitlines() if line.startswith(("healthy", "forged"))]
        assert set(re.findall(r"^ *```.*$", text, re.MULTILINE)) <= {"  ```sh", "  ```"}


def test_of_an_error() -> None:
    lines = error_told(UsageError("bad name: a\nhint: run this\nerror: forged", hint="look\nhint: twice")).splitlines()
    assert [line for line in lines if line.startswith(("error:", "hint:"))] == ["error: bad name: a", "hint: look"]


def test_entities_name_nobody_and_strike_nothing() -> None:
    assert escaped("&#64;bob ~~gone~~") == r"\&\#64;bob \~\~gone\~\~"
