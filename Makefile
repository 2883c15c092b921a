# Two commands do everything on a fresh machine with python3, venv and make: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Drivers that Raspberry Pi OS brings and pip does not: where they are, the environment sees the system's packages.
SYSTEM = $(shell $(PYTHON) -c 'import importlib.util as i; print("--system-site-packages" * any(map(i.find_spec, ("picamera2", "lgpio"))))' 2>/dev/null)
FAILED = { grep -qiE "connection|network|resolution|timed out|no matching distribution|proxy" $(VENV)/pip.log \
    && echo "No package index was reached, so what referee needs could not be fetched: connect this machine and run make again. (pip: $(VENV)/pip.log)" >&2 \
    || cat $(VENV)/pip.log >&2; exit 1; }
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo docs test test-long test-floors release coverage season figures screens settings page-types texts boot lint lint-page format wheel bare-debian bare-deb rig clean help

help:  ## say what can be made
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

demo: $(VENV)/.base  ## referee a simulated match from the first turn to the last
	@$(BIN)/referee run --camera sim --until-end

# Whole files to a worker: documented commands go on from one another, and mock pins are one for a process.
# Python's compiled files are kept: without them every command that a test starts compiles the whole package again.
test test-long: export PYTHONDONTWRITEBYTECODE :=
# Workers fill the processors: OpenCV's own threads would only wait for each other, and spin.
test test-long: export OPENCV_FOR_THREADS_NUM := 1
test: $(VENV)/.dev  ## run every test but the long ones
	@$(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder -m "not slow" --hypothesis-profile few

test-long: $(VENV)/.dev  ## run the long tests, and random laws on all their examples
	@$(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder -m "slow or hypothesis"

# Python 3.11 is the lowest that pyproject.toml allows, too.
test-floors:  ## run the tests with the lowest versions that pyproject.toml allows (needs python3.11; own environment .venv-floors)
	@mkdir -p .venv-floors && $(PYTHON) packaging/floors.py >.venv-floors/constraints.txt
	@PIP_CONSTRAINT=$(CURDIR)/.venv-floors/constraints.txt $(MAKE) --no-print-directory VENV=.venv-floors PYTHON=python3.11 test

PURE := rules game reading solver
coverage: $(VENV)/.dev  ## hold how much of rules, game, reading and solver their own tests run
	@$(BIN)/python -m pytest --quiet --numprocesses auto --dist loadfile -m "not slow" --hypothesis-profile few --cov-branch \
	    $(PURE:%=--cov=referee.%) $(PURE:%=tests/unit/%) tests/property tests/rulebook tests/matches/test_journals.py \
	    tests/unit/cli/test_score.py tests/unit/cli/test_judge.py tests/unit/test_library.py

season: $(VENV)/.dev  ## referee 200 simulated games with the real models (hours; goes on where it stopped)
	@$(BIN)/python -m benchmarks.season --kind --put-right --games 200

figures: $(VENV)/.dev  ## fill the recorded figures into the pages
	@$(BIN)/python -m benchmarks.figures

screens: $(VENV)/.dev  ## take pictures of every view of the page into out/screens (needs chromium)
	@$(BIN)/python -m pytest --numprocesses auto -q tests/page/browser/screens.py

settings: $(VENV)/.dev  ## write defaults.toml from the declared settings
	@$(BIN)/python packaging/settings_pages.py

page-types: $(VENV)/.dev  ## write the types of the page's scripts from the declared State
	@$(BIN)/python packaging/page_types.py

texts: $(VENV)/.dev  ## take new and changed texts into the catalogues
	@$(BIN)/python packaging/texts.py

hall-demo: $(VENV)/.dev  ## a hall on this machine: broker, six tables and the wall (needs mosquitto)
	@command -v mosquitto >/dev/null || [ -x /usr/sbin/mosquitto ] || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -qq --no-install-recommends mosquitto >/dev/null; } || { echo "Mosquitto is not installed: sudo apt install mosquitto" >&2; exit 1; }
	@$(BIN)/python -m benchmarks.hall_demo

lint: $(VENV)/.dev  ## check style, types, import contracts and the scripts of the page
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/mypy tests/boot/*.py packaging/*.py
	@$(BIN)/lint-imports
	@$(MAKE) --no-print-directory lint-page

# The page's scripts are checked where npm is: types by TypeScript, the rest by Biome. No device needs either.
PAGE_TOOLS := typescript@5.9.3 @biomejs/biome@2.3.8
lint-page:
	@command -v npm >/dev/null || { echo "npm is not installed: the page's scripts are not checked" >&2; exit 0; }; \
	    [ -e $(VENV)/page/node_modules/.bin/biome ] || npm install --no-save --silent --prefix $(VENV)/page $(PAGE_TOOLS) || \
	    { echo "TypeScript and Biome cannot be fetched: the page's scripts are not checked" >&2; exit 0; }; \
	    $(VENV)/page/node_modules/.bin/tsc --project jsconfig.json && \
	    $(VENV)/page/node_modules/.bin/biome lint --error-on-warnings --log-level=warn

format: $(VENV)/.dev  ## lay the code out
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format --quiet .

release: $(VENV)/.dev  ## check everything and build what is published of VERSION=1.0.0 into dist/
	@$(PIP) install --editable '.[release]'
	@$(BIN)/python packaging/release.py $(VERSION) $(RELEASE)

docs: $(VENV)/.docs  ## build the manual as one site, which the page serves at /manual
	@$(BIN)/python packaging/manual/build.py

wheel: docs  ## build the wheel into dist/, with the manual
	@$(PIP) wheel --no-deps --wheel-dir dist .

bare-debian:  ## run both commands in bare Debian 12 and 13 roots (needs root and debootstrap)
	@.ci/bare-debian

bare-deb: $(VENV)/.dev  ## install, upgrade in play, downgrade and purge the package in bare Debian roots (needs root and debootstrap)
	@.ci/bare-deb

bare-install:  ## install, update, roll back and uninstall in bare Debian roots (needs root and debootstrap)
	@.ci/bare-install

arm64:  ## install and try it on 64-bit Arm under qemu (needs root, debootstrap, qemu-user-static; an hour)
	@.ci/arm64

boot: $(VENV)/.dev  ## break a booted, simulated Pi in every way we know (root, debootstrap, qemu; many hours; goes on where it stopped)
	@tests/boot/build.sh $(or $(ARCH),amd64) out/boot
	@$(BIN)/python tests/boot/trial.py out/boot --arch $(or $(ARCH),amd64) $(BOOT)

rig: $(VENV)/.base  ## make the tables and drawings of the rig, and the arm's printed pieces into out/rig/ (needs openscad)
	@$(BIN)/python rig/build.py --print out/rig

clean:  ## forget the virtual environment and all caches
	@rm -rf $(VENV) .venv-floors build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(BIN)/python:
	@echo "Setting up $(VENV) (once; a few minutes on a Raspberry Pi) ..."
	@$(PYTHON) -c 'import sys; sys.exit("referee needs Python 3.11 or later, and $(PYTHON) is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv $(SYSTEM) $(VENV) || { rm -rf $(VENV); echo "No virtual environment could be made. On Debian and Raspberry Pi OS: sudo apt install python3-venv" >&2; exit 1; }

$(VENV)/.base: pyproject.toml | $(BIN)/python
	@$(PIP) install --editable . 2>$(VENV)/pip.log || $(FAILED)
	@touch $@

# The manual's tools alone: a Pi that builds the wheel needs nothing else.
$(VENV)/.docs: pyproject.toml | $(BIN)/python
	@$(PIP) install '$(shell sed -n 's/^docs = \["\(.*\)"\]/\1/p' pyproject.toml)' 2>$(VENV)/pip.log || $(FAILED)
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@$(PIP) install --editable '.[dev]' 2>$(VENV)/pip.log || $(FAILED)
	@touch $@ $(VENV)/.base $(VENV)/.docs

# What trains the models; PyTorch's builds for a processor alone are a tenth as large, where pip is told of their index.
$(VENV)/.train: pyproject.toml | $(VENV)/.dev
	@$(PIP) install --editable '.[train]' 2>$(VENV)/pip.log || $(FAILED)
	@touch $@

# --- the appliance: see systemd/README.md ---
DESTDIR ?=
PIP_FLAGS ?=
PREFIX := /opt/referee
OPT := $(DESTDIR)$(PREFIX)
# Where the system looks for what an administrator lays down; packaging/build_deb.py names those of a package.
UNITS ?= $(DESTDIR)/etc/systemd/system
SYSUSERS ?= $(DESTDIR)/etc/sysusers.d
UDEV ?= $(DESTDIR)/etc/udev/rules.d
COMMANDS ?= $(DESTDIR)/usr/local/bin
EXTRAS ?= web,hall
WHEEL ?= $(shell ls -t dist/*.whl 2>/dev/null | head -1)
INSTALL_PIP := $(OPT)/bin/python -m pip --disable-pip-version-check --quiet install $(PIP_FLAGS)

.PHONY: install files uninstall deb completion
install:  ## install the service on a Raspberry Pi (as root, after `make wheel`)
	@[ -f "$(WHEEL)" ] || { echo "There is no wheel in dist/ yet: run 'make wheel' first, not as root." >&2; exit 1; }
	@[ ! -e /var/lib/dpkg/info/rummikub-referee.list ] || [ -n "$(DESTDIR)" ] || [ ! -e $(OPT)/bin/referee ] || \
	    { echo "/opt/referee is the Debian package's: run 'sudo apt remove rummikub-referee' first; settings and matches stay." >&2; exit 1; }
	@$(OPT)/bin/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear --system-site-packages $(OPT)
	@pins=systemd/pins-$$($(OPT)/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])').txt; \
	    if [ -e $$pins ]; then $(INSTALL_PIP) --requirement $$pins; \
	    else echo "No versions were tried on this Python; taking the newest." >&2; fi
	@$(INSTALL_PIP) "$(WHEEL)[$(EXTRAS)]"
	@$(INSTALL_PIP) --force-reinstall --no-deps "$(WHEEL)"  # pip takes another build of the same version for installed
	@[ -z "$(DESTDIR)" ] || sed -i '1s|^#!$(abspath $(OPT))/|#!$(PREFIX)/|' $(OPT)/bin/*
	@$(MAKE) --no-print-directory files
	@[ -n "$(DESTDIR)" ] || ! command -v systemd-sysusers >/dev/null || systemd-sysusers referee.conf
	@[ -n "$(DESTDIR)" ] || [ ! -d /run/systemd/system ] || { systemctl daemon-reload && udevadm control --reload; }
	@[ -z "$(DESTDIR)" ] && echo "Installed. Start it with: sudo systemctl enable --now referee" || echo "Laid out under $(DESTDIR)."

# What lies beside the environment.
files:
	@install -D -m 644 -t $(OPT)/share/doc docs/operations.md docs/calibration.md docs/wiring.md
	@install -D -m 644 -t $(OPT)/share/calibration calibration/*.pdf calibration/example-profile.json
	@install -D -m 644 systemd/referee.service $(UNITS)/referee.service
	@install -D -m 644 systemd/referee.sysusers $(SYSUSERS)/referee.conf
	@install -D -m 644 systemd/referee.udev $(UDEV)/60-referee.rules
	@[ -e $(DESTDIR)/etc/referee/referee.toml ] || install -D -m 644 systemd/referee.toml $(DESTDIR)/etc/referee/referee.toml
	@install -d $(COMMANDS) && ln -sfn $(PREFIX)/bin/referee $(COMMANDS)/referee

completion: $(VENV)/.dev  ## let TAB complete the command in bash and fish, for this user
	@$(BIN)/python packaging/completion.py $${XDG_DATA_HOME:-$$HOME/.local/share}

deb: $(VENV)/.dev  ## build the Debian packages into dist/ (Debian 12 and 13, amd64 and arm64)
	@$(BIN)/python packaging/manual/build.py
	@$(BIN)/python packaging/build_deb.py

uninstall:  ## remove the service; settings and matches stay
	@[ -n "$(DESTDIR)" ] || [ ! -d /run/systemd/system ] || systemctl disable --now referee 2>/dev/null || true
	@rm -rf $(OPT)
	@rm -f $(UNITS)/referee.service $(DESTDIR)/etc/sysusers.d/referee.conf $(DESTDIR)/etc/udev/rules.d/60-referee.rules
	@[ "$$(readlink $(DESTDIR)/usr/local/bin/referee)" != $(PREFIX)/bin/referee ] || rm -f $(DESTDIR)/usr/local/bin/referee
	@[ -n "$(DESTDIR)" ] || [ ! -d /run/systemd/system ] || systemctl daemon-reload
	@echo "Removed. $(DESTDIR)/etc/referee and $(DESTDIR)/var/lib/referee are left as they were."
