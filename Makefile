# Every target sets up what it needs: a virtual environment in .venv with the locked dependencies. Only Python >= 3.11 and make
# have to be there. PYTHON chooses the interpreter, WORKERS the test processes.
PYTHON ?= python3
WORKERS ?= auto
VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime
DEV := $(VENV)/.dev

.PHONY: demo test docker-test browser-test foreign-test nightly check audit fmt serve bench peers wheel lock clean

demo: $(RUNTIME) ## play and grade one environment through MCP
	@$(BIN)/legoenv demo

serve: $(RUNTIME) ## the whole fleet over HTTP on 127.0.0.1:8765
	@$(BIN)/legoenv gateway

test: $(DEV) ## every test that needs nothing but Python: docker-test, browser-test and foreign-test need more
	LEGOENV_TEST_GAPS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "not docker and not browser and not foreign and not model"

DOCKER_BASE ?= --base legoenv/base-python --router-base legoenv/base-haproxy
docker-test: $(DEV) ## the containers: needs a Docker engine, and root for the base images; DOCKER_BASE= takes Docker Hub's
	@$(if $(strip $(DOCKER_BASE)),containers/base)
	$(BIN)/legoenv fleet build --all $(DOCKER_BASE)
	$(BIN)/python -m pytest -n 2 --dist loadfile -m docker tests/docker

check: $(DEV) audit ## lint, types, import layers, app rules, known vulnerabilities, fast tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/legoenv lint
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "not sdk and not node and not docker and not browser and not foreign and not model"

browser-test: $(DEV) ## report pages in Chromium (Debian: apt install chromium chromium-driver)
	$(BIN)/python -m pytest -m browser tests/evaluate

audit: $(DEV) ## known vulnerabilities of the locked dependencies; says so where nobody can be asked
	@.ci/audit $(BIN)/python

nightly: $(DEV) ## every environment proven anew, and 200 fuzz cases and hostile inputs for every operation
	$(BIN)/legoenv prove --all
	LEGOENV_FUZZ_CASES=200 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal tests/fleet
	LEGOENV_SCHEMA_CASES=200 LEGOENV_HOSTILE_ROUNDS=10 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal tests/hostile

FOREIGN ?= $(abspath $(VENV))/foreign
foreign-test: $(DEV) ## TRL, verifiers, OpenEnv, Harbor, MCPMark themselves (MCPMARK=checkout), each in an environment of its own; gigabytes
	tests/foreign/environments $(abspath $(BIN))/python $(FOREIGN)
	LEGOENV_FOREIGN=$(FOREIGN) $(BIN)/python -m pytest -m foreign tests/foreign

fmt: $(DEV) ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(RUNTIME) ## the performance figures, each beside its floor
	$(BIN)/legoenv bench

peers: $(RUNTIME) ## us beside our peers, into docs/benchmarks.md: 6 minutes, and some for installing them once
	@$(BIN)/python -m bench --out docs

wheel: $(DEV) ## dist/*.whl
	$(BIN)/python -m build --wheel --no-isolation

lock: $(VENV)/bin/python ## resolve the dependencies anew into constraints.txt
	$(BIN)/python -m pip install --quiet --upgrade pip
	.ci/lock $(BIN)/python

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "legoenv needs Python >= 3.11; name one with PYTHON=..."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "python's venv module is missing: install it (on Debian: apt install python3-venv)"; exit 1; }

$(RUNTIME): pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "installing the dependencies into $(VENV) (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt pip hatchling editables setuptools
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation -c constraints.txt -e .
	@touch $@

$(DEV): $(RUNTIME)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation -c constraints.txt -e . --group dev
	@touch $@

clean:
	rm -rf $(VENV) dist build .pytest_cache .ruff_cache .hypothesis
