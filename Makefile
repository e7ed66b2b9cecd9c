# `make run` shows the product on this machine and on one recorded board; `make test` runs the tests.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
UV_COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-emit-index-url --no-header
# a Python for the environment that holds the CPU build of torch
TORCH_PYTHON ?= $(shell command -v python3.11 || command -v python3)
TEST_ARGS ?=

.PHONY: help run test lint format bench dist pins pages check-pages torch-env soak arm64-lane clean

help:
	@sed -n 's/^## //p' Makefile

## make run         the doctor's verdict on this machine, then on one recorded AGX Orin
run: .venv/.run
	@echo "--- this machine: jetproof doctor"
	@$(BIN)/jetproof doctor; status=$$?; [ $$status -le 4 ]
	@echo
	@echo "--- a recorded board: jetproof doctor --from examples/boards/agx-orin-pypi-torch.json"
	@$(BIN)/jetproof doctor --from examples/boards/agx-orin-pypi-torch.json; status=$$?; [ $$status -le 4 ]

## make test        all tests, with branch coverage
test: .venv/.dev
	$(BIN)/python -m pytest -n auto --dist loadgroup --cov --cov-report=term:skip-covered $(TEST_ARGS)

## make lint        ruff, mypy, import-linter, vermin, tables, generated pages
lint: .venv/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	PYTHONPATH=src $(BIN)/lint-imports
	$(BIN)/vermin --quiet --no-tips --violations -t=3.6- src/jetproof_worker/process.py src/jetproof_worker/frames.py src/jetproof_worker/collect.py
	$(BIN)/vermin --quiet --no-tips --violations -t=3.8- src/jetproof_worker
	$(MAKE) --no-print-directory check-pages
	$(BIN)/jetproof policy check
	$(BIN)/jetproof claims --check

## make pages       write all generated pages and schemas anew
pages: .venv/.dev
	@for script in scripts/*-pages scripts/*-table scripts/schemas; do [ ! -x $$script ] || $(BIN)/python $$script || exit 1; done

check-pages: .venv/.dev
	@for script in scripts/*-pages scripts/*-table scripts/schemas; do [ ! -x $$script ] || $(BIN)/python $$script --check || exit 1; done
	$(BIN)/python scripts/check-tables

## make bench       the benchmarks that need no GPU
bench: .venv/.dev
	@for script in benchmarks/*.py; do echo "--- $$script"; $(BIN)/python $$script || exit 1; done

## make dist        wheel, sdist, and the two worker archives for a board
dist: .venv/.dev
	$(BIN)/python -m hatchling build
	$(BIN)/python scripts/build-worker dist

## make torch-env   a separate environment with the CPU build of torch, for the tests marked torch
torch-env: .venv-torch/.made

.venv-torch/.made: requirements/torch-test.in
	$(TORCH_PYTHON) -m venv .venv-torch
	.venv-torch/bin/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	.venv-torch/bin/python -m pip install --quiet --disable-pip-version-check -r requirements/torch-test.in torch==2.13.0
	@touch $@

## make soak        the long tests: hundreds of kills
soak: .venv/.dev
	JETPROOF_TESTS_MANY=1 $(BIN)/python -m pytest -m soak -n auto --dist loadgroup $(TEST_ARGS)

## make arm64-lane  the ARM64 preflight in an emulated arm64 root (as root; qemu-user-static, binfmt-support, mmdebstrap)
arm64-lane: .venv/.dev
	scripts/arm64-lane $(ARM64_FOLDER)

## make pins        pin the requirements anew
pins: .venv/.dev
	$(UV_COMPILE) --upgrade requirements/run.in -o requirements/run.txt
	$(UV_COMPILE) --upgrade -c requirements/run.txt requirements/build.in -o requirements/build.txt
	$(UV_COMPILE) --upgrade -c requirements/run.txt requirements/dev.in -o requirements/dev.txt

format: .venv/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv .venv-torch dist build .coverage* .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.run: requirements/run.txt requirements/build.txt pyproject.toml | .venv/bin/python
	$(PIP) install --require-hashes -r requirements/run.txt -r requirements/build.txt
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

.venv/.dev: requirements/dev.txt .venv/.run
	$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $@
