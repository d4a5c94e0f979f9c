# shellcheck shell=sh
# Sourced by demo.sh and check.sh: install what a bare Debian lacks, or print the
# one line that would. POSIX shell; defines install_deps.

# The packages of the Makefile's DEPS, and llhttp from whichever package has it.
deps_list() {
	sed -n '/^DEPS = /,/[^\\]$/p' Makefile | sed 's/^DEPS = //; s/\\$//' |
		tr -s '\n\t ' ' ' | sed 's/ $//'
}

llhttp_package() {
	for p in libllhttp-dev node-llhttp; do
		if apt-cache show "$p" >/dev/null 2>&1; then
			echo "$p"
			return
		fi
	done
	echo node-llhttp
}

deps_missing() {
	for p in $1; do
		dpkg-query -W -f='${Status}\n' "$p" 2>/dev/null |
			grep -q '^install ok installed$' || return 0
	done
	return 1
}

install_deps() {
	command -v apt-get >/dev/null 2>&1 || {
		echo "not a Debian system: see doc/build.md for what is needed" >&2
		return 0
	}
	packages=$(deps_list)
	if ! deps_missing "$packages" && {
		dpkg-query -W libllhttp-dev >/dev/null 2>&1 ||
			dpkg-query -W node-llhttp >/dev/null 2>&1
	}; then
		return 0
	fi
	as_root=
	if [ "$(id -u)" -ne 0 ]; then
		if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
			as_root=sudo
		else
			echo "run this as root, then try again:" >&2
			echo "apt-get install -y --no-install-recommends" \
				"$packages $(llhttp_package)" >&2
			return 1
		fi
	fi
	$as_root apt-get update -q >/dev/null || true
	# shellcheck disable=SC2086 # a list of words
	DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -q \
		--no-install-recommends $packages "$(llhttp_package)" >/dev/null
}
