# Completion of cairn-util for bash: its words, their options, and what those
# take.
# shellcheck shell=bash

_cairn_util() {
	local line=${COMP_LINE:0:COMP_POINT} cur word=${COMP_WORDS[1]}
	local before=${COMP_WORDS[COMP_CWORD - 1]} option
	# "=" may be a word of its own; what counts is the text since the last space.
	cur=${line##* }
	COMPREPLY=()

	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W 'blkinfo decode verify-block
			verify-tx --help --version' -- "$cur")
		return
	fi
	option=$before
	if [[ $cur == --*=* ]]; then
		option=${cur%%=*}
		cur=${cur#*=}
	fi
	case $word$option in
	verify-block--chain)
		mapfile -t COMPREPLY < <(compgen -W \
			'main test testnet4 signet regtest' -- "$cur")
		return
		;;
	verify-block--height | verify-block--mtp | decode--protocol)
		return
		;;
	esac
	case $word$cur in
	decode-*)
		mapfile -t COMPREPLY < <(compgen -W '--raw --hex --protocol=' \
			-- "$cur")
		[[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace
		;;
	verify-block-*)
		mapfile -t COMPREPLY < <(compgen -W '--prevouts --chain --height
			--mtp --times' -- "$cur")
		;;
	blkinfo* | verify-block*)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		compopt -o filenames
		;;
	esac
}

complete -F _cairn_util cairn-util
