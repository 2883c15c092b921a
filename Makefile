# Two commands do everything on a fresh machine with python3, venv and make: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test lint format wheel bare-debian clean help

help:  ## say what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

demo: $(VENV)/.base  ## referee a simulated match from the first turn to the last
	@$(BIN)/referee run --camera sim --until-end

test: $(VENV)/.dev  ## run every test
	@$(BIN)/python -m pytest --numprocesses auto

lint: $(VENV)/.dev  ## check style, types and import contracts
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(VENV)/.dev  ## lay the code out
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format --quiet .

wheel: $(VENV)/.dev  ## build the wheel into dist/
	@$(BIN)/python -m build --wheel --quiet

bare-debian:  ## run both commands in bare Debian 12 and 13 roots (needs root and debootstrap)
	@.ci/bare-debian

clean:  ## forget the virtual environment and all caches
	@rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(BIN)/python:
	@echo "Setting up $(VENV) (once; a few minutes on a Raspberry Pi) ..."
	@$(PYTHON) -c 'import sys; sys.exit("referee needs Python 3.11 or later, and $(PYTHON) is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "No virtual environment could be made. On Debian and Raspberry Pi OS: sudo apt install python3-venv" >&2; exit 1; }

$(VENV)/.base: pyproject.toml | $(BIN)/python
	@$(PIP) install --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@$(PIP) install --editable '.[dev]'
	@touch $@ $(VENV)/.base
