# Thin wrappers over CMake and Ninja. `make` alone explains them.

BUILD ?= build
PYTHON ?= python3
# A Python with torch 2.11 adds the tests that compare with PyTorch.
TORCH_PYTHON ?= $(firstword $(wildcard $(CURDIR)/.venv/bin/python))
# Samples of an operator and element type that check-operators takes from PyTorch's database; 0 takes all.
SAMPLES ?= 0
# Random programs that check-operators draws, and the first of their seeds.
PROGRAMS ?= 5000
SEED ?= 0
# Spellings of attention that check-operators draws.
SPELLINGS ?= 500
# Text from which the demo goes on.
PROMPT ?=
# More arguments for CMake and Ninja.
CMAKE_ARGS ?=
NINJA_ARGS ?=

# ccache and the shared precompiled header agree only with these.
export CCACHE_SLOPPINESS := pch_defines,time_macros
ninja = ninja -C $(BUILD) $(NINJA_ARGS)
cxx_sources = $(shell git ls-files '*.h' '*.cpp' '*.c')

.DEFAULT_GOAL := help
.PHONY: help deps configure build check check-all check-rows check-operators check-models check-torch-compile demo dist wheel docs format lint clean

help: ## Show this list.
	@echo "Coil. Targets:"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | \
	  awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'
	@echo "Variables: BUILD=$(BUILD), PROMPT='text' (demo), CMAKE_ARGS, NINJA_ARGS"

deps: ## Install missing Debian packages (root or sudo).
	@scripts/install-deps.sh

# The package check is repeated when the list of packages changes.
$(BUILD)/deps.stamp: scripts/install-deps.sh
	@scripts/install-deps.sh
	@mkdir -p $(BUILD) && touch $@

$(BUILD)/build.ninja: $(BUILD)/deps.stamp CMakePresets.json
	cmake --preset default -B $(BUILD) \
	  $(if $(TORCH_PYTHON),-DCOIL_TORCH_PYTHON=$(TORCH_PYTHON)) $(CMAKE_ARGS)
	@touch $@

configure: $(BUILD)/build.ninja ## Configure into $(BUILD).

build: configure ## Build everything; tools go to $(BUILD)/bin.
	$(ninja)

check: configure ## Build, then run every test.
	$(ninja) check-coil check-coil-x86-64-v3

check-all: check ## Run the suite again with each coil-opt run verified by a round trip; long fuzzing.
	COIL_LIT_ROUNDTRIP=each $(ninja) check-coil
	$(PYTHON) scripts/fuzz_pt2.py --count 5000 --tool $(BUILD)/test/Fuzz/coil-import-many
	$(PYTHON) scripts/fuzz_inputs.py model package mlir --count 20000 --bin $(BUILD)/bin
	$(BUILD)/bin/coil-fuzz --count=5000 --seed=$(SEED) --run
	$(BUILD)/bin/coil-fuzz --count=5000 --seed=$(SEED) --run='library=none vector-bits=256'
	COIL_FORK_SERVER=$(abspath $(BUILD))/lib/coil-fork-server.so $(PYTHON) test/Corpus/Inputs/random_host.py \
	  --bin=$(abspath $(BUILD))/bin --out=$(abspath $(BUILD))/random-host --count=2000 --seed=$(SEED) --executors=native,python,cpp,gpu \
	  --cxx=c++ --include=include --lib=$(abspath $(BUILD))/lib --cuda-sim=$(abspath $(BUILD))/lib/coil-cuda-sim.so

check-rows: build ## Run every test that a row of docs/reference/FeatureRows.md names; say which rows stand.
	@scripts/install-test-tools.sh
	$(PYTHON) scripts/feature_rows.py --build $(BUILD) --results $(BUILD)/feature-rows.json

check-operators: build ## Compare operators with PyTorch (needs TORCH_PYTHON): our samples, its own database, random programs, spellings of attention.
	$(if $(TORCH_PYTHON),,$(error set TORCH_PYTHON to a Python with torch 2.11))
	$(TORCH_PYTHON) test/python/op_coverage/op_coverage.py --tools $(BUILD)/bin \
	  --table docs/reference/OperatorCoverage.md
	$(TORCH_PYTHON) test/python/op_db/op_db.py --build $(BUILD) --dtypes all --samples $(SAMPLES) \
	  --results $(BUILD)/op_db.jsonl --progress
	$(TORCH_PYTHON) test/python/program_fuzzer/program_fuzzer.py --build $(BUILD) --count $(PROGRAMS) --seed $(SEED) \
	  --results $(BUILD)/program_fuzzer-$(SEED).jsonl --short --progress --explain 20
	$(TORCH_PYTHON) test/python/attention/attention.py --build $(BUILD) --count $(SPELLINGS) --near 100 --seed $(SEED)

check-models: build ## Compile real architectures for every target (TORCH_PYTHON with test/models/requirements.txt).
	$(if $(TORCH_PYTHON),,$(error set TORCH_PYTHON to a Python with test/models/requirements.txt))
	$(TORCH_PYTHON) scripts/check_models.py --bin=$(BUILD)/bin --results=$(BUILD)/check-models.jsonl

check-torch-compile: build ## Compare torch.compile(backend="coil") with eager mode: PyTorch's operator database, architectures.
	$(if $(TORCH_PYTHON),,$(error set TORCH_PYTHON to a Python with test/models/requirements.txt))
	$(TORCH_PYTHON) test/python/op_db/op_db.py --build $(BUILD) --engine torch-compile --gradients --dtypes f32,f64,bf16,i64,bool \
	  --samples $(SAMPLES) --results $(BUILD)/torch-compile.jsonl --progress
	$(TORCH_PYTHON) test/python/op_db/op_db.py --build $(BUILD) --engine torch-compile --gradients --dynamic --dtypes f32,i64 \
	  --samples $(SAMPLES) --results $(BUILD)/torch-compile-dynamic.jsonl --progress
	$(TORCH_PYTHON) scripts/check_compiled_models.py --build $(BUILD) --results $(BUILD)/check-compiled-models.jsonl
	PYTHONPATH=$(BUILD)/python $(TORCH_PYTHON) test/python/torch_compile/user_models.py --bf16

demo: build ## Compile and run both example models; PROMPT="def f(" sets the text to continue.
	@BUILD="$(BUILD)" scripts/demo.sh $(if $(PROMPT),"$(PROMPT)")

dist: deps ## Make a relocatable archive that needs no LLVM (dist/).
	scripts/make-dist.sh

docs: ## Build the site of the documentation into $(BUILD)/docs-site (needs network the first time).
	scripts/gen_reference.py
	scripts/install-docs.sh .venv-docs
	.venv-docs/bin/mkdocs build --strict --site-dir "$(abspath $(BUILD))/docs-site"

wheel: configure ## Make the wheel `coil` of the build tree, LLVM inside (dist/).
	$(PYTHON) python/build_backend/coil_build.py --build $(BUILD) --out dist

format: ## Format the C++ sources in place.
	clang-format-22 -i $(cxx_sources)

lint: configure ## Check formatting and run clang-tidy.
	clang-format-22 --dry-run --Werror $(cxx_sources)
	run-clang-tidy-22 -quiet -p $(BUILD) '^$(CURDIR)/(lib|tools)/.*\.cpp$$'

clean: ## Remove $(BUILD) and dist.
	rm -rf $(BUILD) dist
