"""Certificates for servers of MQTT and their clients."""

import os
import subprocess

# Made in no time
KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256")


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True, stdin=subprocess.DEVNULL)


def sign(folder, name, signer):
    """Writes a certificate that an authority of the folder signed."""
    openssl("req", *KEY, "-nodes", "-subj", f"/CN={'localhost' if name == 'server' else name}",
        "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.csr")
    (folder / "san").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1")
    openssl("x509", "-req", "-in", folder / f"{name}.csr", "-CA", folder / f"{signer}.crt", "-CAkey",
        folder / f"{signer}.key", "-CAcreateserial", "-days", "2", "-extfile", folder / "san", "-out", folder / f"{name}.crt")


def write_certificates(folder):
    """Writes an authority, a certificate for the server and one for a client, and those of another authority."""
    for name in ("ours", "theirs"):
        # Python 3.13 trusts no authority without its use.
        openssl("req", "-x509", *KEY, "-nodes", "-days", "2", "-subj", f"/CN=authority {name}",
            "-addext", "keyUsage=critical,keyCertSign,cRLSign", "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.crt")
    for name, signer in (("server", "ours"), ("client", "ours"), ("stranger", "theirs")):
        sign(folder, name, signer)
    for path in folder.iterdir():
        path.chmod(0o644)
    folder.chmod(0o755)
    for parent in folder.parents:
        if parent.stat().st_uid == os.getuid() and parent.stat().st_mode & 0o777 == 0o700:
            parent.chmod(0o711)
