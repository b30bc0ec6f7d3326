# `make run` starts the app, `make test` checks the project; both set up all they need.
# `make quick` checks lint, types, views and what needs no browser in less than a minute.

PORT ?= 8501
# Browser tests mostly wait, so three workers keep two cores busy.
WORKERS ?= 3
PYTHON_ENV := .venv/bin/python
# Reading the other tests takes longer than running these.
QUICK := $(shell grep -rlE --include='*.py' 'pytest\.mark\.(contract|unit)\b' tests)

# Tests begin many processes, each of which would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test quick soak bench docs stub screenshots examples papers kernels browser clean
.DELETE_ON_ERROR:

run: .venv/packages
	@$(PYTHON_ENV) -m rankcore.cli serve --port $(PORT)

test: .venv/development kernels browser
	@$(PYTHON_ENV) -m ruff check .
	@$(PYTHON_ENV) -m ruff format --check .
	@$(PYTHON_ENV) -m mypy & types=$$!; \
		$(PYTHON_ENV) -m pytest --numprocesses $(WORKERS) --dist worksteal; \
		tests=$$?; wait $$types && exit $$tests

quick: .venv/development kernels
	@$(PYTHON_ENV) -m ruff check .
	@$(PYTHON_ENV) -m ruff format --check .
	@$(PYTHON_ENV) -m mypy & types=$$!; \
		$(PYTHON_ENV) -m pytest --numprocesses 2 --dist worksteal \
			-m "(contract or unit) and not (soak or long)" $(QUICK); \
		tests=$$?; wait $$types && exit $$tests

soak: .venv/development kernels browser
	@$(PYTHON_ENV) -m pytest -m soak --numprocesses $(WORKERS) --dist worksteal

bench: .venv/development kernels
	@$(PYTHON_ENV) -m benchmarks

# Pages of all documents in build/docs, the reference made from the declarations.
docs: .venv/development
	@NO_MKDOCS_2_WARNING=1 $(PYTHON_ENV) -m mkdocs build --strict

stub: .venv/development
	@$(PYTHON_ENV) -m tests.package.typing_stub

screenshots: .venv/development kernels browser
	@$(PYTHON_ENV) -m tests.browser.screenshots

examples: kernels
	@$(PYTHON_ENV) -m pages.ui.examples
	@$(PYTHON_ENV) -m rankcore.topics.home.first_sight

# The Papers page's data and its part of docs/results/accuracy.md:
# make papers DATA="path/to/ohsumed path/to/mq2008"
papers: kernels
	@$(PYTHON_ENV) -m rankcore.cli reproduce all $(if $(DATA),--data $(DATA)) \
		--workers 2 --to pages/examples/papers --results docs/results/accuracy.md

# They are kept in the user's cache, which checkouts share; nothing is done if all are.
kernels: .venv/packages
	@$(PYTHON_ENV) -m rankcore.cli warmup

browser:
	@.ci/browser

# `rankscope cache clear` removes compiled kernels.
clean:
	rm -rf .venv

# A file below is made when its step has been done, so that the next run is quick.

$(PYTHON_ENV):
	@.ci/environment

.venv/packages: requirements.txt pyproject.toml $(PYTHON_ENV)
	@echo "Installing the packages RankScope needs: only once ..."
	@$(PYTHON_ENV) .ci/install.py requirements.txt --project
	@touch $@

.venv/development: requirements-dev.txt .venv/packages
	@echo "Installing what the tests need: only once ..."
	@$(PYTHON_ENV) .ci/install.py requirements-dev.txt
	@touch $@
