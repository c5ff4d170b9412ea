# shellcheck shell=bash
# What the examples' scripts share; sourced, not run. A script says
#   set -euo pipefail
#   . "$(dirname "$0")/../lib.sh"
# and then declares its flags. All that it starts with `start` or registers
# with `started` is ended by its PID when the script ends, whatever ends it, and
# its temporary folder $tmp is removed.

examples=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$examples")
self=$(basename "$(dirname "$0")")/${0##*/}
began=$SECONDS

die() { # die STATUS TEXT...
	local status=$1
	shift
	echo "$self: $*" >&2
	exit "$status"
}

# --- flags: each is a variable, with - in its name for _

declare -a flag_names=()
declare -A flag_help=()

# flag VARIABLE HELP: the variable's present value is the default.
flag() {
	flag_names+=("$1")
	flag_help[$1]=$2
}

usage() {
	echo "Usage: ${self} [--FLAG VALUE]..."
	local name
	for name in "${flag_names[@]}"; do
		printf '  --%-14s %s (default: %s)\n' "${name//_/-}" "${flag_help[$name]}" "${!name:-none}"
	done
}

parse_flags() {
	local arg name
	while [ $# -gt 0 ]; do
		arg=$1
		shift
		case $arg in -h | --help) usage && exit 0 ;; --*) ;; *) die 2 "unexpected argument '$arg' (--help lists the flags)" ;; esac
		name=${arg#--}
		name=${name%%=*}
		name=${name//-/_}
		[ -n "${flag_help[$name]:-}" ] || die 2 "unknown flag '$arg' (--help lists the flags)"
		if [ "$arg" = "${arg#*=}" ]; then
			[ $# -gt 0 ] || die 2 "$arg needs a value"
			printf -v "$name" %s "$1"
			shift
		else
			printf -v "$name" %s "${arg#*=}"
		fi
	done
}

# numbers VARIABLE: its value has to be positive whole numbers.
numbers() {
	local n
	for n in ${!1}; do
		[[ $n =~ ^[1-9][0-9]{0,8}$ ]] || die 2 "--${1//_/-}: '$n' is no positive whole number"
	done
	[ -n "${!1// /}" ] || die 2 "--${1//_/-} is empty"
}

# words VARIABLE WORD...: its value has to be some of the words.
words() {
	local name=$1 value word found
	shift
	for value in ${!name}; do
		found=
		for word; do [ "$value" != "$word" ] || found=1; done
		[ -n "$found" ] || die 2 "--${name//_/-}: '$value' is none of $*"
	done
	[ -n "${!name// /}" ] || die 2 "--${name//_/-} is empty"
}

# --- what has to be there

# need COMMAND PACKAGE...: says everything that is missing at once, see needed.
missing_packages=()
need() {
	local command=$1
	shift
	[ -x "$command" ] || command -v "$command" >/dev/null || missing_packages+=("$@")
}

needed() {
	[ ${#missing_packages[@]} = 0 ] ||
		die 1 "missing Debian packages; as root: apt-get install --no-install-recommends ${missing_packages[*]}"
}

# --- processes, each known by its PID

pids=()
tmp=$(mktemp -d)

started() { pids+=("$1"); }

# finish PID: waits for a process that was started here; its status is that of the process.
finish() {
	local rest=() p
	for p in "${pids[@]}"; do [ "$p" = "$1" ] || rest+=("$p"); done
	pids=("${rest[@]}")
	wait "$1" 2>/dev/null
}

# stop PID: ends a process that was started here, kindly first. Its status is that of the process.
stop() {
	local n
	kill -TERM "$1" 2>/dev/null || true
	for ((n = 0; n < 100; n++)); do
		kill -0 "$1" 2>/dev/null || break
		sleep 0.1
	done
	kill -KILL "$1" 2>/dev/null || true
	finish "$1"
}

cleanup() {
	local status=$?
	trap - EXIT INT TERM HUP
	local p
	for p in "${pids[@]}"; do stop "$p" || true; done
	rm -rf "$tmp"
	exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# run OUTPUT COMMAND...: as in the foreground, but a signal to the script ends it at once.
run() {
	local output=$1
	shift
	"$@" >"$output" 2>&1 &
	started "$!"
	finish "$!"
}

patience=60 # seconds that line waits

# line FILE PATTERN PID: waits for a line in a file that the process PID writes,
# and prints it.
line() {
	local n
	for ((n = 0; n < patience * 20; n++)); do
		grep -m 1 -E -e "$2" "$1" 2>/dev/null && return
		kill -0 "$3" 2>/dev/null || die 1 "process $3 ended early: $(tail -n 3 "$1" 2>/dev/null)"
		sleep 0.05
	done
	die 1 "no line '$2' within $patience s in: $(tail -n 3 "$1" 2>/dev/null)"
}

# --- programs

need_go() {
	command -v go >/dev/null || die 1 "needs Go 1.26 or newer, as 'go' in the PATH"
}

# build PACKAGE OUTPUT [ARCH]: of the examples' module.
build() {
	need_go
	(cd "$examples" && CGO_ENABLED=0 GOOS=linux GOARCH=${3:-$(go env GOHOSTARCH)} go build -o "$2" "$1")
}

rsswatch=

# have_rsswatch: sets $rsswatch to the one that $RSSWATCH names, or builds it.
have_rsswatch() {
	rsswatch=${RSSWATCH:-}
	if [ -z "$rsswatch" ]; then
		need_go
		rsswatch=$tmp/rsswatch
		(cd "$root" && CGO_ENABLED=0 go build -o "$rsswatch" ./cmd/rsswatch)
	fi
	local help
	help=$("$rsswatch" record --help) || die 1 "\$RSSWATCH does not run: $rsswatch"
	grep -q -e --label <<<"$help" || die 1 "$rsswatch has no command 'record': it is too old"
}

archs=() not_run=()

# runnable ARCH...: sets $archs to those whose programs this kernel executes, and
# $not_run to the others.
runnable() {
	local arch
	need_go
	printf 'package main\n\nfunc main() {}\n' >"$tmp/nothing.go"
	for arch; do
		CGO_ENABLED=0 GOOS=linux GOARCH=$arch go build -o "$tmp/nothing" "$tmp/nothing.go"
		if "$tmp/nothing" 2>/dev/null; then archs+=("$arch"); else not_run+=("$arch"); fi
	done
	[ ${#archs[@]} -gt 0 ] || die 3 "this kernel executes no programs for $*"
}

# note_not_run: ends a script's output; its status is 3 when a build was left out.
note_not_run() {
	took
	[ ${#not_run[@]} -gt 0 ] || return 0
	echo "$self: this kernel does not execute programs for ${not_run[*]}: their half of the table is missing" >&2
	exit 3
}

took() { echo "Took $((SECONDS - began)) s."; }

# free_port: prints a TCP port of loopback that nobody listens on now.
free_port() {
	/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# --- what processes hold now

# sums PATTERN WATCH-FLAG...: of the processes that rsswatch -b shows with these
# flags and whose program matches the regular expression: their number, the
# averages of VIRT, RES, PSS and USS, the sum of PSS (bytes), and the sum of CPU
# time (ns). A figure that holds one that could not be read is "?"; a process may
# have ended amid the reading, so that is tried again.
sums() {
	local pattern=$1 try row
	shift
	for try in 1 2 3; do
		snapshot "$@"
		row=$(sums_of "$pattern")
		[[ $row == *"?"* && $try -lt 3 ]] || break
	done
	echo "$row"
}

# snapshot WATCH-FLAG...: reads the processes for sums_of.
snapshot() {
	"$rsswatch" -b -n 1 --format csv --columns pid,virt,res,pss,uss,time+,program "$@" >"$tmp/snapshot.csv"
}

# sums_of PATTERN [PIDS]: the sums of a snapshot, of these PIDs alone if given.
sums_of() {
	awk -F, -v pattern="$1" -v pids="${2:-}" '
		BEGIN {
			m = split("virt_bytes res_bytes pss_bytes uss_bytes cpu_ns", name, " ")
			chosen = split(pids, list, ",")
			for (i in list) ours[list[i]]
		}
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["program"] ~ pattern && (!chosen || $at["pid"] in ours) {
			n++
			for (i = 1; i <= m; i++) { v = $at[name[i]]; if (v == "") unknown[i] = 1; sum[i] += v }
		}
		function show(i, by) { return unknown[i] || !n ? "?" : sprintf("%.0f", sum[i] / by) }
		END { print n + 0, show(1, n), show(2, n), show(3, n), show(4, n), show(3, 1), show(5, 1) }' "$tmp/snapshot.csv"
}

# --- recordings

delay=0.2        # seconds between two ticks
pss_budget=0.3%  # share of the time that reading PSS may take
recordings=      # folder, see keep_recordings
files=()         # of recordings, in the order of their start
recorder=        # PID of the last one

# record LABEL OUTPUT COMMAND...: runs a command under rsswatch record in the
# background, with its standard output in OUTPUT. Ends when $recorder is stopped.
record() {
	local label=$1 output=$2 file
	shift 2
	file=$recordings/${label//[=,\/]/-}.jsonl
	files+=("$file")
	rm -f "$output"
	"$rsswatch" record --quiet --overwrite -o "$file" --label "$label" -d "$delay" --pss-budget "$pss_budget" -- "$@" >"$output" &
	recorder=$!
	started "$recorder"
}

# keep_recordings DIR: where recordings go; a temporary folder when empty.
keep_recordings() {
	recordings=${1:-$tmp/recordings}
	mkdir -p "$recordings"
	recordings=$(cd "$recordings" && pwd)
}

# compare: prints the tables of all recordings so far.
compare() {
	if [ ${#files[@]} -gt 1 ]; then
		"$rsswatch" compare "${files[@]}"
	else
		"$rsswatch" report "${files[@]}"
	fi
}
