# Completion of cairn-cli for bash: its options, and the commands that the node
# it talks to knows. Without a node only the options are offered.
# shellcheck shell=bash

# The options given so far that choose a node, to ask the same one.
_cairn_cli_node_options() {
	local word
	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		case $word in
		-*) ;;
		*) continue ;;
		esac
		printf '%s\n' "$word"
	done
}

_cairn_cli_commands() {
	local -a opts
	mapfile -t opts < <(_cairn_cli_node_options)
	"$1" "${opts[@]}" -rpcclienttimeout=2 help 2>/dev/null </dev/null |
		sed -n 's/^\([a-z][a-z]*\).*/\1/p'
}

_cairn_cli() {
	local line=${COMP_LINE:0:COMP_POINT} cur word i command=
	local cli=${COMP_WORDS[0]}
	# "=" may be a word of its own; what counts is the text since the last space.
	cur=${line##* }
	COMPREPLY=()

	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $word != -* && $word != = && ${COMP_WORDS[i - 1]} != = ]]; then
			command=$word
			break
		fi
	done

	case $cur in
	-conf=* | --conf=* | -rpccookiefile=* | --rpccookiefile=*)
		mapfile -t COMPREPLY < <(compgen -f -- "${cur#*=}")
		compopt -o filenames
		return
		;;
	-datadir=* | --datadir=*)
		mapfile -t COMPREPLY < <(compgen -d -- "${cur#*=}")
		compopt -o filenames
		return
		;;
	-chain=* | --chain=*)
		mapfile -t COMPREPLY < <(compgen -W \
			'main test testnet4 signet regtest' -- "${cur#*=}")
		return
		;;
	-color=* | --color=*)
		mapfile -t COMPREPLY < <(compgen -W 'always auto never' -- \
			"${cur#*=}")
		return
		;;
	-*)
		[[ -z $command ]] || return
		mapfile -t COMPREPLY < <(compgen -W "$("$cli" -help 2>/dev/null |
			sed -n 's/^  \(-[a-z0-9]*=\{0,1\}\).*/\1/p')" -- "$cur")
		[[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace
		return
		;;
	esac

	if [[ -z $command || $command == help ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_cairn_cli_commands "$cli")" \
			-- "$cur")
	fi
}

complete -o bashdefault -F _cairn_cli cairn-cli
