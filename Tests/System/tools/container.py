"""A container without its program: the files of a minimal Debian, in namespaces of their own."""

import contextlib
import fcntl
import os
import re
import shutil

from tools import commands
from tools.programs import ROOT

SUITE = "stable"
MADE = ROOT / ".build/container"


def image(packages):
    """The files of `debian:stable-slim`, which is made of the same variant, with these packages; kept for the next run."""
    made = MADE / "+".join([SUITE, *packages])
    MADE.mkdir(parents=True, exist_ok=True)
    with open(MADE / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (made / "ready").exists():
            shutil.rmtree(made, ignore_errors=True)
            # Unpacked and not set up; what is added is fetched only.
            commands.must("debootstrap", "--foreign", "--variant=minbase", f"--include={','.join(packages)}", SUITE, made)
            for package in packages:
                [file] = made.glob(f"var/cache/apt/archives/{package}_*.deb")
                commands.must("dpkg-deb", "-x", file, made)
            # In some places debootstrap makes a link to the host's.
            if (made / "proc").is_symlink():
                (made / "proc").unlink()
                (made / "proc").mkdir()
            (made / "ready").touch()
    return made


def run(root, binds, *command):
    """Runs a command within an image's files, with files of the host bound at places in it, without a network."""
    script = ["mount --make-rprivate /", f"mount -t proc proc {root}/proc", f"mount -t tmpfs tmpfs {root}/run"]
    for source, target in binds.items():
        make = "mkdir -p" if os.path.isdir(source) else "touch"
        script += [f"{make} {root}/{target}", f"mount --bind {source} {root}/{target}"]
    script.append(f"exec unshare --net chroot {root} {' '.join(command)}")
    return commands.run("unshare", "--mount", "sh", "-ec", "\n".join(script))


@contextlib.contextmanager
def without(root, package):
    """The image's files without the library of a package, such as that of libexpat1, libexpat.so.1."""
    name, version = re.fullmatch(r"(\w+?)(\d+)", package).groups()
    files = list(root.glob(f"usr/lib/*/{name}.so.{version}*"))
    assert files, package
    for path in files:
        path.rename(path.with_name(f"away-{path.name}"))
    try:
        yield root
    finally:
        for path in files:
            path.with_name(f"away-{path.name}").rename(path)
