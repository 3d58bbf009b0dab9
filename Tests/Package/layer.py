"""The changes of the host's files, read from the overlay layer that contains them."""

import filecmp
import os
import pathlib

UPPER = pathlib.Path("/run/changes/upper")
LOWER = pathlib.Path("/run/host")
# The package manager's own records, caches and logs, and files of programs that have nothing to do with the package.
OTHERS = ("/var/lib/dpkg", "/var/cache", "/var/log", "/var/lib/systemd/catalog", "/root", "/home", "/etc/.pwd.lock",
          "/var/lib/systemd/deb-systemd-helper-enabled", "/var/lib/systemd/timers")
# Rewritten with other contents when users come and go.
BACKUPS = ("/etc/passwd-", "/etc/group-", "/etc/shadow-", "/etc/gshadow-", "/etc/subuid-", "/etc/subgid-",
           "/etc/subuid", "/etc/subgid")


def changes():
    """New files, and files whose content differs from the host's."""
    found = set()
    for directory, _, names in os.walk(UPPER):
        for name in names:
            path = pathlib.Path(directory, name)
            inside = "/" + str(path.relative_to(UPPER))
            if not inside.startswith(OTHERS) and inside not in BACKUPS and is_change(path, inside):
                found.add(inside)
    return found


def is_change(path, inside):
    former = LOWER / inside[1:]
    if path.is_char_device() and path.stat().st_rdev == 0:
        return former.exists() or former.is_symlink()
    if path.is_symlink() or not path.is_file():
        return not former.is_symlink() and not former.exists()
    return not former.is_file() or not filecmp.cmp(path, former, shallow=False)
