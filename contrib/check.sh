#!/bin/sh
# One command on a bare Debian: install what is missing, build, run all tests.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=contrib/install-deps.sh
. contrib/install-deps.sh
install_deps
exec make -j2 check
