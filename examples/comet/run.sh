#!/usr/bin/env bash
# run.sh [--FLAG VALUE]...: what an idle connection costs comet's hub, in both
# builds, and how long a message takes to all. --help lists the flags. Needs Go
# and, for 10,000 connections, a limit of some more descriptors.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

arch="amd64 386" conns="100 300 1000 3000 10000" workers=2 messages=3 settle=1 per_source=5000 timeout=60s
flag arch "builds: the wide one first"
flag conns "numbers of idle connections"
flag workers "worker processes, that take messages"
flag messages "messages to all; the median time is shown"
flag settle "seconds that all are idle before the hub is measured"
flag per_source "connections from one address of 127.0.0.0/8"
flag timeout "for all to be parked, and for a message to reach all"
parse_flags "$@"
for f in conns workers messages per_source; do numbers $f; done
words arch amd64 386 arm64 arm
patience=120

most=0
for n in $conns; do [ "$n" -le "$most" ] || most=$n; done
limit=$(ulimit -Hn)
[ "$limit" = unlimited ] || [ "$limit" -ge $((most + 64)) ] ||
	die 1 "$most connections need $((most + 64)) descriptors in one process, the hard limit is $limit: raise it (ulimit -Hn as root), or give smaller --conns"

have_rsswatch
# shellcheck disable=SC2086 # a list of words
runnable $arch
build ./comet/cmd/comet-client "$tmp/comet-client"
for a in "${archs[@]}"; do build ./comet/cmd/comet-server "$tmp/comet-$a" "$a"; done

# hub PID: resident and unique bytes of a process.
hub() {
	"$rsswatch" -b -n 1 -p "$1" --format csv --columns res,uss | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ print $at["res_bytes"], $at["uss_bytes"]; ok = 1 } END { exit !ok }'
}

# park ARCH N: prints a row: ARCH N RES-before RES USS-before USS milliseconds.
park() {
	local server client listening polls says fifo before after times=() i
	rm -rf "$tmp/fifos" "$tmp/server" # what the last one said is not to be read again
	mkdir "$tmp/fifos"
	"$tmp/comet-$1" --workers "$workers" --dir "$tmp/fifos" >"$tmp/server" &
	server=$!
	started "$server"
	listening=$(line "$tmp/server" '^polls on ' "$server")
	read -r _ _ polls _ _ says <<<"$listening"
	sleep "$settle"
	before=$(hub "$server")
	fifo=$tmp/commands
	rm -f "$fifo" "$tmp/client"
	mkfifo "$fifo"
	"$tmp/comet-client" --hub "${polls%,}" --say "$says" --conns "$2" --per-source "$per_source" --timeout "$timeout" --control \
		<"$fifo" >"$tmp/client" &
	client=$!
	started "$client"
	exec 9>"$fifo"
	line "$tmp/client" '^parked ' "$client" >/dev/null
	sleep "$settle"
	after=$(hub "$server")
	for ((i = 1; i <= messages; i++)); do echo "say message $i to all" >&9; done
	exec 9>&-
	finish "$client" || die 1 "not every connection got its message: $(tail -n 1 "$tmp/client")"
	[ "$(grep -c "^reached $2 of $2," "$tmp/client")" = "$messages" ] || die 1 "$messages messages to $2 connections: $(cat "$tmp/client")"
	mapfile -t times < <(sed -n 's/.*the last in \(.*\) ms$/\1/p' "$tmp/client" | sort -n)
	stop "$server"
	echo "$1 $2 ${before% *} ${after% *} ${before#* } ${after#* } ${times[$((messages / 2))]}" >>"$tmp/rows"
}

for n in $conns; do
	for a in "${archs[@]}"; do
		echo "$a, $n connections" >&2
		park "$a" "$n"
	done
done

awk -v archs="${archs[*]}" '
	{ key = $1 " " $2; res[key] = $4; grown[key] = ($4 - $3) / $2; uss[key] = ($6 - $5) / $2; ms[key] = $7; if (!seen[$2]++) order[++rows] = $2 }
	END {
		n = split(archs, arch, " ")
		printf "%7s", "idle"
		for (i = 1; i <= n; i++) printf " | %6s %9s %9s %9s", arch[i], "resident", "unique", "message"
		if (n == 2) printf " | %s", "resident, ratio"
		printf "\n%7s", "conns"
		for (i = 1; i <= n; i++) printf " | %6s %9s %9s %9s", "RES MB", "B/conn", "B/conn", "to all ms"
		print n == 2 ? " | " arch[2] "/" arch[1] : ""
		for (r = 1; r <= rows; r++) {
			printf "%7d", order[r]
			for (i = 1; i <= n; i++) { k = arch[i] " " order[r]; printf " | %6.1f %9.0f %9.0f %9.1f", res[k] / 1e6, grown[k], uss[k], ms[k] }
			if (n == 2 && grown[arch[1] " " order[r]] > 0) printf " | %.2f", grown[arch[2] " " order[r]] / grown[arch[1] " " order[r]]
			print ""
		}
	}' "$tmp/rows"
cat <<'EOF'
B/conn: what the hub grew by since it had no connection, divided by their number. The kernel's part
of a connection (sockets, their buffers, epoll) is in no process. MB is 10^6 bytes. All messages
reached every connection once; the time is the median, from before the POST until the last
connection's answer was read by the client, which shares the CPUs with the hub.
EOF
note_not_run
