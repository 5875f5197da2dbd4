# Read by every script here: strict mode, the repository's root as working directory, headings.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# As many jobs as there are cores: for cmake, ctest and run-clang-tidy alike.
jobs=$(nproc)
export CMAKE_BUILD_PARALLEL_LEVEL=$jobs CTEST_PARALLEL_LEVEL=$jobs

heading() { printf '\n== %s\n' "$*" >&2; }
