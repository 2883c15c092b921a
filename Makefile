# Two commands do everything on a fresh machine with python3, venv and make: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test season lint format wheel bare-debian clean help

help:  ## say what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

demo: $(VENV)/.base  ## referee a simulated match from the first turn to the last
	@$(BIN)/referee run --camera sim --until-end

test: $(VENV)/.dev  ## run every test
	@$(BIN)/python -m pytest --numprocesses auto --dist loadgroup

season: $(VENV)/.dev  ## referee 200 simulated games with the real models (hours; goes on where it stopped)
	@$(BIN)/python -m benchmarks.season --games 200

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

# --- the appliance: see systemd/README.md ---
DESTDIR ?=
OPT := $(DESTDIR)/opt/referee
UNITS := $(DESTDIR)/etc/systemd/system

.PHONY: install uninstall
install:  ## install the service on a Raspberry Pi (as root, after `make wheel`)
	@ls dist/*.whl >/dev/null 2>&1 || { echo "There is no wheel in dist/ yet: run 'make wheel' first, not as root." >&2; exit 1; }
	@[ -x $(OPT)/bin/python ] || $(PYTHON) -m venv --system-site-packages $(OPT)
	@$(OPT)/bin/python -m pip --disable-pip-version-check --quiet install --upgrade "$$(ls -t dist/*.whl | head -1)"
	@[ -z "$(DESTDIR)" ] || sed -i '1s|^#!$(abspath $(OPT))/|#!/opt/referee/|' $(OPT)/bin/*
	@install -D -m 644 -t $(OPT)/share/doc docs/operations.md
	@install -D -m 644 systemd/referee.service $(UNITS)/referee.service
	@install -D -m 644 systemd/referee.sysusers $(DESTDIR)/etc/sysusers.d/referee.conf
	@install -D -m 644 systemd/referee.udev $(DESTDIR)/etc/udev/rules.d/60-referee.rules
	@[ -e $(DESTDIR)/etc/referee/referee.toml ] || install -D -m 644 systemd/referee.toml $(DESTDIR)/etc/referee/referee.toml
	@[ -n "$(DESTDIR)" ] || { systemd-sysusers referee.conf && systemctl daemon-reload; }
	@echo "Installed. Start it with: sudo systemctl enable --now referee"

uninstall:  ## remove the service; settings and matches stay
	@[ -n "$(DESTDIR)" ] || systemctl disable --now referee 2>/dev/null || true
	@rm -rf $(OPT)
	@rm -f $(UNITS)/referee.service $(DESTDIR)/etc/sysusers.d/referee.conf $(DESTDIR)/etc/udev/rules.d/60-referee.rules
	@[ -n "$(DESTDIR)" ] || systemctl daemon-reload
	@echo "Removed. /etc/referee and /var/lib/referee are left as they were."
