#!/bin/sh
# The house rules that a program can check; `make lint`. Prints every breach and
# ends with 1 if there was any.
set -u
cd "$(dirname "$0")/../.." || exit 1
bad=0
say() {
	echo "lint: $1" >&2
	bad=1
}

sources() {
	git ls-files --cached --others --exclude-standard -- \
		'src/*.[ch]' 'include/*.h' 'tests/*.[ch]' | sort
}

# 1. clang-format decides.
CF=$(command -v clang-format-14 || command -v clang-format || true)
if [ -n "$CF" ]; then
	for f in $(sources); do
		"$CF" --dry-run --Werror "$f" >/dev/null 2>&1 || say "$f: not formatted"
	done
else
	echo "lint: clang-format is not installed; format not checked" >&2
fi

# 2. A folder includes only what stands below it.
sh contrib/lint/layers.sh || bad=1

# 3. Every header can be included alone.
for h in $(git ls-files 'include/*.h'); do
	printf '#include <%s>\n' "${h#include/}" |
		"${CC:-cc}" -std=c11 -D_GNU_SOURCE -Iinclude -fsyntax-only -x c - ||
		say "$h: not includable alone"
done

# 4. Banned functions.
for f in $(git ls-files 'src/*.c' 'tests/*.c' 'include/*.h'); do
	grep -nE '(^|[^_a-zA-Z])(sprintf|vsprintf|strcpy|strcat|gets|atoi|atol|strtok|alloca|rand|system) ?\(' "$f" |
		sed "s|^|$f:|" | grep -v '^[^:]*:[0-9]*: \*' && say "$f: banned function"
done

# 5. Sizes: files to 800 lines, functions to 80 (exceptions: contrib/lint/sizes).
sh contrib/lint/size.sh || bad=1

# 6. Nothing is left for later, no machine's paths.
git grep -nE '\b(TODO|FIXME|XXX|HACK)\b' -- src include tests contrib doc \
	':!contrib/lint/run.sh' && say "left-overs"
git grep -nE '(/home/|/root/|/work/)' -- src include tests contrib doc share \
	README.md ':!contrib/lint/run.sh' && say "a path of one machine"

# 7. Each option and each command is in the documents.
sh contrib/lint/documented.sh || bad=1

# 8. Shell scripts.
if command -v shellcheck >/dev/null 2>&1; then
	git ls-files '*.sh' .ci/run | xargs shellcheck -S warning -x || bad=1
fi
exit $bad
