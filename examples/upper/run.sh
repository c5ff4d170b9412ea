#!/usr/bin/env bash
# run.sh [--FLAG VALUE]...: the table of upper's three strategies at several
# numbers of connections: average/maximum CPU and memory of the server, from
# recordings by rsswatch. --help lists the flags. Needs Go.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

conns="64 100 200 300 400" strategies="thread loop pool" arch=$(go env GOHOSTARCH 2>/dev/null || echo amd64)
idle=2s busy=5s pause=100ms max=9999 workers=4 seed=1 out=
flag conns "numbers of connections"
flag strategies "of thread, loop and pool"
flag arch "builds of the server: amd64, 386"
flag idle "how long the connections are idle first"
flag busy "how long strings are sent then"
flag pause "mean pause of a connection between two strings"
flag max "bytes of the longest string"
flag workers "of the pool"
flag seed "of the random lengths, strings and pauses"
flag delay "seconds between two ticks of the recording"
flag pss_budget "share of the time that the recording may take to read PSS"
flag out "folder for the recordings, which are else removed"
parse_flags "$@"
numbers conns
numbers max
words strategies thread loop pool
words arch amd64 386 arm64 arm

have_rsswatch
keep_recordings "$out"
# shellcheck disable=SC2086 # a list of words
runnable $arch
build ./upper/cmd/upper-client "$tmp/upper-client"
for a in "${archs[@]}"; do
	build ./upper/cmd/upper-server "$tmp/upper-server-$a" "$a"
done

for n in $conns; do
	for s in $strategies; do
		for a in "${archs[@]}"; do
			name=$s
			[ ${#archs[@]} = 1 ] || name=$s-$a
			record "strategy=$name,conns=$n" "$tmp/server" "$tmp/upper-server-$a" --strategy "$s" --workers "$workers"
			addr=$(line "$tmp/server" '^listening on ' "$recorder")
			echo "$name, $n connections:"
			run "$tmp/client" "$tmp/upper-client" --addr "${addr#listening on }" --conns "$n" --idle "$idle" --busy "$busy" \
				--pause "$pause" --max "$max" --seed "$seed" || die 1 "$(cat "$tmp/client")"
			sed 's/^/  /' "$tmp/client"
			stop "$recorder"
		done
	done
done
echo
compare
note_not_run
