#!/bin/sh
# Files over 800 lines and functions over 80, save those that contrib/lint/sizes
# lists with a reason.
set -u
cd "$(dirname "$0")/../.." || exit 1
bad=0
excepted() {
	grep -q "^$1 " contrib/lint/sizes 2>/dev/null
}
for f in $(git ls-files '*.[ch]'); do
	n=$(wc -l <"$f")
	[ "$n" -le 800 ] || excepted "$f" || {
		echo "lint: $f has $n lines" >&2
		bad=1
	}
done
if command -v ctags >/dev/null 2>&1; then
	long=$(git ls-files 'src/*.c' | ctags -L - --fields=+ne --c-kinds=f -f - \
		2>/dev/null | awk -F'\t' '{ s = 0; e = 0
			for (i = 4; i <= NF; i++) {
				if ($i ~ /^line:/) s = substr($i, 6)
				if ($i ~ /^end:/) e = substr($i, 5)
			}
			if (e - s > 80) print $2 ":" $1, e - s }')
	for x in $(echo "$long" | awk 'NF { print $1 }'); do
		excepted "$x" || {
			echo "lint: $x is longer than 80 lines" >&2
			bad=1
		}
	done
fi
exit $bad
