"""org.varlink.certification: the daemon's server code with the reference client, and the library's connection with the
reference server, which compares raw calls.
"""

import os
import subprocess
import sys

import pytest
import varlink

from tools.commands import run
from tools.daemon import die_with_parent
from tools.programs import CERTIFICATION_CLIENT, CERTIFICATION_SERVER
from tools.unixsockets import listening
from tools.waiting import until

CLIENT = [sys.executable, "-m", "varlink.tests.test_certification", "--client"]


def served(directory, command):
    """A listening certification server, and the path of its socket."""
    path = os.path.join(directory, "certification")
    server = subprocess.Popen([*command(path)], stdin=subprocess.DEVNULL, preexec_fn=die_with_parent)
    until(lambda: listening(path) or server.poll() is not None, "the server to listen")
    assert server.poll() is None, f"the server ended with {server.returncode}"
    return server, path


@pytest.fixture
def address(directory):
    server, path = served(directory, lambda path: [CERTIFICATION_SERVER, path])
    yield f"unix:{path}"
    assert server.poll() is None, f"certification-server ended with {server.returncode}"
    server.kill()
    server.wait()


@pytest.fixture
def reference(directory):
    """PyPI varlink's own server."""
    server, path = served(
        directory, lambda path: [sys.executable, "-m", "varlink.tests.test_certification", f"--varlink=unix:{path}"])
    yield path
    server.kill()
    server.wait()


def test_reference_server_certifies_the_client(reference):
    for _ in range(2):
        result = run(CERTIFICATION_CLIENT, reference)
        assert result.returncode == 0, result.stdout + result.stderr
        assert "Certification passed" in result.stdout


def test_client_and_server_of_this_package_certify_each_other(address):
    result = run(CERTIFICATION_CLIENT, address.removeprefix("unix:"))
    assert result.returncode == 0, result.stdout + result.stderr


def test_reference_client_certifies_the_server(address):
    # Twice: a second client must not be affected by what the first left behind.
    for _ in range(2):
        result = run(*CLIENT, f"--varlink={address}")
        assert result.returncode == 0, result.stdout + result.stderr
        assert "Certification passed" in result.stdout


def test_the_server_checks_its_input(address):
    """The reference client does not test this; the client here sends wrong values, which must be detected."""
    with varlink.Client.new_with_address(address) as client, client.open("org.varlink.certification") as connection:
        client_id = connection.Start()["client_id"]
        assert connection.Test01(client_id)["bool"] is True
        with pytest.raises(varlink.VarlinkError) as lie:
            connection.Test02(client_id, False)
        assert lie.value.error() == "org.varlink.certification.CertificationError"
        with pytest.raises(varlink.VarlinkError) as stranger:
            connection.Test01("no such client")
        assert stranger.value.error() == "org.varlink.certification.ClientIdError"
