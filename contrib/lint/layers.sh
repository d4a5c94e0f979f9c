#!/bin/sh
# The dependency rule: which folder may include which, and which library stays in
# which folder. The Makefile's BELOW_* lines are the one statement of the rule.
set -u
cd "$(dirname "$0")/../.." || exit 1
bad=0

below() {
	awk -v want="BELOW_$1" '
		$1 == want { on = 1; sub(/^[^=]*=/, "") }
		on { line = $0; more = sub(/\\$/, "", line); print line
			if (!more) exit }' Makefile | tr '\n\t' '  '
}

for dir in src/*/ include/cairn/*/; do
	folder=$(basename "$dir")
	allowed=" $folder $(below "$folder") "
	for line in $(grep -rhoE '#include <cairn/[a-z]+/' "$dir" |
		sed 's/.*cairn\///; s/\///' | sort -u); do
		case "$allowed" in
		*" $line "*) ;;
		*)
			echo "lint: $dir includes cairn/$line: not below it" >&2
			bad=1
			;;
		esac
	done
done

# A library and the only places that may include it.
only() {
	pattern=$1
	shift
	found=$(git grep -lE "#include [<\"]$pattern" -- src include |
		while read -r f; do
			ok=no
			for place in "$@"; do
				case "$f" in "$place"*) ok=yes ;; esac
			done
			[ $ok = yes ] || echo "lint: $f includes $pattern"
		done)
	[ -z "$found" ] && return
	echo "$found" >&2
	bad=1
}
only 'uv\.h' src/net src/rpc src/node include/cairn/net include/cairn/rpc \
	include/cairn/node
only 'leveldb/' src/store/kv.c
only 'openssl/' src/crypto
only 'secp256k1' src/crypto
only 'protobuf-c/' src/base/delimited_pb.c
only 'yajl' src/rpc/
only 'llhttp' src/rpc
exit $bad
