#!/bin/sh
# The tables of the program against its documents, both ways: options of cairnd in
# cairn.conf(5) (those of the command line in cairnd(8)), options of cairn-cli in
# cairn-cli(1), words of cairn-util in cairn-util(1), commands in doc/rpc.md,
# messages in doc/wire.md; what the documents name must exist. Reads the sources, so
# it needs no build. Also: man pages without warnings, links between documents that
# lead somewhere.
set -u
cd "$(dirname "$0")/../.." || exit 1
bad=0
say() {
	echo "lint: $1" >&2
	bad=1
}

# Each line of $1 must be a line of $2; $3 says what is wrong with one that is not.
all_in() {
	for x in $(echo "$1" | sort -u); do
		echo "$2" | grep -qxF -e "$x" || say "$x: $3"
	done
}

# Names of the option table, as far as a user may see them.
options_of_cairnd() {
	awk '/^const struct option option_table/ { on = 1 }
		on && /^    [A-Z_]+\("/ { row = "" }
		on { row = row $0 }
		on && /\),$/ {
			if (row ~ /^    [A-Z_]+\("/ && row !~ /^    GROUP|OPT_HIDDEN/) {
				sub(/^[^"]*"/, "", row)
				sub(/".*/, "", row)
				print row
			}
			row = ""
		}' src/node/options_table.c
}

options_of_cli() {
	sed -n '/^static const struct option options/,/^};/p' src/cairn-cli.c |
		sed -n 's/^    {"\([a-z0-9]*\)".*/\1/p'
}

commands() {
	for f in src/node/rpc_*.c; do
		sed -n '/^const struct rpc_cmd .*\[\] = {/,/^};\|{0}};/p' "$f" |
			sed -n 's/^    {"\([a-z]*\)",.*/\1/p; s/^    {\.name = "\([a-z]*\)",.*/\1/p'
	done
}

# Names that a man page explains: an item of a list that begins with the macro.
explained() {
	sed -n "s/^\.It $2 \([a-z0-9-]*\).*/\1/p" "$1"
}

opts=$(options_of_cairnd)
[ "$(echo "$opts" | wc -l)" -gt 100 ] || say "the option table could not be read"
conf=$(explained share/man/cairn.conf.5 Ic)
d8=$(explained share/man/cairnd.8 Fl)
all_in "$opts" "$conf
$d8" "an option that no man page explains"
all_in "$conf
$d8" "$opts" "explained in a man page, but no option of cairnd"

cli=$(options_of_cli)
cli1=$(explained share/man/cairn-cli.1 Fl)
all_in "$cli" "$cli1" "an option that cairn-cli(1) does not explain"
all_in "$cli1" "$cli" "explained in cairn-cli(1), but no option of cairn-cli"

# Words of cairn-util: in its manual, its usage and its completion.
words=$(sed -n '/^} commands\[\] = {/,/^};/p' src/cairn-util.c |
	sed -n 's/^    {"\([a-z-]*\)",.*/\1/p')
[ "$(echo "$words" | wc -l)" -gt 2 ] || say "the words of cairn-util could not be read"
util1=$(sed -n 's/^\.It Cm \([a-z-]*\).*/\1/p' share/man/cairn-util.1)
all_in "$words" "$util1" "a word that cairn-util(1) does not explain"
all_in "$words" "$(grep -oE '[a-z-]+' contrib/completion/cairn-util.bash)" \
	"a word of cairn-util that its completion does not know"
all_in "$words" "$(sed -n 's/^	    "\([a-z-]*\)  .*/\1/p' src/cairn-util.c)" \
	"a word that the usage of cairn-util does not explain"

cmds=$(commands)
[ "$(echo "$cmds" | wc -l)" -gt 20 ] || say "the command tables could not be read"
md=$(sed -n 's/^### \([a-z]*\)$/\1/p' doc/rpc.md)
all_in "$cmds" "$md" "a command that doc/rpc.md does not explain"
all_in "$md" "$cmds" "explained in doc/rpc.md, but no command"

# The table of messages; a row of the document may hold two.
msgs=$(sed -n 's/^    ROW(MSG_[A-Z0-9]*, "\([a-z0-9]\{1,\}\)".*/\1/p' src/wire/command.c)
[ "$(echo "$msgs" | wc -l)" -gt 30 ] || say "the table of messages could not be read"
rows=$(sed -n '/^## Messages/,/^### /p' doc/wire.md | sed -n 's/^| \(`[^|]*\) |.*/\1/p' |
	cut -d'|' -f1 | tr -c 'a-z0-9\n' '\n' | grep .)
all_in "$msgs" "$rows" "a message that doc/wire.md does not list"
all_in "$rows" "$msgs" "listed in doc/wire.md, but no message"

for page in share/man/*.[0-9]; do
	command -v mandoc >/dev/null 2>&1 || break
	mandoc -T lint -W warning "$page" >&2 || say "$page: mandoc complains"
done

for f in README.md doc/*.md; do
	dir=$(dirname "$f")
	for to in $(grep -oE '\]\([^)#: ]+' "$f" | sed 's/^](//' | sort -u); do
		[ -e "$dir/$to" ] || say "$f: $to is not there"
	done
done
exit $bad
