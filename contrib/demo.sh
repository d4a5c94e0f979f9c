#!/bin/sh
# One command on a bare Debian: install what is missing, build, and show one node
# serving a chain that a second one syncs over the peer-to-peer protocol.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=contrib/install-deps.sh
. contrib/install-deps.sh
install_deps
exec make -j2 demo
