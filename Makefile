# SPDX-License-Identifier: Apache-2.0
# A thin door to CMake: each target is a command or two. The work is in CMakeLists.txt and tools/.
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 30
export JOBS FUZZ_SECONDS

.DEFAULT_GOAL := all
.PHONY: all demo docs test check-all coverage prove audit bench bench-utility fuzz engines nvrtc axe valgrind tidy format check-format check-layers install uninstall dist deb wheel r static abi release check-bits \
        clean help setup setup-test setup-all

all: setup ## Build the program as build/semblance, and all that install needs
	@tools/build.sh release --target sbl_install_files make_clinic make_images
	@ln -sfn release/semblance build/semblance

demo: all ## Build it and see it work; VERBOSE=1 shows every step
	@examples/demo.sh build/release $(if $(VERBOSE),--verbose)

docs: setup ## These documents as a static site in build/docs
	@tools/make_site.py . build/docs

test: setup-test ## Everything that must hold: tests, the same under ASan and UBSan, mutants, fuzz corpora
	@tools/test.sh dev asan shipped

check-all: setup-all ## test, and TSan, coverage, proofs, valgrind, statistics with fresh keys, clang-tidy, format
	@tools/check_all.sh

coverage: setup-all ## Line and branch coverage of the privacy core; fails under 100 %
	@tools/coverage.sh

prove: ## Prove the privacy core by machine, and see that planted bugs are refused (docs/SOUNDNESS.md)
	@tools/prove.sh

audit: all ## Try to catch the release cheating, with fresh keys
	@build/semblance audit --report build/audit.html --json build/audit.json --overwrite

bench: setup ## Measure; never a test
	@tools/build.sh release
	@tools/bench.sh

bench-utility: all ## How good is it? DATA=folder [METHODS=...] [EPS=...] [SEEDS=...] [NEIGHBOURS=...]; resumable, long
	@DATA="$(DATA)" METHODS="$(METHODS)" EPS="$(EPS)" SEEDS="$(SEEDS)" NEIGHBOURS="$(NEIGHBOURS)" bench/utility/all.sh

engines: ## Fetch DuckDB's library, which reads and writes Parquet, into build/engines; needs a package registry
	@tools/engines.sh

nvrtc: ## Fetch CUDA's compiler of kernels into build/nvrtc, for a test of the kernels; needs a package index
	@tools/nvrtc.sh

axe: ## Fetch axe-core into build/axe, for a test of the page of `semblance serve`; needs a package registry
	@tools/axe.sh

fuzz: setup-all ## Run each fuzz target for FUZZ_SECONDS (30)
	@tools/fuzz.sh

valgrind: setup-all ## The unit tests under memcheck
	@tools/valgrind.sh

tidy: setup-all ## clang-tidy over src and cli
	@tools/tidy.sh

format: setup-all ## Put every C file in the project's format
	@tools/format.sh --write

check-format: setup-all ## Say which C files are not in the project's format
	@tools/format.sh

check-layers: ## Check every #include against the trust zones (docs/ARCHITECTURE.md)
	@tools/check_layers.py

install: all ## Install to PREFIX (/usr/local), under DESTDIR if set
	@DESTDIR="$(DESTDIR)" tools/install.sh "$(PREFIX)"

dist: ## The sources of this commit as build/dist/semblance-VERSION.tar.gz, the same bytes every time
	@tools/dist.sh

deb: ## Debian packages of this commit in build/deb
	@tools/setup.sh --deb
	@tools/deb.sh

wheel: setup ## The Python package as build/wheel/dist/semblance_dp-*.whl; MACHINE=aarch64 builds for that processor; needs a package index
	@$(if $(MACHINE),tools/setup.sh --cross)
	@tools/wheel.sh

static: ## The program as one file that needs no library, as build/static/semblance
	@tools/setup.sh --static
	@tools/static.sh

release: ## Everything that a release consists of, in build/release-files: made twice and compared
	@tools/setup.sh --release
	@tools/release.sh --twice

check-bits: setup ## Tests of sums, noise, accounting and formats alone; MACHINE=aarch64 or s390x runs them under an emulator
	@$(if $(MACHINE),tools/setup.sh --cross)
	@tools/check_bits.sh

abi: ## Compare the interface of the libraries with the kept one; tools/abi.sh --keep keeps the new one
	@tools/setup.sh --release
	@tools/abi.sh

r: setup ## The R package as build/r/semblance_*.tar.gz, with R CMD check; needs R
	@tools/r.sh

uninstall: ## Remove what the last install put in PREFIX
	@DESTDIR="$(DESTDIR)" tools/uninstall.sh "$(PREFIX)"

clean: ## Remove everything that was built
	@rm -rf build

setup: ## Install the Debian packages that are missing
	@tools/setup.sh

setup-test: ## The same, with the packages that the tests need
	@tools/setup.sh --test

setup-all: ## The same, with the packages that check-all needs
	@tools/setup.sh --all

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile
