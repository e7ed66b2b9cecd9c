"""Take out of a snapshot what names a person or grants access: home folders, accounts, credentials. Python >= 3.6."""

import os
import re
from typing import Any

# up to the last "@" before the path: a password may hold one
_CREDENTIALS = re.compile(r"(://)[^/?#\s\"']{1,512}@")
_TOKEN = re.compile(
    r"([?&](?:token|key|sig|signature|access_token|password|X-Amz-[A-Za-z-]+)=)[^&#\s\"']+", re.IGNORECASE
)
_HOMES = re.compile(r"/(home|Users)/(?!<)[^/\s:'\",)\]]+")
_BUILDER = re.compile(r"\([\w.+-]+@[\w.+-]+\)")


def without_secrets(text: str) -> str:
    """Return a text without the credentials and tokens of the addresses in it."""
    if "@" in text:
        text = _CREDENTIALS.sub(r"\1", text)
    return _TOKEN.sub(r"\1<removed>", text) if "=" in text else text


class Redactor:
    """Makes texts fit to be shown to strangers; the same text always gives the same result."""

    def __init__(self, home: str, account: str) -> None:
        self._home = None
        if len(home) > 1 and home.startswith("/"):
            self._home = re.compile(r"(?<![\w.-])" + re.escape(home.rstrip("/")) + r"(?![\w.-])")
        self._account = None
        if account and account != "root":
            # only where a path is known to hold accounts: "nvidia" is a frequent account and a folder of the driver
            self._account = re.compile(r"(/(?:media|mnt|run/media|tmp|var/tmp|data)/)%s(?![\w.-])" % re.escape(account))

    def text(self, text: str) -> str:
        """Return one text without home paths, accounts in paths, and credentials in URLs."""
        if self._home is not None:
            text = self._home.sub("~", text)
        text = _HOMES.sub(r"/\1/<user>", text)
        if self._account is not None:
            text = self._account.sub(r"\1<user>", text)
        return _BUILDER.sub("(<user>@<host>)", without_secrets(text)) if "@" in text else without_secrets(text)

    def value(self, value: Any) -> Any:
        """Return a JSON value with all its texts and names redacted."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {self.text(name): self.value(item) for name, item in value.items()}
        return value


def here(account: str) -> Redactor:
    """Return the redactor for the account that runs this process."""
    return Redactor(os.path.expanduser("~"), account)
