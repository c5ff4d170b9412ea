#!/usr/bin/env bash
# run.sh [--FLAG VALUE]...: MB/s and CPU of a sender and a receiver, small and
# large writes, over the kernel's sockets and over a TCP stack in user space.
# --help lists the flags. Needs Go.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

sizes="128 4096" stacks="kernel user" arch=$(go env GOHOSTARCH 2>/dev/null || echo amd64) duration=5s mtu=1500 nodelay=false
range_delay=0.5 out=
flag sizes "bytes of a write, and of the largest read"
flag stacks "of kernel and user"
flag arch "builds: amd64, 386"
flag duration "how long to send"
flag mtu "bytes of the largest packet between the two stacks in user space"
flag nodelay "true: send small writes at once"
flag range_delay "seconds between two values of the CPU range"
flag delay "seconds between two ticks of the recording"
flag pss_budget "share of the time that the recording may take to read PSS"
flag out "folder for the recordings, which are else removed"
parse_flags "$@"
numbers sizes
numbers mtu
words stacks kernel user
words nodelay true false
words arch amd64 386 arm64 arm

have_rsswatch
keep_recordings "$out"
# shellcheck disable=SC2086 # a list of words
runnable $arch

# range PROGRAM: the least and the greatest CPU of one side, from one tick to the
# next. The first value holds the start and is left out.
range() {
	awk -F, -v program="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["program"] ~ "^" program && $at["cpu_percent"] != "" && ++n > 1 {
			v = $at["cpu_percent"] + 0
			if (n == 2 || v < low) low = v
			if (n == 2 || v > high) high = v
		}
		END { if (n > 1) printf "%.0f-%.0f\n", low, high; else print "?" }' "$tmp/ticks"
}

# rate WORD FILE: MB/s and the average CPU of one side, as it says itself.
rate() {
	sed -n "s/^$1 .*: \([0-9.]*\) MB\/s, \([0-9]*\) % CPU\$/\1 \2/p" "$2"
}

# transfer ARCH STACK SIZE
transfer() {
	local listen=127.0.0.1:0 name=$2 receiver addr ticks
	[ ${#archs[@]} = 1 ] || name=$2-$1
	if [ "$2" = user ]; then
		listen=$tmp/link
		rm -f "$listen"
	fi
	record "side=$name-recv,write=$3" "$tmp/receiver" "$tmp/sendrecv-recv-$1" --stack "$2" --listen "$listen" --size "$3" --mtu "$mtu"
	receiver=$recorder
	addr=$(line "$tmp/receiver" '^listening on ' "$receiver")
	record "side=$name-send,write=$3" "$tmp/sender" "$tmp/sendrecv-send-$1" --stack "$2" --addr "${addr#listening on }" --size "$3" \
		--for "$duration" --mtu "$mtu" "--nodelay=$nodelay"
	"$rsswatch" -b -n 0 -d "$range_delay" --format csv --columns %cpu,program --tree "$receiver" --tree "$recorder" >"$tmp/ticks" 2>/dev/null &
	ticks=$!
	started "$ticks"
	finish "$recorder" || die 1 "the sender failed"
	finish "$receiver" || die 1 "the receiver failed"
	stop "$ticks" || true # 130, or 1 when it saw that both had ended
	echo "$name $3 $(rate received "$tmp/receiver") $(range sendrecv-send) $(rate sent "$tmp/sender") $(range sendrecv-recv)" >>"$tmp/rows"
}

for a in "${archs[@]}"; do
	build ./sendrecv/cmd/sendrecv-send "$tmp/sendrecv-send-$a" "$a"
	build ./sendrecv/cmd/sendrecv-recv "$tmp/sendrecv-recv-$a" "$a"
	for s in $stacks; do
		for z in $sizes; do
			echo "$a, $s, $z bytes a write" >&2
			transfer "$a" "$s" "$z"
		done
	done
done

awk 'BEGIN { printf "%-12s %6s %9s   %-16s %-16s\n", "stack", "write", "MB/s", "sender CPU %", "receiver CPU %" }
	{ printf "%-12s %6d %9.1f   %-16s %-16s\n", $1, $2, $3, $7 " (" $5 ")", $4 " (" $8 ")" }' "$tmp/rows"
cat <<EOF
MB is 10^6 bytes. CPU: the average over the transfer as the process itself counts it, 100 % being one CPU,
and in brackets the least and the greatest of ticks $range_delay s apart. Every byte was checked.
EOF
echo
compare
note_not_run
