#!/bin/sh
# Every option of the table stands in the man page of its program or of the
# configuration file, every RPC in doc/rpc.md. Needs a build.
set -u
cd "$(dirname "$0")/../.." || exit 1
bad=0
BUILD=${BUILD:-build}
[ -x "$BUILD/cairnd" ] || {
	echo "lint: no $BUILD/cairnd; documents not compared" >&2
	exit 0
}
for o in $("$BUILD/cairnd" -help | sed -n 's/^  -\([a-z0-9]*\).*/\1/p' | sort -u); do
	grep -qE "(Fl|Ic) $o( |\$|=)" share/man/cairnd.8 share/man/cairn.conf.5 || {
		echo "lint: option -$o is in no man page" >&2
		bad=1
	}
done
for o in $("$BUILD/cairn-cli" -help | sed -n 's/^  -\([a-z0-9]*\).*/\1/p' | sort -u); do
	grep -qE "Fl $o( |\$|=)" share/man/cairn-cli.1 || {
		echo "lint: option -$o is not in cairn-cli.1" >&2
		bad=1
	}
done
for c in $(grep -hoE '^    \{"[a-z]+", *("[a-z]+"|CAT)' src/node/rpc_*.c |
	sed 's/^ *{"//; s/".*//' | sort -u); do
	grep -q "^### $c\$" doc/rpc.md 2>/dev/null || {
		echo "lint: $c is not in doc/rpc.md" >&2
		bad=1
	}
done
exit $bad
