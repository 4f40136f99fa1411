"""Serves a GGUF model on loopback; a program of its own, started by `local_model`.

Reads one line of JSON from its input (path, key, context length), prints the address it listens
on and whether it knows llguidance's grammars, and ends when the input ends: that is when the
process that started it is gone.

It imports nothing of ours, so that it can be run by path.
"""

from __future__ import annotations

import json
import os
import sys

CACHE_MIB = 256
GUIDED = "guided"
"""Printed after the address by a llama.cpp that was built with llguidance."""


def main() -> None:
    """Load the model, say where it is served, and stay until nobody needs it."""
    import xllamacpp

    wanted = json.loads(sys.stdin.readline())
    params = xllamacpp.CommonParams()
    params.model.path = wanted["path"]
    params.n_ctx = wanted["context"]
    params.api_keys = [wanted["key"]]
    params.hostnames = ["127.0.0.1"]
    params.port = 0  # any that is free
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads()
    params.cache_ram_mib = CACHE_MIB
    params.ui = False
    params.verbosity = 0
    server = xllamacpp.Server(params)
    is_guided = xllamacpp.json_schema_to_grammar({"type": "object"}).startswith("%llguidance")
    sys.stdout.write(f"{server.listening_address}{f' {GUIDED}' if is_guided else ''}\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)  # taking a large model apart would only take time


def threads() -> int:
    """Return how many threads compute: half of what the machine can run at once.

    They wait for each other at every step. On two busy cores two threads were seen to write less
    than 1 token a second, one of them alone 10 to 16.
    """
    return max(1, (os.cpu_count() or 1) // 2)


if __name__ == "__main__":
    main()
