"""Where temporary files are: at a short path, since those of Unix sockets have at most 107 bytes."""

import os
import tempfile


def shorten(most):
    """Has /tmp in place of a TMPDIR with a longer path, also for what is started from here on."""
    if len(tempfile.gettempdir()) > most:
        os.environ["TMPDIR"] = tempfile.tempdir = "/tmp"
