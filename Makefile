# Front door. Everything real is in CMakeLists.txt and scripts/; this only saves typing.
PRESET ?= dev
PREFIX ?= /usr/local
MAKEFLAGS += --no-print-directory

demo:
	@scripts/bootstrap build
	@scripts/build release hooke
	@build/release/hooke demo
test: check
check:
	@scripts/bootstrap build test
	@scripts/build $(PRESET)
	@ctest --preset $(PRESET) -j$(shell nproc)
test-agents:
	@scripts/bootstrap build test
	@scripts/build $(PRESET)
	@HOOKE=$(CURDIR)/build/$(PRESET)/hooke scripts/test-agents
asan tsan clang:
	@scripts/bootstrap lint fuzz
	@$(MAKE) PRESET=$@ check
release:
	@scripts/bootstrap build
	@scripts/build release hooke hooke_answer libhooke
install: release
	@cmake --install build/release --prefix $(PREFIX)
lint:
	@scripts/bootstrap build test lint
	@mkdir -p build && cmake --preset clang >build/clang.log 2>&1 || { cat build/clang.log; exit 1; }
	@scripts/lint
format:
	@scripts/bootstrap lint
	@clang-format -i $$(git ls-files '*.c' '*.h')
bench:
	@scripts/bootstrap build bench
	@scripts/build release
	@bench/run
fuzz:
	@scripts/bootstrap build fuzz
	@scripts/fuzz

.PHONY: demo test check test-agents asan tsan clang release install lint format bench fuzz
