# Everything that takes a command: nothing is needed but Python 3.11 to 3.13 and make.
#   make demo    install, then evaluate the smoke set on the embedded model and database
#   make test    install what tests need, and run them
#   make dev     database, Dagster's UI and daemon on http://localhost:3000
#   make check   format, lint, types, import contracts, definitions
#   make bench   the measurements of benchmarks/
#   make lock    pin the dependencies anew (needs uv)

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps
# Some environments forbid writing bytecode; then every start would compile everything again.
COMPILE := $(BIN)/python -m compileall -q -j0
# A project that happens to be installed elsewhere must not be picked up.
unexport PYTHONPATH PYTHONHOME

INSTALLED     := $(VENV)/.installed
INSTALLED_DEV := $(VENV)/.installed-dev

.PHONY: demo test dev check bench lock install install-dev clean

demo: $(INSTALLED)
	$(BIN)/eval-pipeline run eval_pipeline.smoke

dev: $(INSTALLED)
	$(BIN)/eval-pipeline dev

test: $(INSTALLED_DEV)
	$(BIN)/python -m pytest

check: $(INSTALLED_DEV)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	home=$$(mktemp -d) && DAGSTER_HOME=$$home VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/dg check defs; \
	  status=$$?; rm -rf "$$home"; exit $$status

bench: $(INSTALLED_DEV)
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/throughput.py
	$(BIN)/python benchmarks/verdicts.py
	$(BIN)/python benchmarks/queries.py
	$(BIN)/python benchmarks/assertion_speed.py
	$(BIN)/python benchmarks/assertion_accuracy.py

install: $(INSTALLED)
install-dev: $(INSTALLED_DEV)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13) and "Python 3.11, 3.12 or 3.13 is needed, this is " + sys.version.split()[0] + ": make PYTHON=python3.13 ...")'
	$(PYTHON) -m venv $(VENV)

$(INSTALLED): requirements.txt pyproject.toml | $(BIN)/python
	@echo "installing; this takes a minute or two"
	$(PIP) -r requirements.txt
	$(PIP) --no-build-isolation --editable .
	$(COMPILE) $(VENV)/lib eval_pipeline
	@touch $@

$(INSTALLED_DEV): requirements-dev.txt $(INSTALLED)
	$(PIP) -r requirements-dev.txt
	$(COMPILE) $(VENV)/lib eval_pipeline_tests
	@touch $@

# No address of a registry may get into these files. Packages that no platform installs are left out.
lock:
	uv pip compile --universal --python-version 3.11 --quiet --no-annotate --no-header --upgrade \
	  --all-extras --group weights --group build pyproject.toml --output-file requirements.txt
	uv pip compile --universal --python-version 3.11 --quiet --no-annotate --no-header --upgrade \
	  --all-extras --group weights --group build --group dev --constraints requirements.txt \
	  pyproject.toml --output-file requirements-dev.txt
	sed -i.bak "/sys_platform == 'never'/d" requirements.txt requirements-dev.txt
	rm -f requirements.txt.bak requirements-dev.txt.bak

clean:
	rm -rf $(VENV) .eval_pipeline build dist *.egg-info
