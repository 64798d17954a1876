# SPDX-License-Identifier: Apache-2.0
#
# Makefile - the front door. Each target is a few commands you could also type yourself.

PREFIX  ?= /usr/local
SECONDS ?= 20
JOBS    ?= $(shell nproc)

export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
# CMake reads this when it configures a folder for the first time; ccache is welcome, not required.
export CMAKE_CXX_COMPILER_LAUNCHER := $(shell command -v ccache)

.PHONY: help build test test-fast python docs demo pictures bench format lint install asan tsan fuzz clean
.DEFAULT_GOAL := help

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20

build: ## the program, the library and its headers: build/bin, build/lib, build/include
	@tools/bootstrap build
	cmake --preset release
	cmake --build build

test: ## everything: fast tests, slow tests, the Python package, the site, then the fuzz targets for SECONDS=20 each
	@tools/bootstrap build test docs
	cmake --preset test $$(tools/python-env --cmake)
	cmake --build build
	tools/test --build build --fuzz-seconds $(SECONDS)

test-fast: ## the tests labelled fast (under a minute)
	@tools/bootstrap build test
	cmake --preset test
	cmake --build build
	tools/test --build build --fast

python: ## the Python package: wheels in build/wheel, tried in clean environments of 3.11, 3.12 and 3.13
	@tools/bootstrap build python
	tools/wheel --all

docs: ## the documentation site: build/site/index.html
	@tools/bootstrap build python docs
	cmake --preset release $$(tools/python-env --cmake)
	cmake --build build
	tools/docs build

demo: build ## Mercer at work: data, kernels, two machines, speeds, and a report in build/demo
	tools/demo

pictures: build ## draw the pictures of the docs again, into docs/images
	examples/pictures/run
	tools/report-picture

bench: ## build the benchmarks and run them beside their peers
	@tools/bootstrap build bench
	cmake --preset bench
	cmake --build build
	@if [ -x tools/bench-env ]; then python=$$(tools/bench-env); else python=python3; fi; \
	"$$python" bench/run

format: ## clang-format over the tracked C++ files
	@tools/bootstrap lint
	tools/lint --fix format

lint: ## rooms, sizes, duplicates, format and clang-tidy (changed files; ALL=1 for all)
	@tools/bootstrap build test lint
	tools/lint $(if $(ALL),--all) rooms sizes duplicates format tidy

install: build ## install under PREFIX=/usr/local
	cmake --install build --prefix $(PREFIX)

asan: ## the suite with the address and undefined-behaviour sanitizers
	@tools/bootstrap build test
	cmake --preset asan
	cmake --build --preset asan
	ctest --preset asan

tsan: ## the suite with the thread sanitizer
	@tools/bootstrap build test
	cmake --preset tsan
	cmake --build --preset tsan
	ctest --preset tsan

fuzz: ## each fuzz target for SECONDS=20
	@tools/bootstrap build test
	tools/fuzz --seconds $(SECONDS)

clean: ## remove all build folders
	rm -rf build build-*
