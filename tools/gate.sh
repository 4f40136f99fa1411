#!/usr/bin/env bash
# The gate: quick checks first, then every test once, so that one pytest summary closes the output.
set -euo pipefail
cd "$(dirname "$0")/.."
step() { printf '\n== %s\n' "$1"; shift; "$@"; }
step "format" ruff format --check .
step "lint" ruff check .
step "types" mypy
step "layers" lint-imports
step "bank" mockbot check
# Half of the browser and contract tests is waiting, so two at a time pay even on two cores.
step "tests" pytest --numprocesses logical --maxprocesses 4 --dist worksteal -m "not live and not slow" -p no:cacheprovider --benchmark-disable
