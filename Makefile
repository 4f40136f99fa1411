# `make run` opens the page, `make test` runs the whole gate; both set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: run test coverage fast setup setup-test lock audit format clean

run: setup
	$(BIN)/mockbot serve

test: setup-test
	bash tools/gate.sh

# Which lines no test reaches; tracing takes half as long again, so the gate does without.
coverage: setup-test
	$(BIN)/pytest --numprocesses logical --maxprocesses 4 --dist worksteal -m "not live and not slow" --cov --cov-report=term:skip-covered -p no:cacheprovider --benchmark-disable

fast: setup-test
	$(BIN)/pytest -q -m "not browser and not contract"

setup: $(VENV)/.run
setup-test: $(VENV)/.test

$(UV):
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check "uv>=0.9,<1"

$(VENV)/.run: $(UV) requirements.lock pyproject.toml
	$(UV) pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r requirements.lock
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --editable .
	touch $@

$(VENV)/.test: $(VENV)/.run requirements-dev.lock
	$(UV) pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r requirements-dev.lock
	bash tools/system-packages.sh
	touch $@

# The locks carry hashes and no index address; run this after a change to pyproject.toml.
lock: $(UV)
	$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header pyproject.toml -o requirements.lock
	$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header pyproject.toml --extra server -c requirements.lock -o requirements-server.lock
	$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header pyproject.toml --group dev -c requirements.lock -o requirements-dev.lock

# Looks the locked packages up in a database of known holes; needs the internet.
audit: $(UV)
	$(UV) tool run pip-audit --disable-pip --require-hashes -r requirements-server.lock

format: setup-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache
