"""A page served by a process of its own."""

from __future__ import annotations

import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def served(
    command: Sequence[str | Path],
    *,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Iterator[str]:
    """Run a command that serves the page on a port given to it, wait until it is up, and end it."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with subprocess.Popen([*command, "--port", str(port)], env=environment, cwd=folder) as process:
        try:
            for _ in range(300):
                try:
                    urllib.request.urlopen(f"{address}/_stcore/health", timeout=5).close()
                except OSError:
                    assert process.poll() is None, "it did not start"
                    time.sleep(0.1)
                else:
                    break
            else:
                pytest.fail("it did not come up")
            yield address
        finally:
            process.terminate()
