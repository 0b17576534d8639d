# Needs git, make and Node >= 20 (or Bun >= 1.4.5). Every target sets up what it needs; set-up runs once.
SHELL := /bin/sh
BUN := .tools/bun
SOURCES := $(shell find src sql prompts -type f 2>/dev/null)
# Workers are entrypoints of their own in the executable. Code finds them beside itself (`./worker.ts` from
# import.meta.url), and in the executable all code stands at the root: so they are named without their folders.
WORKERS := $(wildcard src/infra/reader.entry.ts src/infra/embedded/worker.ts)
SETUP := node_modules/.setup
# Run by Bun, so that a machine without Node can check too.
BIOME := $(BUN) --bun node_modules/@biomejs/biome/bin/biome
TSC := $(BUN) --bun node_modules/typescript/bin/tsc
# An empty database cluster, embedded in the executable so that a first start takes a second.
SEED := dist/seed.tar.gz

.DEFAULT_GOAL := help
.PHONY: help setup demo dev check format test e2e bench build migrate docs proof proofs quality soak services services-stop clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BUN): .ci/bun
	@.ci/bun

# tsc reports Effect's own diagnostics once it is patched; without the patch it still reports types.
$(SETUP): package.json bun.lock | $(BUN)
	@$(BUN) install --frozen-lockfile
	@$(BUN) --bun node_modules/@effect/tsgo/dist/effect-tsgo.cjs patch
	@touch $@

$(SEED): $(SETUP) src/infra/embedded/seed.ts
	@rm -f $@
	@$(BUN) src/infra/embedded/seed.ts

setup: $(SETUP) $(SEED) ## Fetch Bun if needed, install what bun.lock names

demo: $(SETUP) ## Crawl a small news web made here: 20 articles or more, no network, no services
	@$(BUN) bench/demo.ts

dev: $(SETUP) ## Run all stages, again after each change
	$(BUN) --watch src/main.ts $(ARGS)

check: $(SETUP) ## Format, lint, types, tidiness, freshness of generated documents
	$(BIOME) ci .
	$(TSC) -p .
	$(BUN) test test/tidy.test.ts
	$(BUN) docs/generate/all.ts --check

format: $(SETUP) ## Format and fix what can be fixed
	$(BIOME) check --write .

test: $(SETUP) ## Run the tests (ARGS="-t robots" selects)
	$(BUN) test $(ARGS)

e2e: build ## Run the scenarios, one story per seed, on the executable
	CRAWLER=$(CURDIR)/crawler $(BUN) test test/scenarios $(ARGS)

build: crawler ## Compile ./crawler, one executable

crawler: $(SOURCES) $(SETUP) $(SEED)
	$(BUN) build src/main.ts $(WORKERS) --compile --format=esm --bytecode --minify-syntax --minify-whitespace \
	  --no-compile-autoload-dotenv --no-compile-autoload-bunfig --entry-naming '[name].[ext]' --outfile $@
	@touch $@

migrate: $(SETUP) ## Bring the database of DATABASE_URL (or the data dir) to this version
	$(BUN) src/main.ts migrate

docs: $(SETUP) ## Write the generated documents anew
	$(BUN) docs/generate/all.ts

proofs: $(SETUP) ## List the proofs with their bars
	@$(BUN) bench/proofs.ts

proof: $(SETUP) ## Run one proof: make proof NAME=demo
	@$(BUN) bench/proofs.ts $(NAME) $(ARGS)

bench: ## Measure against other crawlers (the proof `peers`)
	@$(MAKE) --no-print-directory proof NAME=peers

quality: ## Score extraction on pages with known truth (the proof `quality`)
	@$(MAKE) --no-print-directory proof NAME=quality

soak: $(SETUP) ## Run the proofs that hunt rare faults at full size, for hours (HOURS=8)
	@$(BUN) bench/soak.ts

services: $(SETUP) ## Install and start scratch servers: PostgreSQL, Redis, Kafka, S3 (tests use them)
	@$(BUN) bench/services/services.ts start

services-stop: $(SETUP) ## Stop the scratch servers (ARGS=--remove removes their data)
	@$(BUN) bench/services/services.ts stop $(ARGS)

clean: ## Remove what the other targets made, except node_modules
	rm -rf crawler .bench *.bun-build
