"""Where an environment lies on a board that is installed on from afar: a link, and beside it the folder it leads into.

The link is the only journal: what lies in the folder and is not what the link leads to was never finished, or is no
longer needed. So a link is swapped in one step, and undoing what was cut short is to remove all but what it leads to.
Standard library only, Python 3.6 and later.
"""

import contextlib
import fcntl
import os
import re
import stat
import time
from typing import Iterator, List, Optional

from jetproof_worker import link_boot

_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}")


class Refusal(Exception):
    """It cannot be done there; nothing was changed. `reason` is a code, `hint` what to do."""

    def __init__(self, reason: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.hint = hint


class Place:
    """One link and its folder. `asked` is relative to the account's home folder, where it is not a whole path."""

    def __init__(self, asked: str) -> None:
        home = os.path.expanduser("~")
        self.link = os.path.normpath(os.path.join(home, os.path.expanduser(asked)))
        self.folder = self.link + ".d"
        self._home = home

    @property
    def current(self) -> Optional[str]:
        """The environment that the link leads to; None when there is none, or it is not of the folder."""
        try:
            led = os.path.normpath(os.path.join(os.path.dirname(self.link), os.readlink(self.link)))
        except OSError:
            return None
        ours = os.path.dirname(led) == self.folder and _ID.fullmatch(os.path.basename(led))
        return led if ours else None

    def check(self) -> None:
        """Raise `Refusal` where no environment may be put."""
        real, home = os.path.realpath(self.link), os.path.realpath(self._home)
        if (home + "/").startswith(real.rstrip("/") + "/") or self.link.startswith(("/proc/", "/sys/", "/dev/")):
            raise _refused(self.link, "is your home folder, holds it, or is the system's", "target-precious")
        if os.path.islink(self.link):
            if self.current is None:
                raise _refused(self.link, "is a link that was not made here", "target-is-link")
        elif os.path.lexists(self.link):
            raise _refused(self.link, "is there already and was not made here", "target-exists")
        if not os.path.isdir(os.path.dirname(self.link)):
            raise _refused(self.link, "lies in a folder that does not exist", "target-no-parent")
        if os.path.lexists(self.folder):
            said = os.lstat(self.folder)
            own = stat.S_ISDIR(said.st_mode) and said.st_uid == os.geteuid()
            if not own or not all(_ID.fullmatch(name) for name in os.listdir(self.folder)):
                raise _refused(self.folder, "holds something that was not made here", "target-folder")

    def new(self) -> str:
        """Return where the next environment will lie."""
        name = "%s-%s" % (time.strftime("%Y%m%d-%H%M%S", time.gmtime()), os.urandom(4).hex())
        return os.path.join(self.folder, name)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Hold the folder's lock, making the folder; a folder that is empty in the end is removed."""
        while True:
            with contextlib.suppress(FileExistsError):
                os.mkdir(self.folder, 0o755)
            descriptor = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.path.samestat(os.fstat(descriptor), os.stat(self.folder)):
                    break
            except FileNotFoundError:
                pass  # its last holder removed it just now
            except OSError:
                os.close(descriptor)
                raise Refusal("locked", "another installation to %s is under way" % self.link, "Wait for it.") from None
            os.close(descriptor)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                os.rmdir(self.folder)
            os.close(descriptor)

    def lead_to(self, environment: str) -> None:
        """Let the link lead to an environment of the folder, in one step."""
        draft = self._draft()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(draft)
        os.symlink(os.path.join(os.path.basename(self.folder), os.path.basename(environment)), draft)
        os.replace(draft, self.link)

    def tidy(self) -> List[str]:
        """Remove all that the link does not lead to; return the names of what went. Called with the lock held."""
        with contextlib.suppress(OSError):
            os.unlink(self._draft())
        gone = []
        for name in sorted(os.listdir(self.folder)):
            path = os.path.join(self.folder, name)
            if path != self.current and _ID.fullmatch(name) and link_boot.is_ours(path):
                link_boot.remove(path)
                gone.append(name)
        return gone

    def _draft(self) -> str:
        return os.path.join(os.path.dirname(self.link), ".%s.new" % os.path.basename(self.link))


def undo(asked: str) -> None:
    """Bring a place back to what its link says, where an installation was ended from outside."""
    place = Place(asked)
    try:
        if os.path.isdir(place.folder):
            place.check()
            with place.held():
                place.tidy()
    except (Refusal, OSError):
        pass  # another one is at work there, and tidies itself


def _refused(path: str, why: str, reason: str) -> Refusal:
    return Refusal(reason, "%s %s; nothing was changed" % (path, why), "Give a path that does not exist yet: --venv")
