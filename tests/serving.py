"""A page served by a process of its own."""

from __future__ import annotations

import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def comes_up(address: str, process: subprocess.Popen[bytes]) -> bool:
    """Wait until the page answers; False when its process ended, or nothing came for a minute."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=5).close()
        except OSError:
            time.sleep(0.1)
        else:
            return True
    return False


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
            assert comes_up(address, process), "the page did not come up"
            yield address
        finally:
            process.terminate()
