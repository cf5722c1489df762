# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# bash completion for pcpu-reclaimctl(1). Needs no running daemon, and stands alone.

# Paths below the cgroup mount, as the daemon names them, one step at a time: there may
# be thousands.
_pcpu_reclaimctl_cgroups() { # WORD
	local mount path
	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
	[[ -n $mount ]] || return
	while IFS= read -r path; do
		COMPREPLY+=("${path#"$mount"}")
	done < <(compgen -d -- "$mount/${1#/}")
	compopt -o nospace -o filenames 2>/dev/null
	# Whoever has it whole may want to go on below it.
	[[ ${#COMPREPLY[@]} -ne 1 || -z $(compgen -d -- "$mount${COMPREPLY[0]}/") ]] ||
		COMPREPLY+=("${COMPREPLY[0]}/")
}

_pcpu_reclaimctl_words() { # WORDS WORD
	local word
	while IFS= read -r word; do
		COMPREPLY+=("$word")
	done < <(compgen -W "$1" -- "$2")
}

_pcpu_reclaimctl() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i command='' nth=0
	local commands='status cgroups policies explain history plan watch record doctor reap trim
		collapse top metrics reload log-level help'
	COMPREPLY=()
	case $prev in
	--sort)
		_pcpu_reclaimctl_words 'pinned dying name' "$cur"
		return
		;;
	--socket)
		compopt -o filenames 2>/dev/null
		while IFS= read -r i; do COMPREPLY+=("$i"); done < <(compgen -f -- "$cur")
		return
		;;
	--limit) return ;;
	esac
	if [[ $cur == -* ]]; then
		_pcpu_reclaimctl_words '--json --sort --limit --all --http --socket --help --version' "$cur"
		return
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--sort | --limit | --socket) ((i++)) ;;
		-*) ;;
		*)
			[[ -n $command ]] && ((++nth))
			command=${command:-${COMP_WORDS[i]}}
			;;
		esac
	done
	case $command:$nth in
	:*) _pcpu_reclaimctl_words "$commands" "$cur" ;;
	help:0) _pcpu_reclaimctl_words "$commands" "$cur" ;;
	log-level:0) _pcpu_reclaimctl_words 'err warning notice info debug' "$cur" ;;
	reap:1 | trim:0) _pcpu_reclaimctl_words '16M 64M 256M 1G' "$cur" ;;
	record:0)
		compopt -o filenames 2>/dev/null
		while IFS= read -r i; do COMPREPLY+=("$i"); done < <(compgen -f -- "$cur")
		;;
	record:1) _pcpu_reclaimctl_words '1min 10min 1h 1d' "$cur" ;;
	reap:0 | history:0) _pcpu_reclaimctl_cgroups "$cur" ;;
	explain:0)
		if [[ $cur == /sys/* ]]; then
			while IFS= read -r i; do COMPREPLY+=("$i"); done < <(compgen -f -- "$cur")
			compopt -o filenames 2>/dev/null
		else
			_pcpu_reclaimctl_cgroups "$cur"
			_pcpu_reclaimctl_words \
				"percpu $(cd /sys/devices/system/node 2>/dev/null && echo node[0-9]*)" "$cur"
		fi
		;;
	esac
}

complete -F _pcpu_reclaimctl pcpu-reclaimctl
