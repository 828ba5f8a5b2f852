# devflow: every command a person or CI needs. `make help` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help

GO    ?= go
BIN   ?= bin
# musl makes a hook start 0.4 ms faster and 0.8 MB smaller; gcc works as well (docs/adr/0003-hook-budget.md).
# The race detector and `go test` use gcc.
STATIC_CC ?= $(shell command -v musl-gcc || echo gcc)
export CGO_ENABLED := 1
export CGO_CFLAGS  := -O2 -DHAVE_FDATASYNC=1 -DSQLITE_DEFAULT_MEMSTATUS=0 -DSQLITE_DQS=0
export GOFLAGS     := -tags=osusergo,netgo,sqlite_omit_load_extension -buildvcs=false
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS  = -s -w -linkmode external -extldflags "-static -Wl,-z,stack-size=1048576"
TOOL     = $(GO) tool -modfile=tools.mod
FUZZTIME ?= 10s

.PHONY: help deps build test race e2e fuzz bench powercut cover lint golden schema size demo install uninstall clean ci

help: ## list these targets
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps: ## install what the tests need (git, gcc, musl, tmux, valgrind; the two pinned Claude Code clients)
	@./e2e/deps.sh

build: ## build the static binaries into bin/
	@mkdir -p $(BIN)
	CC=$(STATIC_CC) $(GO) build -trimpath -ldflags '$(LDFLAGS) -X main.version=$(VERSION)' -o $(BIN)/ ./hooks/... ./cmd/...

test: deps ## install what the tests need and run all of them
	$(GO) test -timeout 30m ./...

race: ## the tests of everything that runs concurrently, under the race detector
	$(GO) test -race ./hooks/... ./internal/proc/... ./internal/store/... ./judge/... ./orchestrator ./orchestrator/control/... ./orchestrator/gateway/... \
	  ./orchestrator/land/... ./orchestrator/schedule/... ./orchestrator/worker/control/... ./orchestrator/worker/regions/...

e2e: deps ## only the tests with the real Claude Code clients
	$(GO) test -timeout 30m ./e2e/...

fuzz: ## every fuzz target for FUZZTIME each
	@set -e; for pkg in $$($(GO) list ./...); do for f in $$($(GO) test -list '^Fuzz' $$pkg 2>/dev/null | grep '^Fuzz' || true); do \
	  echo "== $$pkg $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$pkg; done; done

bench: build ## speed as ratios against floors measured in the same run (design budgets)
	@$(GO) run ./e2e/bench -bin $(BIN)

powercut: ## the simulated power cut with 25 cuts (needs root for loop devices)
	DEVFLOW_POWERCUTS=$${DEVFLOW_POWERCUTS:-25} $(GO) test -count=1 -v -run PowerCut ./internal/store

cover: ## test coverage per package
	$(GO) test -cover ./...

lint: ## gofmt, vet (also for macOS), staticcheck
	@test -z "$$(gofmt -l . | tee /dev/stderr)"
	$(GO) vet ./...
	GOOS=darwin CGO_ENABLED=0 $(GO) vet ./...
	$(TOOL) staticcheck ./...

golden: ## rewrite golden files
	$(GO) test -timeout 30m ./cmd/devflow-telemetry ./e2e ./e2e/robust ./internal/claude ./telemetry/report/table -update

schema: ## rewrite docs/schema.md from a migrated database
	$(GO) run ./e2e/schema > docs/schema.md

size: build ## size of every binary
	@ls -lS $(BIN) | awk 'NR>1{printf "%6.2f MB  %s\n", $$5/1048576, $$9}'

demo: build ## watch the loop work in a real Claude Code session (scripted model, throw-away home; KEEP=1 keeps it)
	@./e2e/client/install.sh 2.1.332
	@$(GO) run ./e2e/demo -bin $(BIN) $(if $(KEEP),-keep)

install: build ## install devflow into your Claude Code
	$(BIN)/devflow install

uninstall: build ## take devflow out of your Claude Code again
	$(BIN)/devflow uninstall

clean: ## remove what was built
	rm -rf $(BIN)

ci: lint test race ## what CI runs
