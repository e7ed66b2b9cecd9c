"""Where a board is, as ssh://[user@]host[:port]; nothing that ssh or a shell could take for something else."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jetproof.errors import UsageError

SCHEME = "ssh://"
_FORM = re.compile(
    r"(?:(?P<user>[A-Za-z0-9_][A-Za-z0-9_.-]{0,63})@)?"
    r"(?P<host>[A-Za-z0-9_][A-Za-z0-9_.-]{0,252}|\[[0-9A-Fa-f:.]{2,45}(?:%[A-Za-z0-9]{1,15})?\])"
    r"(?::(?P<port>[0-9]{1,5}))?/?"
)


@dataclass(frozen=True, kw_only=True)
class Address:
    """A board's address; user and port may be left to the user's ssh configuration, the host may be an alias of it."""

    host: str
    user: str | None = None
    port: int | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The arguments that name it to ssh; what follows `--` is never an option."""
        user = () if self.user is None else ("-l", self.user)
        port = () if self.port is None else ("-p", str(self.port))
        return (*user, *port, "--", self.host)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.user + '@' if self.user else ''}{host}{f':{self.port}' if self.port else ''}"


def parse(text: str) -> Address:
    """Return the address. Raises UsageError for anything else than ssh://[user@]host[:port]."""
    found = _FORM.fullmatch(text.removeprefix(SCHEME)) if text.startswith(SCHEME) else None
    port = int(found["port"]) if found is not None and found["port"] else None
    if found is None or (port is not None and not 0 < port < 65536):
        raise UsageError(
            f"--target {text[:120]!r} is not of the form ssh://user@host:port",
            hint="options, commands and paths have no place in it; put them into ~/.ssh/config under a Host alias",
            reason="target-malformed",
        )
    return Address(host=found["host"].strip("[]"), user=found["user"], port=port)
